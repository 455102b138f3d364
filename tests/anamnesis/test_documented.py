"""Fields that are described by the strings below them."""

from anamnesis.documented import Documented
from anamnesis.limits import Limits
from nodes.settings.context import Context
from nodes.settings.names import fields


class _Example(Documented):
    """An example."""

    size: int = 1
    """The size,
    in millimetres."""
    other: int = 2


def test_a_description_is_one_line_also_in_the_schema() -> None:
    properties = _Example.model_json_schema()["properties"]
    assert properties["size"]["description"] == "The size, in millimetres."
    assert "description" not in properties["other"]
    assert _Example.model_fields["size"].description == "The size, in millimetres."


def test_every_setting_and_every_limit_is_described() -> None:
    for field in [*fields(Context).values(), *Limits.model_fields.values()]:
        assert field.description
