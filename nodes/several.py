"""Several questions in one message: which they are, and the state as each of them sees it."""

from collections.abc import Callable, Iterator, Sequence

from models.asking import Asking, pieces
from nodes.evidence import Ask
from nodes.followup import stand_alone, topic_of
from nodes.state import Draft, State, Statement

ASKS = 0.7
"""Least probability of a sentence that asks. Of messages kept aside that have at most one question
mark, 2 % are taken apart (`python -m benchmarks.several --data DIR`), some of them rightly."""
SAME = 0.7
"""Least cosine of two questions that are one, such as a subject line and what repeats it."""
MOST = 5
"""Most questions of a message, of which each costs a search and its readings: the last one takes
what is left."""


def questions(message: str, asking: Callable[[Sequence[str]], Asking]) -> list[Ask]:
    """The questions of a message that has several, in their order; none of any other message.

    Each is searched for and read as the message without the others: what it tells says what they
    are about. Where it tells nothing, the question before does.
    """
    found = list(pieces(message))
    if len(found) < 2:
        return []
    known = asking(found)
    groups: list[list[int]] = []
    asked = [at for at, chance in enumerate(known.chances) if chance >= ASKS]
    for place in asked[1:] if asked[:1] == [0] and _has_subject(message) else asked:
        alike = (own for own in groups if known.vectors[place] @ known.vectors[own[0]] >= SAME)
        same = next(alike, None)
        if same is None:
            groups.append([place])
        else:
            same.append(place)
    if len(groups) < 2:
        return []
    names = [max((found[place] for place in own), key=len) for own in groups]
    if len(groups) > MOST:
        groups = [*groups[: MOST - 1], [place for own in groups[MOST - 1 :] for place in own]]
        names = [*names[: MOST - 1], " ".join(names[MOST - 1 :])]
    asks: list[Ask] = []
    for name, group in zip(names, groups, strict=True):
        others = {place for own in groups if own is not group for place in own}
        query = " ".join(own for place, own in enumerate(found) if place not in others)
        if asks:
            before = asks[-1]["query"]
            query = stand_alone(query, before, topic_of(before, []))
        asks.append({"question": name, "query": query})
    return asks


def _has_subject(message: str) -> bool:
    """Whether the first line is a subject: it names the topic, and the message asks."""
    first, _, rest = message.strip().partition("\n")
    return bool(rest) and first.rstrip()[-1:] not in ".?!…"


def each(state: State) -> Iterator[tuple[int, State]]:
    """The number of each question (from 1), and the state as it sees it.

    Of a question are its queries, and the hits and passages that were found for it. A message with
    one question has the number 0 and the state as it is.
    """
    if not state.get("asks"):
        yield 0, state
        return
    whole = state["queries"][0]
    for number, ask in enumerate(state["asks"], 1):
        yield (
            number,
            {
                **state,
                # What a later round adds to the query stands behind it.
                "queries": [
                    own.replace(whole, ask["query"], 1) if whole in own else f"{ask['query']} {own}"
                    for own in state["queries"]
                ],
                "hits": [own for own in state["hits"] if own.get("part") == number],
                "read": [own for own in state["read"] if own.get("part") == number],
                "selected": [own for own in state["selected"] if own.get("part") == number],
            },
        )


def joined(drafts: Sequence[tuple[int, Draft]]) -> Draft:
    """The drafts for the questions as one; each statement says which question it is for."""
    number, first = drafts[0]
    if not number:
        return first
    prompts = [own["prompt"] for _, own in drafts if own["prompt"]]
    whole = dict(prompts[0]) if prompts else {}
    for name in ("tokens", "documents", "memories", "left_out"):
        for prompt in prompts[1:]:
            whole[name] += prompt[name]
    return {
        **first,
        "statements": [{**own, "part": n} for n, each in drafts for own in each["statements"]],
        "found": any(own["found"] for _, own in drafts),
        "prompt": whole,
        "problem": next((own["problem"] for _, own in drafts if own["problem"]), None),
    }


def unanswered(state: State, statements: Sequence[Statement]) -> list[int]:
    """The numbers of the questions that none of the statements is for."""
    there = {item.get("part") for item in statements}
    return [number for number, _ in enumerate(state.get("asks") or [], 1) if number not in there]
