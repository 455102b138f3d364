"""The layer that finds questions on a missed or repeated dose: ``python -m training.dose_mishap``.

Fitted as in ``training.own_record``, on other sentences: ``dose_mishap.tsv`` has questions about a
dose that was missed, late, repeated or too large, and other questions on medicines that resemble
them (``anamnesis.models.dose_mishap``).
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from anamnesis.models.dose_mishap import LEAST, WEIGHTS
from training import own_record
from training.linear_layer import store_layer

SENTENCES = Path(__file__).with_name("dose_mishap.tsv")
_STRENGTH = 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    fit = partial(own_record.fit, sentences=SENTENCES, least=LEAST, strength=_STRENGTH)
    return store_layer("training.dose_mishap", __doc__, WEIGHTS, fit, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
