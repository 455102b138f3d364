"""Names in settings: references of models, methods of retrieval."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from anamnesis.models.reference import parse
from retrievers.methods import RETRIEVERS, checked_method


def _valid(reference: str) -> str:
    parse(reference)
    return reference


ModelReference = Annotated[str, AfterValidator(_valid)]
"""The reference of a model. An invalid one is reported at once, not in the middle of a run."""

Method = Annotated[
    str,
    AfterValidator(checked_method),
    WithJsonSchema({"type": "string", "enum": list(RETRIEVERS)}),
]
"""The name of a method of retrieval: a key of ``RETRIEVERS``, to which programs can add more."""
