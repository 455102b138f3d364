"""The names of settings: ``group.name``, as policies, ``--set`` and messages write them."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anamnesis import SettingError


@cache
def fields(settings: type[BaseModel]) -> dict[str, FieldInfo]:
    """Every setting by its name, such as ``retrieval.methods``; those of no group by their own."""
    return {
        f"{group}.{name}" if name else group: field
        for group, item in settings.model_fields.items()
        for name, field in (_fields_of(item) or {"": item}).items()
    }


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
                    yield _known_names(f"{key}.{name}", settings), entry
        elif not known_only or key in known:
            yield _known_names(str(key), settings), value


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
    """Raises SettingError if a key is the name of a setting without its group, or is in a group
    that has no such setting.

    Other unknown keys may be another program's.
    """
    ends = {name.rpartition(".")[2] for name in fields(settings) if "." in name}
    for key in given.keys() - fields(settings).keys() - set(groups(settings)):
        if key in ends or key.partition(".")[0] in groups(settings):
            _known_names(key, settings)


def value_of(settings: BaseModel, name: str) -> Any:
    """The value of the setting with this name."""
    group, dot, own = name.partition(".")
    found = getattr(settings, group)
    return getattr(found, own) if dot else found


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


def _known_names(name: str, settings: type[BaseModel]) -> str:
    if name in fields(settings):
        return name
    raise SettingError(f"there is no setting {name!r}{_instead(name, settings)}")


def _instead(name: str, settings: type[BaseModel]) -> str:
    """What was probably meant by a wrong name."""
    group, _, own = name.rpartition(".")
    group = next(iter(difflib.get_close_matches(group, groups(settings), 1, 0.65)), "")
    known = [full for full in fields(settings) if not group or full.startswith(f"{group}.")]
    ends = {full.rpartition(".")[2]: full for full in known}
    near = difflib.get_close_matches(own, ends, 1, 0.9) or [
        *difflib.get_close_matches(own, ends, 1, 0.65),
        *_with_last_word(own, ends),
    ]
    # A group has its main setting first: 'generator.model'.
    first = next((full for full in known if full.startswith(f"{own}.")), None)
    if meant := [first] if first else [ends[end] for end in dict.fromkeys(near)]:
        return f"; did you mean {' or '.join(map(repr, meant))}?"
    return f"; there are {', '.join(known) if group else ', '.join(groups(settings))}"


def _with_last_word(own: str, ends: Iterable[str]) -> list[str]:
    """The two names nearest to a wrong one of those with a word like its last, which says most."""
    last = own.rpartition("_")[2]
    if len(last) < 3:  # 'k' could be any number
        return []
    alike = [end for end in ends if difflib.get_close_matches(last, end.split("_"), 1, 0.8)]
    return difflib.get_close_matches(own, alike, 2, 0.0)


def groups(settings: type[BaseModel]) -> list[str]:
    """The groups of settings."""
    return [name for name, item in settings.model_fields.items() if _fields_of(item)]


def _fields_of(field: FieldInfo) -> dict[str, FieldInfo] | None:
    kind = field.annotation
    return kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else None
