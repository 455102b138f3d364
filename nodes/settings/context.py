"""The settings of one run, in groups.

A preset fills in the settings that the caller left out. Unknown names are refused.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from langgraph.runtime import Runtime
from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from anamnesis import SettingError
from anamnesis.address import is_address
from anamnesis.documented import Documented
from anamnesis.errors import problems
from anamnesis.paths import INDEX
from nodes.fields.options import is_yes_no
from nodes.settings.generator import GeneratorSettings
from nodes.settings.help_lines import countries
from nodes.settings.loop import LoopSettings
from nodes.settings.memory import MemorySettings
from nodes.settings.names import description, fields, flat, given_in, nested
from nodes.settings.presets import PRESETS
from nodes.settings.question import QuestionSettings
from nodes.settings.references import KeyOf
from nodes.settings.retrieval import RetrievalSettings
from nodes.settings.triage import TriageSettings
from nodes.settings.verification import VerificationSettings


def _with_names(schema: dict[str, Any]) -> None:
    # LangGraph's server silently drops keys that are not properties of the schema.
    properties = schema["properties"]
    for name, field in fields(Context).items():
        properties.setdefault(name, {"description": description(field)})


def _known(name: str) -> str:
    if name not in PRESETS:
        raise SettingError(f"there is no preset {name!r}; choose one of {', '.join(PRESETS)}")
    return name


Preset = Annotated[str, AfterValidator(_known), KeyOf(PRESETS)]
"""The name of a preset: a key of ``PRESETS``, to which a program can add its own."""


class Context(Documented):
    """Settings of one run; codes in brackets name features of the published systems.

    Given nested, ``Context(verification={"min_probability": 0.6})``, or by name,
    ``Context.model_validate({"verification.min_probability": 0.6})``. If a setting is given both
    nested and by name, the value given by name counts.
    """

    model_config = ConfigDict(json_schema_extra=_with_names, hide_input_in_errors=True)

    preset: Preset = "default"
    """Settings to start from."""
    index: str | None = None
    """Folder of the index. Default: the folder or the server that the operator's `ANAMNESIS_INDEX`
    names, otherwise `index` in the data folder."""
    user: str | None = None
    """User whose memories are recalled and stored. The identity of an authenticated user overrides
    it."""
    audience: dict[str, str] = Field({})
    """The user's department, location and so on. An expert's note that has an audience is recalled
    only for users with the same values for all of its attributes. For an authenticated user, only
    the values from the authentication count [M9]."""
    question: QuestionSettings = Field(QuestionSettings.model_validate({}))
    """How a message is read."""
    retrieval: RetrievalSettings = Field(RetrievalSettings.model_validate({}))
    """What is searched, and how."""
    generator: GeneratorSettings = Field(GeneratorSettings.model_validate({}))
    """What writes the answer, and from what."""
    verification: VerificationSettings = Field(VerificationSettings.model_validate({}))
    """What checks statements and options, and how strictly."""
    loop: LoopSettings = Field(LoopSettings.model_validate({}))
    """When another round follows."""
    memory: MemorySettings = Field(MemorySettings.model_validate({}))
    """What is recalled and stored about a user."""
    triage: TriageSettings = Field(TriageSettings.model_validate({}))
    """How urgent messages are found and answered."""

    @field_validator("index")
    @classmethod
    def _is_a_folder(cls, index: str | None) -> str | None:
        # A run's settings are recorded, and an address may hold a password.
        if index is not None and is_address(index):
            raise SettingError(
                "a run may name a folder, but not the address of a server: that is the operator's "
                f"setting, {INDEX}, or in Python build_graph(index=…)"
            )
        return index

    @field_validator("triage")
    @classmethod
    def _has_a_country(cls, triage: TriageSettings) -> TriageSettings:
        country = triage.country and triage.country.upper()
        if country is None or country == triage.country in countries():
            return triage
        if country not in countries():
            raise SettingError(
                f"no emergency numbers for country {triage.country!r}; known are: "
                f"{', '.join(countries())}"
            )
        return triage.model_copy(update={"country": country})

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        named = dict(flat(given, cls))
        return nested({**PRESETS.get(str(named.get("preset")), {}), **named})

    def changed(self, given: Mapping[str, Any]) -> "Context":
        """A copy of these settings with some of them, nested or by name, replaced."""
        return Context.model_validate({**given_in(self), **dict(flat(given, Context))})


def context_from(given: Mapping[str, Any]) -> Context:
    """The settings in a dict. Raises SettingError, which names every wrong one."""
    try:
        return Context(**given)
    except ValidationError as error:
        raise SettingError(f"wrong setting: {'; '.join(problems(error))}") from error


def own_context(given: object, defaults: Context | None = None) -> Context:
    """The settings of a run, from whatever context the graph was called with.

    Of a parent graph's context only the entry or attribute ``anamnesis`` is used, a ``Context`` or
    a dict; without it, ``defaults`` are used. So a setting of another program, such as a field
    ``user``, is not mistaken for one of these.
    """
    if isinstance(given, Context):
        return given
    if isinstance(given, str | bytes | int | float | list | tuple):
        raise SettingError(f"context is {type(given).__name__}; give Context(…) or a dict")
    named = given.get("anamnesis") if isinstance(given, dict) else getattr(given, "anamnesis", None)
    if isinstance(named, Context):
        return named
    if isinstance(named, dict):
        return context_from(named)
    if named is not None:
        raise SettingError(
            f"the context's 'anamnesis' is {type(named).__name__}; give Context(…) or a dict"
        )
    return defaults or Context()  # type: ignore[call-arg]


def settings(runtime: Runtime[Any]) -> Context:
    """The run's settings; the defaults if the caller passed none. See ``own_context``."""
    return own_context(runtime.context)


def unweighed(options: Mapping[str, str], context: Context) -> bool:
    """Whether one of these options is chosen without verification [K4]; never for yes and no."""
    return context.verification.always_choose and bool(options) and not is_yes_no(options)


def owner(runtime: Runtime[Any]) -> str | None:
    """The user: the authenticated identity if there is one, otherwise the context's ``user``."""
    server = runtime.server_info
    if server is not None and server.user is not None:
        return str(server.user.identity)
    return settings(runtime).user


def audience(runtime: Runtime[Any]) -> dict[str, str]:
    """The attributes that decide which expert memories the user may see [M9].

    The text attributes of the authenticated user if there is one, otherwise those of the context.
    """
    server = runtime.server_info
    if server is None or server.user is None:
        return settings(runtime).audience
    user = server.user
    return {str(name): user[name] for name in user if isinstance(user[name], str)}
