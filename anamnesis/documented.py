"""Records of settings that say of each field what it does."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Documented(BaseModel):
    """A frozen record whose fields are described, also in its schema, by the strings below them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        for field in cls.model_fields.values():
            field.description = " ".join(field.description.split()) if field.description else None
        cls.model_rebuild(force=True)
