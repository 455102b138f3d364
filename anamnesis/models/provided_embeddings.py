"""Embedders of LangChain's providers by reference: ``openai:text-embedding-3-small`` [H3].

    openai:text-embedding-3-small           the key is read from the environment, as the provider's
    ollama:nomic-embed-text                 package documents
    openai:mine?base_url=http://host/v1     an OpenAI-compatible server
    cohere:embed-v4.0?window=400            ``window``: the tokens of a passage, 256 if not set

Other options are passed to the provider's class.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.calling import call_with_retries
from anamnesis.models.keys import is_address
from anamnesis.models.langchain_embeddings import LangChainEmbedder
from anamnesis.models.provided import embedding_providers, provided
from anamnesis.models.reference import Reference, positive_int_option

_WINDOW = 256


class ProvidedEmbedder(LangChainEmbedder):
    """A provider's embedder. Calls have a time limit, and are repeated after temporary errors."""

    def __init__(self, reference: Reference) -> None:
        """Raises SettingError for a provider without embedders or an invalid option, ModelError if
        the provider's class cannot be used."""
        packages = embedding_providers()
        if reference.scheme not in packages:
            raise SettingError(
                f"embedder {str(reference)!r}: LangChain has no embedders of "
                f"{reference.scheme!r}; it has those of {', '.join(sorted(packages))}"
            )
        super().__init__(
            _load_provided(reference), positive_int_option(reference, "window") or _WINDOW
        )
        self.reference = str(reference)
        # Not the address: an index stays valid if the server moves.
        options = {
            name: text
            for name, text in reference.options.items()
            if name != "window" and not is_address(name, text)
        }
        self.identity = str(replace(reference, options=options))

    def _call(self, method: str, argument: Any) -> Any:
        try:
            return call_with_retries(self, self.reference, lambda: self._ask(method, argument))
        except ModelError:
            raise
        except Exception as error:
            # A provider's message may contain a key or the text; only the cause has it.
            raise ModelError(
                f"embedder {self.reference!r} did not answer ({type(error).__name__}); make sure "
                "that it can be reached, and that its key is set"
            ) from error


def _load_provided(reference: Reference) -> Any:
    from langchain.embeddings import init_embeddings

    options = {name: text for name, text in reference.options.items() if name != "window"}
    # The texts themselves are sent. To count tokens the class would download a tokenizer, and send
    # numbers, which other servers with this API do not take.
    plain = {"check_embedding_ctx_length": False} if "openai" in reference.scheme else {}
    return provided(
        "embedder",
        replace(reference, options=options),
        embedding_providers()[reference.scheme],
        partial(init_embeddings, provider=reference.scheme),
        **{name: value for name, value in plain.items() if name not in options},
    )
