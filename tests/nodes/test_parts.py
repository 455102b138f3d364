"""The parts of a run: given objects come before those that the settings name."""

from copy import copy
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis import ModelError, UnansweredError
from anamnesis.models.cascade import Cascade
from graph import Context
from nodes.parts import EXTRACTIVE, Parts
from retrievers.filter import Filter
from retrievers.index import Index
from retrievers.retriever_corpus import RetrieverCorpus
from tests.fakes import FakeCritic, NoReranker, silent

CRITIC, READER = FakeCritic(silent), NoReranker()


def with_settings(**settings: Any) -> Context:
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return Context.model_validate(named)


NO_MODEL = with_settings(generator__model="./no-such-model.gguf")


def test_given_objects_replace_what_the_settings_name(small_index: Index) -> None:
    parts = Parts(
        given_index=small_index, given_chat=object(), given_critic=CRITIC, given_reranker=READER  # type: ignore[arg-type]
    )  # fmt: skip
    assert parts.index(Context()) is small_index
    assert parts.chat(NO_MODEL) is parts.given_chat
    assert parts.critic(Context()) is not None
    assert parts.critic(Context()).name == CRITIC.name  # type: ignore[union-attr]
    assert parts.chooser(Context()).name == CRITIC.name
    assert parts.reader(Context()) is READER


def test_without_a_model_the_documents_are_quoted() -> None:
    assert Parts().chat(Context()) is None
    assert Parts().window(Context()) is None
    assert Parts().generator_name(Context()) == EXTRACTIVE


def unavailable(*_: Any, **__: Any) -> Any:
    raise ModelError("not there")


def test_a_model_that_cannot_be_loaded_ends_a_run_but_for_one_on_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nodes.parts.chats.load_chat", unavailable)
    with pytest.raises(ModelError, match="not there"):
        Parts().chat(NO_MODEL)
    assert Parts(on_server=True).chat(NO_MODEL) is None


def test_statements_may_stay_unchecked_but_options_are_always_compared() -> None:
    unchecked = with_settings(verification__critic=None)
    parts = Parts(given_critic=CRITIC)
    assert parts.critic(unchecked) is None
    assert parts.chooser(unchecked).name == CRITIC.name


def test_a_critic_that_cannot_be_loaded_judges_nothing_on_a_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("nodes.parts.load_critic", unavailable)
    with pytest.raises(ModelError, match="not there"):
        Parts().critic(Context())
    found = Parts(on_server=True).critic(Context())
    assert found is not None
    assert found.judge([], []) == []
    with pytest.raises(ModelError, match="not there"):
        found.judge(["Gout hurts."], [["Gout hurts."]])
    assert "the critic cannot be used: not there" in caplog.text
    unchecked = with_settings(verification__critic=None)
    with pytest.raises(ModelError, match="not there"):
        Parts().chooser(unchecked)
    assert Parts(on_server=True).chooser(unchecked).judge([], []) == []


def test_a_second_critic_is_asked_where_the_first_is_unsure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nodes.parts.load_critic", unavailable)
    both = with_settings(verification__second_critic="./no-such-critic")
    assert isinstance(Parts(given_critic=CRITIC, on_server=True).critic(both), Cascade)
    with pytest.raises(ModelError, match="not there"):
        Parts(given_critic=CRITIC).critic(both)


@pytest.mark.parametrize(
    ("on_server", "error", "goes_on"),
    [
        (False, ModelError("x"), False),
        (False, UnansweredError("x"), True),
        (True, ModelError("x"), True),
    ],
)
def test_a_run_goes_on_after_a_service_failed_and_on_a_server_after_any_failure(
    on_server: bool, error: ModelError, goes_on: bool
) -> None:
    assert Parts(on_server=on_server).continues_after(error) is goes_on


def test_the_place_of_an_index_is_the_same_for_the_same_index_and_reveals_no_path() -> None:
    one = Parts().place(with_settings(index="/secret/one"))
    assert one == Parts().place(with_settings(index="/secret/one"))
    assert one != Parts().place(with_settings(index="/secret/two"))
    assert len(one) == 12
    assert int(one, 16) >= 0


def test_the_place_of_a_given_index_is_that_of_the_index(
    small_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Parts(given_index=small_index).place(Context())
    other = copy(small_index)
    other.folder = Path("another")
    assert Parts(given_index=other).place(Context()) != one
    assert Parts().place(with_settings(index=str(small_index.folder))) == one
    assert Parts(given_location=small_index.folder).place(Context()) == one
    retriever = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    assert Parts(given_index=RetrieverCorpus(retriever, small_index)).place(Context()) == one
    alone = Parts(given_index=RetrieverCorpus(retriever))
    assert alone.place(Context()) not in {one, Parts(given_index=other).place(Context())}
    monkeypatch.chdir(small_index.folder.parent)
    there = Path(small_index.folder.name)
    assert Parts(given_location=there).place(Context()) == one
    other.folder = there
    assert Parts(given_index=other).place(Context()) == one


def test_passages_come_in_the_order_of_their_ids(small_index: Index) -> None:
    parts = Parts(given_index=small_index)
    ids = ["measles#0", "asthma#0"]
    assert [item.id for item in parts.passages(ids, Context())] == ids
    assert list(parts.find([*ids, "none#0"], Context())) == ids
    assert parts.passages([], Context()) == []


def test_a_limited_run_finds_only_what_it_may_use(small_index: Index) -> None:
    whole = Parts(given_index=small_index)
    limited = Parts(given_index=small_index, limits=Filter(sources=("nobody",)))
    assert not whole.restricted(Context())
    assert limited.restricted(Context())
    assert whole.find(["asthma#0"], Context())
    assert limited.find(["asthma#0"], Context()) == {}
    assert limited.index(Context()) is limited.index(Context())
