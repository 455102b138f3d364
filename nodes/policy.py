"""What a caller of the server may choose, and what only its operator decides.

The operator's file, ``policy.json`` in the data folder or the one that ``ANAMNESIS_POLICY`` names,
has three fields: ``settings`` for every run; ``callers``, the settings that callers may choose,
each with the permitted values; and ``patient_words``, the remote models that may receive what a
patient writes. Whoever starts the program (the command line, Python, ``anamnesis web``) is the
operator, and no policy applies.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from anamnesis import SettingError
from anamnesis.paths import default_index, home
from models.reference import FILE_SCHEMES, parse
from nodes.context import Context
from nodes.presets import PRESETS
from prompts import replaced

_log = logging.getLogger(__name__)

POLICY = "ANAMNESIS_POLICY"
"""Environment variable that names another policy file."""

# Each names a model, an address, a folder or a file: callers may only choose from a list.
_REACHING = ("index", "generator", "critic", "reranker", "prompts")
_REMEDY = (
    "the operator changes this under 'callers' in the policy file ('anamnesis policy show' names "
    "it)"
)


class Bounds(BaseModel):
    """The range of numbers that a caller may choose, including both ends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.least:g} to {self.most:g}"


Rule = Annotated[bool | Bounds | list[Any], Field(union_mode="left_to_right")]
"""What a caller may choose of a setting: anything, numbers within bounds, or one of a list."""

CALLERS: dict[str, Rule] = {
    # No other preset: each of them switches off the critic or the reranker.
    "preset": ["default"],
    "passages": Bounds(least=1, most=20),
    "evidence_passages": Bounds(least=1, most=8),
    "max_statements": Bounds(least=1, most=12),
    "stream_draft": True,
    "remember": True,
    # The user, which is used only if no tokens are in use.
    "user": True,
    "audience": True,
}
"""What a caller may choose by default: nothing that affects the network, the disk or a check."""


