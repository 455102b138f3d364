"""How good the parts are: metrics, significance, and one protocol per file.

A metric is an ``Estimate``: the value on all the data, with its 95 % bootstrap interval. What
belongs here computes figures; ``app.evaluate`` reads the data and prints. May be imported:
everything below ``evaluation``.
"""

from anamnesis.packages import require_our_packages

require_our_packages("nodes", "prompts", "retrievers")
