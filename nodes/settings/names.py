"""The names of settings: ``group.name``, as policies, ``--set`` and messages write them."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from anamnesis import SettingError
from anamnesis.errors import problems

_ALIKE = 0.65
"""Minimum similarity (0 to 1, by ``difflib``) of a wrong name and one that is suggested for it."""
_NEAR_GROUP, _NEAR_NAME, _LONG = 0.8, 0.9, 8
"""The same for a key that may be another program's: for its group, and for a name without a group,
which must have at least as many letters as the last number says.
"""


@cache
def fields(settings: type[BaseModel]) -> dict[str, FieldInfo]:
    """Every setting by its name, such as ``retrieval.methods``; those of no group by their own."""
    return {
        f"{group}.{name}" if name else group: field
        for group, item in settings.model_fields.items()
        for name, field in (_fields_of(item) or {"": item}).items()
    }


def description(field: FieldInfo) -> str:
    """What a setting does, as its JSON schema says at this time."""
    schema: dict[str, Any] = {"description": field.description or ""}
    if callable(field.json_schema_extra):
        field.json_schema_extra(schema)
    return str(schema["description"])


def flat(
    given: Mapping[str, Any], settings: type[BaseModel], known_only: bool = False
) -> Iterator[tuple[str, Any]]:
    """The settings of a mapping by name and value, whether written nested or as ``group.name``.

    Those of groups come first: a server that merges mappings keeps no order of their keys. Raises
    SettingError for an unknown name, naming the nearest known one; with ``known_only`` unknown
    names are left out.
    """
    known, in_groups = fields(settings), groups(settings)
    for key, value in sorted(given.items(), key=lambda item: item[0] not in in_groups):
        if key in in_groups:
            if isinstance(value, BaseModel):
                value = value.model_dump(exclude_unset=True)
            if not isinstance(value, Mapping):
                raise SettingError(
                    f"{key!r} is a group of settings, not {value!r}{_instead(key, settings)}"
                )
            for name, entry in value.items():
                if not known_only or f"{key}.{name}" in known:
                    yield _known_name(f"{key}.{name}", settings), entry
        elif not known_only or key in known:
            yield _known_name(str(key), settings), value


def nested(named: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by name, in their groups."""
    made: dict[str, Any] = {}
    for key, value in named.items():
        group, dot, name = key.partition(".")
        if dot:
            made.setdefault(group, {})[name] = value
        else:
            made[group] = value
    return made


def check_places(given: Mapping[str, Any], settings: type[BaseModel]) -> None:
    """Raises SettingError for a wrong name of a setting, naming the nearest one.

    A wrong name lacks its group, is misspelt, or is in a group that has no such setting or is
    misspelt itself. Other unknown keys may be another program's. If the value is a table of a
    setting without its group, such as ``weights``, its wrong entries are named as well.
    """
    for key, value in given.items():
        if key in fields(settings):
            continue
        if isinstance(value, Mapping) and "." not in key:
            if key in (ends := _tables(settings)):
                raise SettingError(
                    f"{_wrong_name(key, settings)}{_wrong_in(ends[key], value, settings)}"
                )
            for name in (f"{key}.{part}" for part in value):
                if key in groups(settings) or _is_misspelt(name, settings):
                    _known_name(name, settings)
        elif key not in groups(settings) and _is_wrong(key, settings):
            _known_name(key, settings)


@cache
def _tables(settings: type[BaseModel]) -> dict[str, str]:
    """The settings of groups whose values are tables, by their names without the group."""
    return {
        name.rpartition(".")[2]: name
        for name, field in fields(settings).items()
        if "." in name and _is_table(field)
    }


def _is_table(field: FieldInfo) -> bool:
    kinds = (field.annotation, *get_args(field.annotation))
    return any(get_origin(kind) is dict for kind in kinds)


def _wrong_in(name: str, value: Mapping[str, Any], settings: type[BaseModel]) -> str:
    """What is wrong with the value of a setting, as the end of a message; '' if nothing is."""
    try:
        settings.model_validate({name: value})
    except ValidationError as error:
        return f" Its value is wrong as well: {problems(error)[0]}"
    return ""


