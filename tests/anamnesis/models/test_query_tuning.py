"""Question vectors moved to where the passages that answer lie."""

import numpy as np

from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.query_tuning import tuned

MESSAGE = (
    "Hi, my mum is 71 and her water tablets make her run to the loo all night. She has been on "
    "them since her heart got weak. Is there a better time of the day for it?"
)
ANSWERS = "Taking diuretics\nTake diuretics in the morning, so that you need not get up at night."
ALIKE = "My mum\nMy mum is 71. She has had a weak heart since spring and is up all night."


def test_a_message_is_moved_towards_what_answers_it() -> None:
    embedder = load_embedder()
    asked = embedder.embed_queries([MESSAGE])
    [answers, alike] = embedder.embed_documents([ANSWERS, ALIKE])
    moved = tuned(asked, embedder)
    assert moved is not None
    assert np.linalg.norm(moved[0]) == np.float32(1) or abs(np.linalg.norm(moved[0]) - 1) < 1e-6
    assert moved[0] @ (answers - alike) > asked[0] @ (answers - alike)


def test_vectors_of_another_embedder_stay() -> None:
    other = load_embedder(f"{DEFAULT_EMBEDDER}?pooling=cls")
    assert tuned(other.embed_queries([MESSAGE]), other) is None
