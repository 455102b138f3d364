"""Which edge is taken, and why: pure decisions, no model and no I/O."""

from typing import Literal

from anamnesis import SettingError
from nodes.fields.codes import Reason
from nodes.question.triage import needs_immediate_answer
from nodes.settings.loop import LoopSettings
from nodes.state import Route, State, Urgency
from nodes.writing.round_support import RoundSupport

NEXT = ("retrieve", "generate", "rewrite", "fallback", "remember")
"""The steps that a step can choose as the next one."""


def after_screen(state: State) -> Literal["fallback", "recall", "retrieve"] | list[str]:
    """An emergency goes to the fallback; otherwise memories and documents are searched."""
    return "fallback" if chosen_edge(state) == "fallback" else ["recall", "retrieve"]


def chosen_edge(state: State) -> str:
    """The edge that the previous step chose. Raises SettingError if it chose none.

    A step always chooses one, but a state that a caller writes may lack it.
    """
    route = state.get("route")
    if not isinstance(route, dict) or route.get("to") not in NEXT:
        raise SettingError(
            'the state that was written has no route, and the next step is not known; add "route": '
            f'{{"to": "…", "why": "…"}} with one of {", ".join(NEXT)}, or write as_node of a '
            "step that chooses none"
        )
    return route["to"]


def route_after_screen(urgent: Urgency, asks_nothing: bool) -> tuple[Reason | None, Route]:
    """Answer at once in an emergency, or if the message asks nothing; otherwise search."""
    if needs_immediate_answer(urgent):
        why = f"{urgent['kind']} emergency: {urgent['why']}"
        return "emergency", {"to": "fallback", "why": why}
    if asks_nothing:
        return "nothing_asked", {"to": "fallback", "why": "the message asks nothing"}
    return None, {"to": "retrieve", "why": f"{urgent['level']}: {urgent['why']}"}


def after_rerank(
    best: float | None, threshold: float, *, new_passage: bool, remembered: bool
) -> tuple[Reason | None, Route]:
    """Generate if the best passage's relevance reaches ``threshold``; otherwise fall back [H5].

    ``remembered``: the user's stored words answer the question, and no documents are needed.

    A round without a ``new_passage``, which no earlier round had, is the last one; the results of
    earlier rounds are then used.
    """
    if remembered:
        return "remembered", {"to": "fallback", "why": "the user's own words answer the question"}
    if not new_passage:
        return None, {"to": "fallback", "why": "the search found no new passage"}
    if best is None:
        return "no_evidence", {"to": "fallback", "why": "no passage was found"}
    if best < threshold:
        why = f"the best relevance {best:.2f} is below {threshold:.2f}"
        return "weak_evidence", {"to": "fallback", "why": why}
    return None, {"to": "generate", "why": f"the best relevance {best:.2f} reaches {threshold:.2f}"}


def route_after_verify(
    state: State, support: RoundSupport, loop: LoopSettings, *, checked: bool, time_is_up: bool
) -> tuple[Reason, Route]:
    """The next step after the last of the state's rounds, with this support (``after_verify``).

    ``checked`` is whether a critic is set, ``time_is_up`` whether the run must end.
    """
    found = bool(support.shown) or not support.unsupported or checked
    reason, route = after_verify(
        found=state["draft"]["found"] and found,
        checked=checked,
        undecided=bool(state["keyed_options"]) and state["rounds"][-1]["choice"] is None,
        score=support.score,
        threshold=loop.min_supported_share,
        rounds=len(state["rounds"]),
        max_rounds=0 if time_is_up else loop.max_rounds,
        # With history "rounds" the same query may be asked again.
        new_query=bool(support.queries) or loop.history == "rounds",
    )
    if reason == "supported" and support.unsupported:
        return "some_unsupported", route
    return reason, route


def after_verify(
    *,
    found: bool,
    checked: bool,
    undecided: bool,
    score: float,
    threshold: float,
    rounds: int,
    max_rounds: int,
    new_query: bool,
) -> tuple[Reason, Route]:
    """Give the answer, search again, or fall back [S1, S7].

    ``undecided`` is whether no option of a multiple choice question was confirmed, ``score`` the
    share of supported statements, ``threshold`` θ, ``rounds`` the number of rounds so far,
    ``new_query`` whether the next query has not been searched yet. ``max_rounds`` is 0 if the time
    of the run is up.
    """
    if not found:
        return "not_found", {"to": "fallback", "why": "the generator found no answer"}
    if not checked:
        if undecided:
            return "undecided", {"to": "fallback", "why": "no option was chosen"}
        return "unchecked", {"to": "remember", "why": "no critic is set"}
    reason: Reason = "some_unsupported" if score > 0 else "unsupported"
    share = f"{score:.2f} of the statements are supported"
    if undecided:
        reason, share = "undecided", "no option is confirmed"
    elif score >= threshold and score > 0:
        reason = "supported" if score == 1 else "some_unsupported"
        return reason, {"to": "remember", "why": f"{share}, θ is {threshold:.2f}"}
    if rounds >= max_rounds:
        end = f"no round of {max_rounds} is left" if max_rounds else "the time of the run is up"
        return reason, {"to": "fallback", "why": f"{share}, and {end}"}
    if not new_query:
        why = f"{share}, and the next query would be the same as an earlier one"
        return reason, {"to": "fallback", "why": why}
    why = share if undecided else f"{share}, below θ {threshold:.2f}"
    return reason, {"to": "rewrite", "why": why}
