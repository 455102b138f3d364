"""How good models, search and answers are: metrics, significance, and one protocol per file.

A metric is an ``Estimate``: the value on all the data, with its 95 % bootstrap interval. What
belongs here computes figures; ``app.evaluate`` reads the data and prints. Codes such as [R7] name
rows of ``docs/systems.md``. Modules here may import only: everything below ``evaluation``.
"""

from anamnesis.packages import require_our_packages

require_our_packages("nodes", "prompts", "retrievers")
