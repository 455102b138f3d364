import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.critic import load_critic
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.reranker import load_reranker
from tests.tiny_models import EIGHT_BIT, save_tokenizer

MakeModel = Callable[..., Path]
NLI = {0: "CONTRADICTION", 1: "Neutral", 2: "entailment"}
LONG = "Asthma causes cough. " * 40 + "Aspirin is not for patients with asthma."


def exact(folder: Path) -> str:
    """The reference of the folder's model in the arithmetic that is compared with torch's."""
    return f"{folder}?precision=float32"


def expected_logits(folder: Path, pair: tuple[str, str]) -> Any:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return model(**tokenizer(*pair, return_tensors="pt")).logits[0].numpy()


def scored(reranker: Any, question: str, passage: str) -> tuple[float, list[tuple[str, str]]]:
    """The score of a passage, and the pairs that the model was given for it."""
    seen: list[tuple[str, str]] = []
    model = reranker._model
    inner = model.logits

    def looking(pairs: list[tuple[str, str]]) -> Any:
        seen.extend(pairs)
        return inner(pairs)

    model.logits = looking
    try:
        [score] = reranker.score(question, [("", passage)])
    finally:
        del model.logits
    return score, seen


def test_logits_are_those_of_the_model_in_any_batch(tiny_bert: MakeModel) -> None:
    folder = tiny_bert(labels=NLI)
    model = load_cross_encoder(exact(folder))
    pairs = [
        ("asthma", "cough"),
        ("what causes asthma and high blood pressure", "fever"),
        ("", "a"),
    ]
    found = model.logits([*pairs, pairs[0]])
    assert found.shape == (4, 3)
    np.testing.assert_allclose(found[:3], [expected_logits(folder, p) for p in pairs], atol=1e-4)
    np.testing.assert_array_equal(found[0], found[3])
    assert model.labels == ("contradiction", "neutral", "entailment")
    assert model.window == 48


def test_equal_pairs_are_scored_once(tiny_bert: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_cross_encoder(exact(tiny_bert(labels=NLI, seed=1)))
    sizes: list[int] = []
    inner = model._model.logits

    def counting(pairs: list[tuple[str, str]]) -> Any:
        sizes.append(len(pairs))
        return inner(pairs)

    monkeypatch.setattr(model._model, "logits", counting)
    first = model.logits([("a", "b")] * 5 + [("b", "a")] * 5)
    again = model.logits([("b", "a"), ("a", "c")])
    assert sizes == [2, 1]
    np.testing.assert_array_equal(first[-1], again[0])


@pytest.mark.parametrize("precision", ["float32", pytest.param("int8", marks=EIGHT_BIT), "auto"])
def test_both_runtimes_agree(tiny_bert: MakeModel, precision: str) -> None:
    folder = tiny_bert(labels=NLI, seed=11)
    model = load_cross_encoder(f"{folder}?precision={precision}")
    pairs = [("what causes asthma", "cough"), ("aspirin for fever and pain", "not for patients")]
    expected = [expected_logits(folder, pair) for pair in pairs]
    loose = 0.01 if precision == "float32" else 0.5
    np.testing.assert_allclose(model.logits(pairs), expected, atol=loose)


def test_an_unknown_precision_is_refused(tiny_bert: MakeModel) -> None:
    with pytest.raises(SettingError, match="known are auto, float32, int8"):
        load_cross_encoder(f"{tiny_bert(labels=NLI)}?precision=int4")


def test_a_reranker_of_one_output_goes_through_the_sigmoid(tiny_bert: MakeModel) -> None:
    folder = tiny_bert(labels={0: "LABEL_0"}, seed=2)
    reranker = load_reranker(exact(folder))
    assert (reranker.method, reranker.name) == ("cross-encoder", f"cross-encoder:{exact(folder)}")
    [score] = reranker.score("what causes asthma", [("asthma", "cough is a symptom.")])
    [logit] = expected_logits(folder, ("what causes asthma", "asthma cough is a symptom."))
    assert score == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-5)
    assert reranker.score("asthma", []) == []
    assert len(reranker.score("", [("", ""), ("", "fever")])) == 2


def test_a_reranker_of_two_outputs_needs_a_label_that_says_relevance(tiny_bert: MakeModel) -> None:
    folder = tiny_bert("good", labels={0: "Relevant", 1: "irrelevant"}, seed=3)
    [score] = load_reranker(exact(folder)).score("asthma", [("", "fever")])
    logits = expected_logits(folder, ("asthma", "fever"))
    assert score == pytest.approx(np.exp(logits[0]) / np.exp(logits).sum(), abs=1e-5)
    mute = tiny_bert("mute", labels={0: "LABEL_0", 1: "LABEL_1"})
    with pytest.raises(ModelError, match=r"label_0, label_1.*id2label"):
        load_reranker(str(mute))


