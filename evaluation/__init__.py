"""How good the parts are: metrics, significance, and one protocol a file.

A metric is an ``Estimate``: the value on all the data, with the 95 % interval of the bootstrap.
"""

from anamnesis.packages import require_own

require_own("nodes", "prompts", "retrievers")
