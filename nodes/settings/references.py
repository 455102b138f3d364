"""Names in settings: references of models, methods of retrieval, keys of a table."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from anamnesis.models.reference import parse
from retrievers.methods import RETRIEVERS, checked_method


def _valid(reference: str) -> str:
    parse(reference)
    return reference


ModelReference = Annotated[str, AfterValidator(_valid)]
"""The reference of a model. An invalid one is reported at once, not in the middle of a run."""


class KeyOf:
    """Marks a text as a key of a table. The JSON schema has the keys of the time it is made."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema of the text, with the keys."""
        return {**handler(schema), "enum": list(self._table)}


Method = Annotated[str, AfterValidator(checked_method), KeyOf(RETRIEVERS)]
"""The name of a method of retrieval: a key of ``RETRIEVERS``, to which programs can add more."""
