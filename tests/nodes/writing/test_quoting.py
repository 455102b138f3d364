"""Drafts that quote, and quotations in place of what was withheld."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from graph import Context
from nodes.parts import Parts
from nodes.writing.quoting import quoted_draft, quoted_instead, usable_passages
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import FakeCritic, HashEmbedder, silent
from tests.graph.conftest import ASTHMA, Always, Queue
from tests.nodes.steps import judged, round_of, selected, state_of

SPANS = [[0, 23, 0.9], [24, 64, 0.8], [65, 91, 0.1]]
WRONG = judged("Asthma is cured by honey.", "unsupported", probability=0.1)


def page(key: str, text: str) -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, title=key.title())


def parts_of(index: Index, **more: Any) -> Parts:
    critic = FakeCritic(lambda *_: 0.0)
    given: dict[str, Any] = {"given_critic": critic, "given_reranker": Always(), **more}
    return Parts(given_index=index, **given)


def test_where_self_harm_is_likely_no_maximum_dose_is_used(tmp_path: Path) -> None:
    text = "Adults can take at most eight tablets of paracetamol in 24 hours."
    heading = "How much paracetamol can an adult take (maximum dose)?"
    uses = "Paracetamol is used against pain."
    records = [
        Record("limit", "Paracetamol", text, heading, "Test", "", "Paracetamol"),
        Record("use", "Paracetamol", uses, "What is paracetamol for?", "Test", "", "Paracetamol"),
    ]
    build(records, tmp_path, HashEmbedder(), "doses")
    index = Index.open(tmp_path, HashEmbedder())
    parts = parts_of(index)
    for likely in (False, True):
        state = state_of(
            queries=["how much paracetamol can I take"],
            selected=[selected("limit"), selected("use")],
        )
        state["urgency"] = {**state["urgency"], "crisis": True, "no_doses": likely}
        limit, use = usable_passages(state, Context(), parts)
        assert (limit.text == " " * len(text)) is likely
        assert use.text == uses


def test_sentences_of_relevant_passages_are_quoted_and_others_have_a_reason(
    small_index: Index,
) -> None:
    state = state_of(
        selected=[selected("asthma", sentences=SPANS), selected("gout", 0.01)],
    )
    pages = [page("asthma", ASTHMA), page("gout", "Gout hurts the toe.")]
    made = quoted_draft(state, Context(), parts_of(small_index), pages)
    said = [item["text"] for item in made["draft"]["statements"]]
    assert said
    assert all(text in ASTHMA for text in said)
    assert {item["passage"] for item in made["dropped"]} <= {"asthma#0", "gout#0"}
    assert any(item["passage"] == "gout#0" for item in made["dropped"])
    assert made["draft"]["choice"] is None


def test_an_option_is_chosen_by_the_critic_which_finds_it_in_the_passages(
    small_index: Index,
) -> None:
    critic = FakeCritic(lambda said, _: 0.95 if "inhaled" in said.lower() else 0.01)
    state = state_of(
        queries=["What treats asthma?"], selected=[selected("asthma", sentences=SPANS)],
        keyed_options={"A": "honey", "B": "inhaled medicines"},
    )  # fmt: skip
    parts = parts_of(small_index, given_critic=critic)
    draft = quoted_draft(state, Context(), parts, [page("asthma", ASTHMA)])["draft"]
    assert draft["choice"] == "B"


@pytest.mark.parametrize("on_server", [True, False])
def test_if_the_critic_fails_no_option_is_chosen_and_without_a_server_the_run_ends(
    small_index: Index, on_server: bool
) -> None:
    state = state_of(
        queries=["What treats asthma?"], selected=[selected("asthma", sentences=SPANS)],
        keyed_options={"A": "honey", "B": "inhaled medicines"},
    )  # fmt: skip
    parts = parts_of(small_index, on_server=on_server, given_critic=FakeCritic(silent))
    pages = [page("asthma", ASTHMA)]
    if not on_server:
        with pytest.raises(ModelError):
            quoted_draft(state, Context(), parts, pages)
        return
    [item] = quoted_draft(state, Context(), parts, pages)["draft"]["statements"]
    assert (item["text"], item["citations"]) == ("What treats asthma?", [])


def instead(index: Index, unconfirmed: Any, supported: Any = (), **given: Any) -> Any:
    given = {"given_chat": Queue(messages=iter([])), **given}
    parts = parts_of(index, **given)
    state = state_of(selected=[selected("asthma", sentences=SPANS)])
    best = {0: round_of(*unconfirmed, score=0.0)}
    return quoted_instead(state, best, supported, unconfirmed, Context(), parts)


def test_what_a_chat_model_wrote_is_replaced_by_quotations_if_all_of_it_is_withheld(
    small_index: Index,
) -> None:
    found = instead(small_index, [WRONG])
    assert list(found) == [0]
    assert all(item["verdict"] == "supported" and item["text"] in ASTHMA for item in found[0])


def test_nothing_is_replaced_if_something_is_supported_unchecked_or_quoted_already(
    small_index: Index,
) -> None:
    assert instead(small_index, [WRONG], [judged("Asthma causes wheezing.")]) == {}
    assert instead(small_index, [{**WRONG, "probability": None}]) == {}
    assert instead(small_index, [WRONG], given_chat=None) == {}
    assert instead(small_index, []) == {}
