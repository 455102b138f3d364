"""The matrix for question vectors, fitted on made vectors."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from training.queries import Data, Listed, figures, fit, share_of


def turned(questions: int = 60) -> Data:
    """Questions whose answering passage has their vector with its first two values exchanged."""
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((questions, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    order = [1, 0, *range(2, 8)]
    passages = np.concatenate([vectors[:, order], vectors])
    lists = [Listed(at, (at, questions + at), (3, 0)) for at in range(questions)]
    used = questions * 2 // 3
    pairs = [(at, at) for at in range(used)]
    return Data(vectors, passages, pairs, lists[:used], lists[used:])


@pytest.fixture
def one_thread() -> Iterator[None]:
    """On small matrices the threads of torch spend their time waiting for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_the_matrix_moves_a_question_towards_the_passage_that_answers() -> None:
    data = turned()
    before, after = figures(data, np.eye(8)), figures(data, fit(data, steps=300))
    assert "helps in 0.000 of 20" in before
    assert "helps in 0.000 of 20" not in after
    assert auroc(after) > auroc(before) + 0.1


def auroc(text: str) -> float:
    return float(text.split()[1].rstrip(","))


def test_a_share_of_the_data_has_whole_questions_and_what_is_held_out() -> None:
    data = turned(300)
    part = share_of(data, 0.5)
    kept = {item.question for item in part.lists}
    assert 60 < len(kept) < 140
    assert kept == {question for question, _ in part.pairs}
    assert part.lists_aside == data.lists_aside
    assert share_of(data, 1.0) == data
