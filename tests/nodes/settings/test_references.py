"""Names of models and methods in settings are checked when they are given."""

import pytest
from pydantic import TypeAdapter, ValidationError

from nodes.settings.references import Method, ModelReference
from retrievers.methods import RETRIEVERS

MODEL = TypeAdapter[str](ModelReference)
METHOD = TypeAdapter[str](Method)


@pytest.mark.parametrize("reference", ["own", "hf:org/name", "openai:gpt-4o-mini"])
def test_a_reference_stays_as_it_is(reference: str) -> None:
    assert MODEL.validate_python(reference) == reference


@pytest.mark.parametrize("wrong", ["", "hf:", "nobody:small", 7])
def test_a_wrong_reference_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ValidationError):
        MODEL.validate_python(wrong)


def test_a_method_is_one_of_those_that_are_registered() -> None:
    for name in RETRIEVERS:
        assert METHOD.validate_python(name) == name
    assert METHOD.json_schema()["enum"] == list(RETRIEVERS)
    with pytest.raises(ValidationError, match="sparse"):
        METHOD.validate_python("sparsely")