def test_a_long_passage_is_scored_by_its_best_window(tiny_bert: MakeModel) -> None:
    reranker = load_reranker(exact(tiny_bert(labels={0: "LABEL_0"}, seed=4)))
    score, seen = scored(reranker, "aspirin asthma", LONG)
    model = reranker._model  # type: ignore[attr-defined]
    assert len(seen) > 5
    assert any("Aspirin is not for patients" in text for _, text in seen)
    values = 1 / (1 + np.exp(-model.logits(seen)[:, 0]))
    assert score == pytest.approx(values.max())
    assert all(sum(model.count_tokens(pair)) + 3 <= model.window for pair in seen)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_labels_are_found_by_name_in_any_order(
    tiny_bert: MakeModel, order: tuple[int, int, int]
) -> None:
    names = ["Entailment", "NEUTRAL", "contradiction"]
    labels = {place: names[which] for place, which in enumerate(order)}
    folder = tiny_bert(labels=labels, seed=5)
    critic = load_critic(exact(folder))
    [[support]] = critic.judge(["fever"], [["asthma"]])
    logits = expected_logits(folder, ("asthma", "fever"))
    odds = np.exp(logits) / np.exp(logits).sum()
    assert critic.method == "entailment"
    assert support.probability == pytest.approx(odds[order.index(0)], abs=1e-5)
    assert support.contradiction == pytest.approx(odds[order.index(2)], abs=1e-5)


@pytest.mark.parametrize(
    "labels",
    [{0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, {0: "LABEL_0"}, {0: "yes", 1: "no"}],
)
def test_labels_without_meaning_are_refused(tiny_bert: MakeModel, labels: dict[int, str]) -> None:
    with pytest.raises(ModelError, match=r"do not say which one is entailment.*id2label"):
        load_critic(str(tiny_bert(labels=labels)))


@pytest.mark.parametrize(
    ("labels", "option"),
    [
        ({0: "unsupported", 1: "supported"}, ""),
        ({0: "UNSUPPORTED", 1: "SUPPORTED"}, ""),
        ({0: "inconsistent", 1: "Consistent"}, ""),
        ({0: "0", 1: "1"}, "&supported=1"),
        ({0: "LABEL_0", 1: "LABEL_1"}, "&supported=1"),
        ({0: "LABEL_0", 1: "LABEL_1"}, "&supported=LABEL_1"),
        ({0: "hallucinated", 1: "Fine"}, "&supported=fine"),
    ],
)
def test_a_fact_checker_with_two_labels_is_taken_as_it_is(
    tiny_bert: MakeModel, labels: dict[int, str], option: str
) -> None:
    folder = tiny_bert(labels=labels, seed=6)
    critic = load_critic(f"{exact(folder)}{option}")
    [[support]] = critic.judge(["fever"], [["asthma"]])
    logits = expected_logits(folder, ("asthma", "fever"))
    assert support.probability == pytest.approx(np.exp(logits[1]) / np.exp(logits).sum(), abs=1e-5)
    # 'Not supported' may be denied, or not spoken of.
    assert support.contradiction is None


@pytest.mark.parametrize("option", ["", "&supported=2", "&supported=yes"])
def test_two_labels_that_say_nothing_need_an_option_that_names_one(
    tiny_bert: MakeModel, option: str
) -> None:
    folder = tiny_bert(labels={0: "0", 1: "1"})
    with pytest.raises(ModelError, match=r"labels 0, 1,.*\?supported=LABEL"):
        load_critic(f"{exact(folder)}{option}")


def test_a_model_that_writes_text_is_no_classifier(tmp_path: Path) -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    size = save_tokenizer(tmp_path)
    sizes = {"d_model": 16, "d_kv": 4, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=size, decoder_start_token_id=0, **sizes)
    T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"writes text \(T5ForConditionalGeneration\)"):
        load_critic(f"{tmp_path}?supported=1")
    # Nor is it one where its class is not named: what it lacks would be made up at random.
    body = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**body, "architectures": None}))
    with pytest.raises(ModelError, match=r"its weights lack .*classification_head"):
        load_critic(f"{tmp_path}?supported=LABEL_1")


def test_an_encoder_or_a_provider_is_no_cross_encoder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "nothing"}')
    with pytest.raises(ModelError, match="cannot be loaded as a sequence classifier"):
        load_cross_encoder(str(tmp_path))
    with pytest.raises(SettingError, match="files are needed"):
        load_critic("openai:gpt-4o")


def test_a_long_question_is_asked_in_parts_and_none_is_cut_away(tiny_bert: MakeModel) -> None:
    reranker = load_reranker(exact(tiny_bert(labels={0: "LABEL_0"}, seed=12)))
    score, seen = scored(reranker, LONG, "asthma cough")
    model = reranker._model  # type: ignore[attr-defined]
    assert any("Aspirin is not for patients" in asked for asked, _ in seen)
    values = 1 / (1 + np.exp(-model.logits(seen)[:, 0]))
    assert score == pytest.approx(values.max())
