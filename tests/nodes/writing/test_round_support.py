"""What the rounds support: what may be shown, the score, and what is searched for next."""

from nodes.settings.context import Context
from nodes.writing.round_support import queries_of_next_round, round_support, unchecked_round
from tests.nodes.steps import drafted, judged, round_of, state_of

GOOD, WRONG = "Asthma narrows the airways.", "Asthma is caused by a virus."
OTHER_KIND = judged(WRONG, "unsupported", failed=[{"code": "kind", "found": "type 1"}])


def test_the_score_leaves_out_answers_to_another_question() -> None:
    state = state_of(rounds=[round_of(judged(GOOD), OTHER_KIND, score=1.0)])
    found = round_support(state, Context.model_validate({}))
    assert [item["text"] for item in found.shown] == [GOOD]
    assert [item["text"] for item in found.unsupported] == [WRONG]
    assert found.score == 1.0


def test_of_several_questions_the_lowest_score_counts() -> None:
    items = [judged(GOOD, part=1), judged(GOOD, part=2), judged(WRONG, "unsupported", part=2)]
    questions = [{"question": "What is asthma?", "query": "What is asthma?"}] * 2
    state = state_of(sub_questions=questions, rounds=[round_of(*items, score=0.67)])
    assert round_support(state, Context.model_validate({})).score == 0.5


def test_a_streamed_statement_of_an_earlier_round_is_not_unsupported() -> None:
    rounds = [
        round_of(judged(GOOD), score=1.0),
        round_of(judged(GOOD, "unsupported"), judged(WRONG, "unsupported"), score=0.0),
    ]
    streams = Context.model_validate({"generator.stream_statements": True})
    state = state_of(rounds=rounds)
    assert [item["text"] for item in round_support(state, streams).unsupported] == [WRONG]
    assert len(round_support(state, Context.model_validate({})).unsupported) == 2


def test_an_answer_to_another_question_is_not_searched_for() -> None:
    unsupported = judged(WRONG, "unsupported")
    state = state_of(rounds=[round_of(unsupported, score=0.0)])
    assert queries_of_next_round(state, 0.8)["0"]["claims"] == [WRONG]
    assert not queries_of_next_round(state_of(rounds=[round_of(OTHER_KIND, score=0.0)]), 0.8)


def test_only_streamed_statements_keep_their_verdicts() -> None:
    state = state_of(draft=drafted(GOOD, WRONG))
    for streams, verdict in ((True, "supported"), (False, "unchecked")):
        context = Context.model_validate({"generator.stream_statements": streams})
        result = unchecked_round(state, [judged(GOOD)], context)
        assert [item["verdict"] for item in result["statements"]] == [verdict, "unchecked"]
        assert result["score"] == 0.0