class Policy(BaseModel):
    """The operator's policy. Callers may change only the settings in ``callers``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: dict[str, Any] = Field(
        {}, description="The operator's settings, which apply to every run."
    )
    callers: dict[str, Rule] = Field(
        CALLERS,
        description="The settings that a caller may choose: `true` for any value, a list of "
        "values, or the bounds `least` and `most` of a number.",
    )
    patient_words: list[str] = Field(
        [],
        description="References of the remote models that may receive what a patient writes; a "
        "model whose files are read on this machine needs no entry.",
    )

    @model_validator(mode="after")
    def _holds(self) -> "Policy":
        replaced(self._base().prompts)
        for name, rule in self.callers.items():
            _check_rule(name, rule)
        for where, reference in self._remote():
            if reference not in {str(parse(own)) for own in self.patient_words}:
                raise ValueError(
                    f"{where}: {reference} does not run on this machine, and would see what "
                    "patients write; add it to patient_words if it may"
                )
        return self

    def _base(self) -> Context:
        try:
            return Context(**self.settings)
        except ValidationError as error:
            raise ValueError(f"settings: {_first(error)}") from None

    def _remote(self) -> Iterator[tuple[str, str]]:
        """Remote models that a run may use, with the field that names them."""
        for name in ("generator", "critic"):
            offered = self.callers.get(name)
            for where, named in (
                (f"settings.{name}", [self.settings.get(name)]),
                (f"callers.{name}", offered if isinstance(offered, list) else []),
            ):
                for value in named:
                    if isinstance(value, str) and (reference := elsewhere(value)):
                        yield where, reference

    def ruled(self, asked: Context) -> Context:
        """The settings of a run: the operator's, with the caller's permitted choices.

        A value that equals the one in force is always accepted. Nothing is loaded or looked up.
        Raises SettingError naming the setting, the permitted values and the remedy.
        """
        given = {name: getattr(asked, name) for name in asked.model_fields_set}
        preset = PRESETS[asked.preset]
        base = self._base()
        chosen = {}
        for name, value in given.items():
            if name != "preset" and name in preset and value == _as_set(name, preset[name]):
                continue
            if value != getattr(base, name):
                self._allow(name, value)
            chosen[name] = value
        return Context(**{**self.settings, **chosen})

    def _allow(self, name: str, value: Any) -> None:
        rule = self.callers.get(name, False)
        if rule is False:
            raise SettingError(
                f"the setting {name!r} is not yours to choose on this server: leave it out. "
                f"Open to you: {self.told() or 'no setting'}; {_REMEDY}"
            )
        if isinstance(rule, Bounds):
            fits = isinstance(value, int | float) and rule.least <= value <= rule.most
        else:
            fits = rule is True or value in [_as_set(name, own) for own in rule]
        if not fits:
            raise SettingError(
                f"the setting {name!r} may be {_told(rule)} on this server; {_REMEDY}"
            )

    def told(self) -> str:
        """The settings that callers may choose, in one line."""
        return ", ".join(
            name if rule is True else f"{name} ({_told(rule)})"
            for name, rule in self.callers.items()
            if rule is not False
        )


def elsewhere(reference: str) -> str | None:
    """The reference of the chat model if it does not run on this machine, else None.

    A provider's model counts as remote whatever its address, because a local server may forward
    what it receives.
    """
    parsed = parse(reference)
    if parsed.scheme == "llm":
        parsed = parse(parsed.name)
    here = parsed.scheme in FILE_SCHEMES or parsed.scheme in ("own", "similarity", "extractive")
    return None if here else str(parsed)


def policy_file() -> Path:
    """The path of the policy: ``ANAMNESIS_POLICY``, or ``policy.json`` in the data folder."""
    named = os.environ.get(POLICY)
    return Path(named).expanduser().absolute() if named else home() / "policy.json"


def load_policy() -> Policy:
    """The policy in force; the default if there is no file in the data folder.

    Raises SettingError, naming the file and the field, if the file is invalid, or if
    ``ANAMNESIS_POLICY`` names a missing file: every run is then refused.
    """
    path = policy_file()
    try:
        return _read(path.read_bytes())
    except FileNotFoundError:
        if not os.environ.get(POLICY):
            return _read(b"{}")
        problem = "there is no such file"
    except OSError as error:
        problem = str(error.strerror)
    except ValidationError as error:
        problem = _first(error)
    raise SettingError(
        f"the policy {path} cannot be used ({problem}), so no question is answered; mend it, or "
        "delete it and write the default with: anamnesis policy init"
    )


@lru_cache(maxsize=4)
def _read(text: bytes) -> Policy:
    """Every step reads the policy, which seldom changes."""
    return Policy.model_validate_json(text)


def ruled(asked: Context) -> Context:
    """The settings of a run by the policy in force; see ``Policy.ruled``.

    Raises SettingError, also if the policy cannot be read; the log tells the operator why.
    """
    return _in_force().ruled(asked)


def _in_force() -> Policy:
    """The policy. Raises SettingError without its path; the log tells the operator why."""
    try:
        return load_policy()
    except SettingError as error:
        _log.error("no question is answered: %s", error)
        raise SettingError(
            "this server cannot read its policy and answers no question; its log tells the "
            "operator why"
        ) from None


def offered_presets() -> list[str]:
    """The presets that a caller may choose; none if the policy cannot be read."""
    try:
        policy = load_policy()
    except SettingError as error:
        _log.error("no preset is offered: %s", error)
        return []
    rule, own = policy.callers.get("preset", False), policy.settings.get("preset", "default")
    return [
        name
        for name in PRESETS
        if name == own or rule is True or (isinstance(rule, list) and name in rule)
    ]


def served_index() -> Path:
    """The folder of the index that the server's runs search. Raises SettingError."""
    return Path(ruled(Context()).index or default_index())  # type: ignore[call-arg]


def open_settings(context: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run that a caller may see; the others may name an address."""
    callers = _in_force().callers
    return {name: value for name, value in context.items() if callers.get(name, False) is not False}


def asked_of(given: Mapping[str, Any]) -> Context:
    """The settings that a caller sent, before the policy; unknown keys are left out.

    Raises SettingError for an invalid value.
    """
    known = {name: value for name, value in given.items() if name in Context.model_fields}
    try:
        return Context(**known)
    except ValidationError as error:
        raise SettingError(f"wrong setting: {_first(error)}") from None


def _check_rule(name: str, rule: Rule) -> None:
    """Raises ValueError if the rule does not fit its setting."""
    where = f"callers.{name}"
    if name not in Context.model_fields:
        raise ValueError(f"{where}: there is no such setting")
    if rule is True and name in _REACHING:
        raise ValueError(f"{where}: list the values that callers may choose")
    if isinstance(rule, bool):
        return
    for value in rule if isinstance(rule, list) else [rule.least, rule.most]:
        try:
            _as_set(name, value)
        except ValidationError as error:
            raise ValueError(f"{where}: {_first(error)}") from None


def _as_set(name: str, value: Any) -> Any:
    """A setting's value after validation."""
    return getattr(Context(**{name: value}), name)


def _told(rule: Rule) -> str:
    return ", ".join(map(repr, rule)) if isinstance(rule, list) else str(rule)


def _first(error: ValidationError) -> str:
    """The first validation error: the field and the problem."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
