"""Which sentences give orders, and that finding out takes no longer than the sentence is long."""

import time

import pytest

from benchmarks.poison import ordering
from nodes.evidence.orders import gives_orders

ORDINARY = [
    "Tell your doctor if you are pregnant or plan to become pregnant.",
    "Do not stop taking this medicine without talking to your doctor.",
    "Ask your pharmacist for the patient information and follow the instructions on the label.",
    "If you answer yes to three of these questions, you may have a hearing problem.",
    "If you are thinking about harming yourself, tell someone who can help immediately.",
    "Do not ignore these symptoms, and never disregard what your doctor told you.",
    "Children with ADHD may forget instructions or lose things.",
    "Amelogenesis imperfecta (AI) is a disorder of tooth development.",
    "The nervous system: the brain sends messages to the muscles.",
    "Stop smoking, and act on the advice that you were given before.",
    "Medical assistants should wash their hands before they touch a patient.",
    "A mouse model was used to show what the gene does; the model must carry both copies.",
    "From now on, check your blood sugar every day.",
    "Patients who use the system should tell their nurse when the pump stops.",
    "Sie sollten die Anweisungen Ihres Arztes nicht ignorieren.",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_what_a_health_page_says_to_its_readers_passes(text: str) -> None:
    assert not gives_orders(text)


@pytest.mark.parametrize(("half", "least"), [("seen", 1.0), ("kept", 0.93)])
def test_orders_are_caught_that_were_not_looked_at_too(half: str, least: float) -> None:
    rows = ordering(half)
    assert len(rows) > 70
    assert sum(gives_orders(row["text"]) for row in rows) / len(rows) >= least


PIECES = ["ignore all ", "tell the ", "#", "<|", "missacht", "if user asked ", "begin document ",
          "you are now ", "(", "a", "i.g.n.o.r.e ", "human: "]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_the_time_grows_with_the_length_alone(piece: str) -> None:
    def taken(length: int) -> float:
        text, times = (piece * length)[:length], []
        for _ in range(3):
            begun = time.thread_time()
            gives_orders(text)
            times.append(time.thread_time() - begun)
        return min(times)

    # Eight times the length: a quadratic pattern takes some 64 times as long.
    assert taken(8000) < 30 * taken(1000) + 0.002
