"""The project's reader, as it is shipped."""

import pytest

from anamnesis.corpus.topics import is_held_out_message
from anamnesis.errors import SettingError
from anamnesis.models.reader import QUESTION, OwnReader
from anamnesis.models.reading import POLAR_OUTPUTS, URGENCY_KINDS, URGENCY_LEVELS
from anamnesis.models.reference import parse
from nodes.question.triage import EMERGENCY

GOUT = ("How is gout treated?", "Gout is treated with colchicine. Gout is a kind of arthritis.")
ASTHMA = ("What is asthma?", "Asthma is a disease of the airways.")


def test_a_passage_that_answers_and_its_sentence_come_first(reader: OwnReader) -> None:
    answers, other = reader.read("what do they give people for gout", [GOUT, ASTHMA])
    assert answers.relevance > 0.3 > 0.1 > other.relevance
    assert answers.sentences[0][2] > answers.sentences[1][2]
    assert [GOUT[1][start:end] for start, end, _ in answers.sentences] == [
        "Gout is treated with colchicine.",
        "Gout is a kind of arthritis.",
    ]
    assert tuple(answers.polar) == POLAR_OUTPUTS
    assert sum(answers.polar.values()) == pytest.approx(1, abs=0.01)


def test_the_score_is_the_relevance_whatever_else_is_read(reader: OwnReader) -> None:
    alone = [reader.read("gout?", [pair])[0].relevance for pair in (GOUT, ASTHMA)]
    assert reader.score("gout?", [GOUT, ASTHMA]) == alone


def test_nothing_to_read_and_a_passage_without_a_sentence(reader: OwnReader) -> None:
    assert reader.read("gout?", []) == []
    [empty] = reader.read("gout?", [("", "")])
    assert empty.sentences == ()
    assert 0 <= empty.relevance <= 1


def test_a_passage_beyond_the_window_is_read_to_its_end(reader: OwnReader) -> None:
    filler = "The weather was fine on that day in the town by the sea. " * 60
    [found] = reader.read("How is gout treated?", [("", f"{filler}{GOUT[1]}")])
    assert len(found.sentences) == 62
    best = max(found.sentences, key=lambda row: row[2])
    assert f"{filler}{GOUT[1]}"[int(best[0]) : int(best[1])].startswith("Gout")


def test_of_a_long_question_beginning_and_end_are_read(reader: OwnReader) -> None:
    filler = " and so on" * QUESTION
    ends = (("gout?", ""), ("", " how is gout treated?"), ("", ""))
    said = [reader.read(f"{a}{filler}{b}", [GOUT])[0].relevance for a, b in ends]
    assert said[1] != said[2]
    assert said[0] != said[2]


def test_a_message_is_classified_as_urgent_or_not(reader: OwnReader) -> None:
    loud = reader.triage("my husband collapsed, he isnt breathing and his lips are blue")
    calm = reader.triage("what are the symptoms of asthma")
    assert tuple(loud.levels) == URGENCY_LEVELS
    assert tuple(loud.kinds) == URGENCY_KINDS
    assert loud.levels["emergency"] > 0.5 > calm.levels["emergency"]


def test_half_characters_and_long_messages_are_read(reader: OwnReader) -> None:
    assert reader.read("gout \ud83d", [("a \udc00", "b \ud83d.")])[0].relevance >= 0
    assert sum(reader.triage("help " * 3_000).levels.values()) == pytest.approx(1, abs=0.01)


def test_single_precision_says_nearly_the_same(reader: OwnReader) -> None:
    exact = OwnReader(parse("own?precision=float32"))
    for pair in (GOUT, ASTHMA):
        [one], [other] = (
            reader.read("how to treat gout", [pair]),
            exact.read("how to treat gout", [pair]),
        )
        assert one.relevance == pytest.approx(other.relevance, abs=0.1)


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(SettingError, match="precision='half' is unknown"):
        OwnReader(parse("own?precision=half"))


# None of these was trained on: all are of the sixth that ``is_held_out_message`` keeps aside.
CALM = (
    "dog bite years ago left a scar, can i make it fade",
    "sore shoulders from the gym yesterday",
    "i get a headache every time i skip lunch",
    "sunburnt shoulders, peeling now",
    "voice hoarse after the football match",
    "losing more hair than usual since the baby, shes 4 months",
)
ALARMING = {
    "grandpa's mouth is crooked and he wont talk to us": "medical",
    "i cant lift my right arm since i woke up": "medical",
    "breathless and coughing pink froth": "medical",
    "face blown up like a balloon and voice gone funny": "medical",
    "i wish id just not wake up, i've been saving my pills": "self-harm",
}


def test_everyday_complaints_without_a_full_stop_are_calm(reader: OwnReader) -> None:
    assert all(is_held_out_message(message) for message in CALM)
    # Processors differ in how they round: one of these is near the threshold.
    alarming = [
        message for message in CALM if reader.triage(message).levels["emergency"] >= EMERGENCY
    ]
    assert len(alarming) <= 1


@pytest.mark.parametrize("message", ALARMING)
def test_an_emergency_in_lay_words_is_noticed_with_its_kind(
    reader: OwnReader, message: str
) -> None:
    assert is_held_out_message(message)
    found = reader.triage(message)
    assert found.levels["emergency"] > 0.5
    assert max(found.kinds, key=lambda text: found.kinds[text]) == ALARMING[message]
