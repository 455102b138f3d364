"""The cross-encoder that ships: the right file, and what it says."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from anamnesis.models.critic import load_critic
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.folders import PINNED, SHIPPED, file_digest
from anamnesis.models.reranker import load_reranker
from tests.tiny_models import EIGHT_BIT
from training.storing import load_classifier

LABELS = ("relevant", "entailment", "neutral", "contradiction")
PREMISE = (
    "Gout is a form of arthritis. It is caused by crystals of uric acid in the joints. Attacks "
    "often start at night in the big toe. Colchicine, 0.5 mg twice a day, can ease an attack."
)
PAIRS = [
    ("What causes gout?", PREMISE),
    (PREMISE, "Uric acid crystals cause gout."),
    (PREMISE, "Gout is not a form of arthritis."),
    ("How is asthma treated?", PREMISE),
]


def test_the_weights_are_the_trained_ones() -> None:
    assert set(PINNED["own:"]) == {file.name for file in SHIPPED.glob("*.safetensors")}
    for name, wanted in PINNED["own:"].items():
        assert file_digest(SHIPPED / name) == wanted
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 60e6


def test_the_folder_holds_no_code_and_no_pickle() -> None:
    names = {file.name for file in SHIPPED.iterdir()}
    assert {"config.json", "critic.safetensors", "tokenizer.json", "README.md"} <= names
    assert {Path(name).suffix for name in names} <= {".json", ".safetensors", ".md", ".txt"}


def test_the_model_card_names_data_licences_limits_and_figures() -> None:
    card = (SHIPPED / "README.md").read_text("utf-8")
    for word in (
        "HealthVer",
        "MedQuAD",
        "CC BY 4.0",
        "Not for",
        "ECE",
        "AUROC",
        "python -m training",
    ):
        assert word in card, word
    assert "XX" not in card


def test_labels_are_named() -> None:
    config = json.loads((SHIPPED / "config.json").read_text("utf-8"))
    assert tuple(config["id2label"][str(place)] for place in range(4)) == LABELS
    assert load_cross_encoder("own").labels == LABELS
    assert load_cross_encoder("own").window == 256


def test_the_python_of_the_model_card_runs(capsys: pytest.CaptureFixture[str]) -> None:
    card = (SHIPPED / "README.md").read_text("utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", card, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for text in examples:
        exec(compile(text, "README.md", "exec"), {})
        assert capsys.readouterr().out.strip()


def test_all_runtimes_agree_also_that_of_training() -> None:
    import torch
    from transformers import AutoTokenizer

    batch = AutoTokenizer.from_pretrained(str(SHIPPED))(
        [one for one, _ in PAIRS], [other for _, other in PAIRS], padding=True, return_tensors="pt"
    )
    with torch.inference_mode():
        common = load_classifier(SHIPPED)(**batch).logits.numpy()
    exact = load_cross_encoder("own?precision=float32").logits(PAIRS)
    np.testing.assert_allclose(exact, common, atol=2e-3)


@EIGHT_BIT
def test_eight_bits_agree_with_single_precision() -> None:
    exact = load_cross_encoder("own?precision=float32").logits(PAIRS)
    quick = load_cross_encoder("own?precision=int8").logits(PAIRS)
    np.testing.assert_allclose(quick, exact, atol=0.6)


@pytest.mark.parametrize(
    ("statement", "supported"),
    [
        ("Gout is caused by uric acid crystals in the joints.", True),
        ("Attacks of gout often begin at night.", True),
        ("Gout is not caused by uric acid crystals in the joints.", False),
        ("Attacks of gout often begin in the morning.", False),
        ("Colchicine, 50 mg twice a day, can ease an attack.", False),
        ("Gout is caused by crystals of calcium in the joints.", False),
        ("Asthma is treated with inhaled steroids.", False),
    ],
)
def test_statements_are_distinguished(statement: str, supported: bool) -> None:
    [[found]] = load_critic("own").judge([statement], [[PREMISE]])
    assert (found.probability >= 0.5) == supported, found


def test_evidence_is_found_behind_long_filler() -> None:
    filler = "The clinic has a garden, a library and a kitchen for its guests. " * 40
    premise = filler + PREMISE + filler
    [[found]] = load_critic("own").judge(["Gout is caused by uric acid crystals."], [[premise]])
    assert found.probability >= 0.5
    assert "uric acid" in premise[found.start : found.end]
    assert len(premise[found.start : found.end]) < 120


def test_an_answer_comes_before_its_topic_and_its_topic_before_another() -> None:
    passages = [
        ("", "Asthma is treated with inhaled medicines that relax the airways."),
        ("", "Gout is seen more often in men than in women."),
        ("", "An attack of gout is treated with colchicine or other medicines against pain."),
    ]
    scores = load_reranker("own").score("How is gout treated?", passages)
    assert sorted(range(3), key=lambda place: scores[place]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Psoriasis is contagious.", "Psoriasis is not contagious."),
        ("Metformin is safe in pregnancy.", "Metformin is not safe in pregnancy."),
        ("Shingles can be prevented.", "Shingles cannot be prevented."),
        (
            "Antibiotics are effective against colds.",
            "Antibiotics are not effective against colds.",
        ),
        (
            "Surgery was associated with longer survival.",
            "Surgery was not associated with longer survival.",
        ),
        ("Alcohol is allowed during treatment.", "Alcohol is not allowed during treatment."),
    ],
)
def test_a_sentence_and_its_denial_support_themselves_and_not_each_other(
    one: str, other: str
) -> None:
    said = [one, other, one, other]
    [[same], [alike], [denied], [against]] = load_critic("own").judge(
        said, [[one], [other], [other], [one]]
    )
    assert min(same.probability, alike.probability) >= 0.7
    for found in (denied, against):
        assert found.probability < 0.5 < (found.contradiction or 0.0)