def _is_wrong(key: str, settings: type[BaseModel]) -> bool:
    """Whether an unknown key is a wrong name of a setting, not another program's."""
    group, dot, _ = key.partition(".")
    if dot:
        return bool(difflib.get_close_matches(group, groups(settings), 1, _NEAR_GROUP))
    ends = {name.rpartition(".")[2] for name in fields(settings)}
    return key in ends or (
        len(key) >= _LONG and bool(difflib.get_close_matches(key, ends, 1, _NEAR_NAME))
    )


def _is_misspelt(name: str, settings: type[BaseModel]) -> bool:
    """Whether ``group.name`` is near a setting in a group that is near the group."""
    group, _, last = name.partition(".")
    near = difflib.get_close_matches(group, groups(settings), 1, _NEAR_GROUP)
    known = [full.partition(".")[2] for full in fields(settings) if full.split(".")[0] in near]
    return bool(difflib.get_close_matches(last, known, 1, _ALIKE))


def value_of(settings: BaseModel, name: str) -> Any:
    """The value of the setting with this name."""
    group, dot, last = name.partition(".")
    found = getattr(settings, group)
    return getattr(found, last) if dot else found


def given_in(settings: BaseModel) -> dict[str, Any]:
    """The settings by name that the caller or a preset gave."""
    kind = type(settings)
    known = fields(kind)
    return {
        name: value_of(settings, name)
        for group in settings.model_fields_set
        for name in (
            [group]
            if group in known
            else [f"{group}.{item}" for item in getattr(settings, group).model_fields_set]
        )
    }


def by_name(settings: BaseModel, given_only: bool = False) -> dict[str, Any]:
    """Settings by name, as JSON; with ``given_only`` those of the caller or a preset."""
    whole = settings.model_dump(mode="json", exclude_unset=given_only)
    return dict(flat(whole, type(settings)))


def _known_name(name: str, settings: type[BaseModel]) -> str:
    if name in fields(settings):
        return name
    raise SettingError(_wrong_name(name, settings))


def _wrong_name(name: str, settings: type[BaseModel]) -> str:
    return f"there is no setting {name!r}{_instead(name, settings)}"


def _instead(name: str, settings: type[BaseModel]) -> str:
    """What was probably meant by a wrong name."""
    group, _, last = name.rpartition(".")
    group = next(iter(difflib.get_close_matches(group, groups(settings), 1, _ALIKE)), "")
    known = [full for full in fields(settings) if not group or full.startswith(f"{group}.")]
    ends = {full.rpartition(".")[2]: full for full in known}
    near = difflib.get_close_matches(last, ends, 1, 0.9) or [
        *difflib.get_close_matches(last, ends, 1, _ALIKE),
        *_with_last_word(last, ends),
    ]
    # A group has its main setting first: 'generator.model'.
    first = next((full for full in known if full.startswith(f"{last}.")), None)
    if meant := [first] if first else [ends[end] for end in dict.fromkeys(near)]:
        return f"; did you mean {' or '.join(map(repr, meant))}?"
    return f"; there are {', '.join(known) if group else ', '.join(groups(settings))}"


def _with_last_word(word: str, ends: Iterable[str]) -> list[str]:
    """The two names nearest to a wrong one of those with a word like its last, which says most."""
    last = word.rpartition("_")[2]
    if len(last) < 3:  # 'k' could be any number
        return []
    alike = [end for end in ends if difflib.get_close_matches(last, end.split("_"), 1, 0.8)]
    return difflib.get_close_matches(word, alike, 2, 0.0)


def groups(settings: type[BaseModel]) -> list[str]:
    """The groups of settings."""
    return [name for name, item in settings.model_fields.items() if _fields_of(item)]


def _fields_of(field: FieldInfo) -> dict[str, FieldInfo] | None:
    kind = field.annotation
    return kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else None
