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
from typing import Any

from pydantic import Field, ValidationError, model_validator

from anamnesis import SettingError
from anamnesis.address import Location
from anamnesis.documented import Documented
from anamnesis.errors import problems
from anamnesis.models.reference import parse, remote_chat_of
from anamnesis.paths import home, index_at
from nodes.settings.choices import CALLERS, MODELS, PROMPTS, PROTECTED, REACHING, Bounds, Rule
from nodes.settings.context import Context
from nodes.settings.names import fields, flat, given_in, groups, value_of
from nodes.settings.presets import PRESETS
from prompts import replaced

_log = logging.getLogger(__name__)

POLICY = "ANAMNESIS_POLICY"
"""Environment variable that names another policy file."""

_REMEDY = (
    "the operator changes this under 'callers' in the policy file ('anamnesis policy show' names "
    "it)"
)


class Policy(Documented):
    """The operator's policy. Callers may change only the settings in ``callers``."""

    settings: dict[str, Any] = Field({})
    """The operator's settings, nested or by name, which apply to every run."""
    callers: dict[str, Rule] = CALLERS
    """The settings that a caller may choose, by name: `true` for any value, a list of values, or
    the bounds `minimum` and `maximum` of a number. `true` for a group opens all of it but the
    settings that need a list."""
    patient_words: list[str] = Field([])
    """References of the remote models that may receive what a patient writes; a model whose files
    are read on this machine needs no entry."""

    @model_validator(mode="after")
    def _holds(self) -> "Policy":
        self._base()
        for name, rule in self.callers.items():
            _check_rule(name, rule)
        for where, reference in self._remote():
            if reference not in {str(parse(item)) for item in self.patient_words}:
                raise ValueError(
                    f"{where}: {reference} does not run on this machine, and would see what "
                    "patients write; add it to patient_words if it may"
                )
        self.with_prompt_texts()
        return self

    def with_prompt_texts(self) -> "Policy":
        """The policy with the texts of prompts in place of the files that it names, for callers.

        Raises SettingError for a file that cannot be read, or is no prompt.
        """
        fields: dict[str, dict[str, Any]] = {"settings": self.settings, "callers": self.callers}
        named = self._settings_by_name()
        if given := named.get(PROMPTS):
            fields["settings"] = {**named, PROMPTS: replaced(given)}
        if isinstance(offered := self.callers.get(PROMPTS), list):
            fields["callers"] = {**self.callers, PROMPTS: [replaced(one) for one in offered]}
        return self.model_copy(update=fields)

    def _settings_by_name(self) -> dict[str, Any]:
        return dict(flat(self.settings, Context))

    def _base(self) -> Context:
        try:
            return Context(**self.settings)
        except ValidationError as error:
            raise ValueError(f"settings: {problems(error)[0]}") from None

    def _remote(self) -> Iterator[tuple[str, str]]:
        """Remote models that a run may use, with the field that names them."""
        named_here = self._settings_by_name()
        for name in MODELS:
            offered = self.callers.get(name)
            for where, named in (
                (f"settings.{name}", [named_here.get(name)]),
                (f"callers.{name}", offered if isinstance(offered, list) else []),
            ):
                for value in named:
                    if isinstance(value, str) and (reference := remote_chat_of(value)):
                        yield where, reference

    def apply(self, asked: Context) -> Context:
        """The settings of a run: the operator's, with the caller's permitted choices.

        A value that equals the one in force is always accepted. No file is read and no model is
        called. A preset leaves the settings in ``PROTECTED`` on, unless callers may switch them
        off. Raises SettingError naming the setting, the permitted values and the remedy.
        """
        base = self._base()
        kept = {
            name: True
            for name in PROTECTED
            if value_of(base, name) and not _permits(name, False, self.rule_for(name))
        }
        preset = PRESETS[asked.preset]
        chosen = {}
        for name, value in given_in(asked).items():
            if name != "preset" and name in preset and value == _validated(name, preset[name]):
                continue
            if value != value_of(base, name):
                self._allow(name, value)
            chosen[name] = value
        return Context.model_validate({**kept, **self._settings_by_name(), **chosen})

    def rule_for(self, name: str) -> Rule:
        """What callers may choose of this setting, by its own entry or that of its group."""
        alone = name in (*REACHING, *PROTECTED)
        whole = not alone and self.callers.get(name.partition(".")[0], False)
        return self.callers.get(name, whole)

    def _allow(self, name: str, value: Any) -> None:
        rule = self.rule_for(name)
        if rule is False:
            raise SettingError(
                f"the setting {name!r} may not be chosen by callers on this server: leave it out. "
                f"You may choose: {self.permitted() or 'no setting'}; {_REMEDY}"
            )
        if not _permits(name, value, rule):
            allowed = _described(name, rule)
            raise SettingError(f"the setting {name!r} may be {allowed} on this server; {_REMEDY}")

    def permitted(self) -> str:
        """The settings that callers may choose, in one line."""
        return ", ".join(
            name if rule is True else f"{name} ({_described(name, rule)})"
            for name, rule in self.callers.items()
            if rule is not False
        )


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
        problem = problems(error)[0]
    raise SettingError(
        f"the policy {path} cannot be used ({problem}), so no question is answered; correct it, or "
        "delete it and write the default with: anamnesis policy init"
    )


