"""The models and the index that the nodes use, by reference or passed as objects.

Nodes request a model or the index with the run's settings. A reference is loaded once per process;
an object that was passed to ``build_graph`` replaces the one that the settings name. (The ``part``
of a statement or a hit is something else: the number of the question that it belongs to.)
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from anamnesis import ModelError, SettingError, UnansweredError
from anamnesis.address import Location
from anamnesis.corpus.passage import Passage
from anamnesis.language.text import digest
from anamnesis.memory.opening import open_memories
from anamnesis.memory.questions import Questions
from anamnesis.memory.store import Memories
from anamnesis.models import chat as chats
from anamnesis.models.caching import of_run
from anamnesis.models.cascade import Cascade
from anamnesis.models.chat import display_name, name_of, stated_window
from anamnesis.models.critic import (
    DEFAULT_CRITIC,
    Critic,
    UnansweredCritic,
    critic_name,
    load_critic,
)
from anamnesis.models.embedding import Embedder
from anamnesis.models.given_critic import GivenCritic
from anamnesis.models.reading import Triage
from anamnesis.models.reference import SERVED, parse
from anamnesis.models.reranker import DEFAULT_RERANKER, Reranker, load_reranker, load_triage
from anamnesis.models.window_critic import by_windows
from anamnesis.models.wrapped import Chat
from anamnesis.paths import default_memory, index_at
from nodes.settings.context import Context
from retrievers.corpus import Corpus, all_of, for_run, place_of
from retrievers.fetched import Fetched
from retrievers.filter import Filter, filtered
from retrievers.opening import open_corpus
from retrievers.retriever_corpus import RetrieverCorpus

EXTRACTIVE = "extractive"
TriageModel = Callable[[str], Triage]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Parts:
    """Objects that replace what the settings name; all optional."""

    given_index: Corpus | None = None
    given_chat: Chat | None = None
    given_critic: Critic | None = None
    given_reranker: Reranker | None = None
    given_memories: Memories | None = None
    given_triage: TriageModel | None = None
    on_server: bool = False
    """Whether runs are other users' (on a server): they get an answer even if a model cannot be
    loaded.
    """
    given_embedder: Embedder | None = None
    limits: Filter | None = None
    """The part of the index that may be used in this run; None: all of it."""
    fetched: Fetched = field(default_factory=Fetched, compare=False)
    """The passages that this run has fetched."""
    given_location: Location | None = None
    """The folder or the address of an index, in place of the one that the settings name."""
    given_retriever: RetrieverCorpus | None = None
    """A retriever whose list is fused with those of the index at ``given_location``."""
    _filtered: dict[int, Corpus] = field(init=False, default_factory=dict, compare=False)

    @property
    def only_found(self) -> bool:
        """Whether some documents may be known only to the process that has found them."""
        return self.given_retriever is not None or isinstance(self.given_index, RetrieverCorpus)

    def index(self, context: Context) -> Corpus:
        """The index to search. Raises ``IndexFolderError`` if there is none to open."""
        return self._visible_part(self._unfiltered_index(context))

    def _unfiltered_index(self, context: Context) -> Corpus:
        if (given := self.given_index) is not None:
            return self.fetched.opened(id(given), lambda: for_run(given))
        where = self.given_location or index_at(context.index)

        def opened() -> Corpus:
            corpus = open_corpus(where, self.given_embedder)
            documents = self.given_retriever
            return corpus if documents is None else for_run(documents.with_index(corpus))

        # A parent graph may run several graphs, each with objects of its own.
        key = where, id(self.given_embedder), id(self.given_retriever)
        return self.fetched.opened(key, opened)

    def _visible_part(self, whole: Corpus) -> Corpus:
        if self.limits is None:
            return whole
        # The corpus object caches the data that are computed from it.
        return self._filtered.setdefault(id(whole), filtered(whole, self.limits))

    def restricted(self, context: Context) -> bool:
        """Whether the run may not use every passage of the index."""
        whole = self._unfiltered_index(context)
        return self._visible_part(whole) is not whole

    def place(self, context: Context) -> str:
        """A hash that identifies where the index is, whatever its content; it reveals no path."""
        where = self.given_location or index_at(context.index)
        named = str(where.absolute() if isinstance(where, Path) else where)
        return digest(named if self.given_index is None else place_of(self.given_index))[:12]

    def find(self, ids: Sequence[str], context: Context) -> dict[str, Passage]:
        """The passages that the index has, by id; each is fetched once per run."""
        whole = self._unfiltered_index(context)
        return self.fetched.find(ids, whole, self.limits, self._visible_part(whole))

    def passages(self, ids: Sequence[str], context: Context) -> list[Passage]:
        """The passages in the order of ``ids``. Raises SettingError if one is no longer there."""
        return all_of(ids, self.find(ids, context)) if ids else []

    def chat(self, context: Context) -> Chat | None:
        """The chat model, or None if the generator quotes the evidence.

        If it cannot be loaded, raises ``ModelError``, or returns None on a server (``on_server``).
        """
        if self.given_chat is not None:
            return self.given_chat
        if context.generator.model == EXTRACTIVE:
            return None
        try:
            return chats.load_chat(
                context.generator.model,
                temperature=context.generator.temperature,
                max_tokens=context.generator.max_tokens,
                seed=context.generator.seed,
            )
        except (ModelError, SettingError) as error:
            if not self.on_server:
                raise
            _log.error("the generator cannot be used: %s", error)
            return None

    def window(self, context: Context) -> int | None:
        """The chat model's context window in tokens; None without a model, or if it states none.

        Raises as ``chat`` does.
        """
        chat = self.chat(context)
        return None if chat is None else stated_window(chat)

    def generator_name(self, context: Context) -> str:
        """The name of the generator for the answer: the reference, or the class of a given model.

        Options of the reference are left out, because they may name a private address.
        """
        if self.given_chat is None and context.generator.model == EXTRACTIVE:
            return EXTRACTIVE
        given = self.given_chat
        return display_name(parse(context.generator.model)) if given is None else name_of(given)

    def critic(self, context: Context) -> Critic | None:
        """The critic, or None if the settings leave statements unchecked.

        If there is a ``second_critic``, both are combined. Raises ``ModelError`` if a critic cannot
        be loaded. On a server (``on_server``) this is no error: without the first critic statements
        stay unchecked; without the second one the first judges alone, and ``checked_by`` says so.
        """
        if context.verification.critic is None:
            return None
        published = context.verification.verdicts == "entailment"
        if self.given_critic is None:
            first = _cached_critic(context.verification.critic, published, self.on_server)
        else:
            given = self.given_critic
            first = GivenCritic(by_windows(given) if published else given)
        if context.verification.second_critic is None:
            return first
        second = partial(_cached_critic, context.verification.second_critic, published)
        if not self.on_server:
            second()  # a critic that cannot be loaded is reported at once, not at its first use
        return Cascade(
            first,
            second,
            critic_name(context.verification.second_critic),
            unsure_from=context.verification.unsure_from,
            unsure_until=context.verification.unsure_until,
        )

    def continues_after(self, error: ModelError) -> bool:
        """Whether a run continues, with statements unchecked, after a critic failed with an error.

        On a server it always does; otherwise only if the critic is a service that did not answer.
        """
        return self.on_server or isinstance(error, UnansweredError)

    def chooser(self, context: Context) -> Critic:
        """The critic that judges the options of a question if passages are quoted.

        If the settings leave statements unchecked, this is the default critic: without one nothing
        could be chosen [K5].
        """
        if (critic := self.critic(context)) is not None:
            return critic
        if self.given_critic is not None:
            return GivenCritic(self.given_critic)
        return _loaded_critic(DEFAULT_CRITIC, self.on_server)

    def reader(self, context: Context) -> Reranker:
        """The reader of passages for a question.

        The reranker of the settings; if these keep the fused order, the default one still decides
        whether a passage answers.
        """
        return self.given_reranker or load_reranker(context.retrieval.reranker or DEFAULT_RERANKER)

    def triage(self, context: Context) -> TriageModel | None:
        """The model that classifies the urgency of a message; None if patterns alone do."""
        return self.given_triage or load_triage(context.triage.classifier)

    def memories(self) -> Memories:
        """The store of users' memories, in the data folder.

        Their vectors are on the Chroma server that ``ANAMNESIS_MEMORY_SERVER`` names, if it is set.
        This is a setting of the installation that no caller of the graph can change.
        """
        return self.given_memories or open_memories()

    def questions(self) -> Questions:
        """The questions that wait for an expert, in the folder of the memories."""
        return Questions(self.memory_folder())

    def memory_folder(self) -> Path:
        """The folder of users' memories."""
        return default_memory() if self.given_memories is None else self.given_memories.folder


def _loaded_critic(reference: str, on_server: bool) -> Critic:
    """The critic that a reference names.

    If it cannot be loaded, the error is raised; but if it is a service that did not answer, or
    ``on_server``, a critic is returned that judges nothing.
    """
    try:
        return load_critic(reference)
    except ModelError as error:
        if not on_server and not isinstance(error, UnansweredError):
            raise
        _log.error("the critic cannot be used: %s", error)
        return UnansweredCritic(reference, error)


def _cached_critic(reference: str, published: bool, on_server: bool = False) -> Critic:
    """The same as ``_loaded_critic``; judgements are cached together with the replies."""
    loaded, cache = _loaded_critic(reference, on_server), of_run()
    if isinstance(loaded, UnansweredCritic):
        return loaded
    loaded = by_windows(loaded) if published else loaded
    # Replies of a chat model are cached unchanged. A server may change its model without notice.
    served = parse(reference).scheme in SERVED
    if cache is None or loaded.method != "entailment" or served:
        return loaded
    from anamnesis.models.cached_critic import CachedCritic, identity_of

    identity = identity_of(reference)
    return CachedCritic(loaded, f"{identity} windows" if published else identity, cache)