@lru_cache(maxsize=4)
def _read(text: bytes) -> Policy:
    """Every step reads the policy, which seldom changes."""
    return Policy.model_validate_json(text)


def apply_policy(asked: Context) -> Context:
    """The settings of a run by the policy in force; see ``Policy.apply``.

    Raises SettingError, also if the policy cannot be read; the reason is in the log.
    """
    return _policy_in_force().apply(asked)


def _policy_in_force() -> Policy:
    """The policy. Raises SettingError without its path; the reason is in the log."""
    try:
        return load_policy().with_prompt_texts()
    except SettingError as error:
        _log.error("no question is answered: %s", error)
        raise SettingError(
            "this server cannot read its policy and answers no question; the reason is in its log"
        ) from None


def offered_presets() -> list[str]:
    """The presets that a caller may choose; none if the policy cannot be read."""
    try:
        policy = load_policy()
    except SettingError as error:
        _log.error("no preset is offered: %s", error)
        return []
    rule, preset = policy.callers.get("preset", False), policy.settings.get("preset", "default")
    return [
        name
        for name in PRESETS
        if name == preset or rule is True or (isinstance(rule, list) and name in rule)
    ]


def served_index() -> Location:
    """The index that the server's runs search. Raises SettingError."""
    return index_at(apply_policy(Context()).index)  # type: ignore[call-arg]


def open_settings(context: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run that a caller may see; the others may name an address."""
    policy = _policy_in_force()
    named = flat(context, Context, known_only=True)
    return {name: value for name, value in named if policy.rule_for(name) is not False}


def requested_settings(given: Mapping[str, Any]) -> Context:
    """The settings that a caller sent, before the policy; unknown keys are left out.

    Raises SettingError for an invalid value.
    """
    try:
        return Context.model_validate(dict(flat(given, Context, known_only=True)))
    except ValidationError as error:
        raise SettingError(f"wrong setting: {problems(error)[0]}") from None


def _check_rule(name: str, rule: Rule) -> None:
    """Raises ValueError if the rule does not fit its setting."""
    where = f"callers.{name}"
    if name in groups(Context):
        if not isinstance(rule, bool):
            raise ValueError(f"{where}: a group may be true or false; name one of its settings")
        return
    if name not in fields(Context):
        raise ValueError(f"{where}: there is no such setting")
    if rule is True and name in REACHING:
        raise ValueError(f"{where}: list the values that callers may choose")
    if isinstance(rule, bool):
        return
    for value in rule if isinstance(rule, list) else [rule.minimum, rule.maximum]:
        try:
            _validated(name, value)
        except ValidationError as error:
            raise ValueError(f"{where}: {problems(error)[0]}") from None


def _permits(name: str, value: Any, rule: Rule) -> bool:
    """Whether a rule permits a value of its setting."""
    if isinstance(rule, bool):
        return rule
    if isinstance(rule, Bounds):
        return isinstance(value, int | float) and rule.minimum <= value <= rule.maximum
    return value in [_validated(name, item) for item in rule]


def _validated(name: str, value: Any) -> Any:
    """A setting's value after validation."""
    return value_of(Context.model_validate({name: value}), name)


def _described(name: str, rule: Rule) -> str:
    if name == PROMPTS:  # each may be as long as a page
        return "one of those that the operator lists, word for word"
    return ", ".join(map(repr, rule)) if isinstance(rule, list) else str(rule)
