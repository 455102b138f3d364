"""The training on a GPU, on tiny networks and on whatever device there is."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from training.distil import learn, run, scores, weights
from training.distil import models as distil_models
from training.distil.growing import with_twice_the_blocks
from training.distil.learn import Outputs, Target, loss_of
from training.distil.networks import Encoder, Judge, Shape
from training.distil.pack import Texts, write
from training.distil.ship import with_transformers_names
from training.distil.texts import NONE, Claim, Encoded, Reading, Tokens, batch_of, plan_of
from training.distil.texts import sentence_means as means

SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}
BERT = Shape(hidden=32, inner=64, heads=4, blocks=2, words=40)
MPNET = replace(BERT, relative=True, first_position=2, epsilon=1e-5)
IDS = torch.randint(4, 40, (1, 21), generator=torch.Generator().manual_seed(3))


def close(one: Tensor, other: Tensor) -> None:
    """The two are equal up to rounding."""
    assert torch.allclose(one, other, atol=1e-4), float((one - other).abs().max())


@torch.inference_mode()
def test_the_networks_compute_what_those_of_transformers_compute() -> None:
    torch.manual_seed(1)
    types, length = (IDS > 20).long(), torch.tensor([21])
    bert = BertModel(BertConfig(vocab_size=40, num_hidden_layers=2, **SIZES)).eval()
    encoder = Encoder(BERT)
    encoder.load_state_dict(weights.renamed(bert.state_dict(), weights.bert_names(2)), strict=False)
    close(encoder(IDS, types, length), bert(IDS, token_type_ids=types).last_hidden_state)
    close(encoder(torch.cat((IDS, IDS), 1), types.repeat(1, 2), length)[:, :21],
          bert(IDS, token_type_ids=types).last_hidden_state)  # fmt: skip

    mpnet = MPNetModel(
        MPNetConfig(vocab_size=40, num_hidden_layers=2, max_position_embeddings=514, **SIZES)
    ).eval()
    encoder = Encoder(MPNET)
    encoder.load_state_dict(
        weights.renamed(mpnet.state_dict(), weights.bert_names(2, mpnet=True)), strict=False
    )
    close(encoder(IDS, types, length), mpnet(IDS).last_hidden_state)


@pytest.mark.parametrize(("half", "most"), [(True, 1e-3), (False, 2e-2)])
def test_packed_weights_are_nearly_the_same(tmp_path: Path, half: bool, most: float) -> None:
    torch.manual_seed(2)
    state = {"a.weight": torch.randn(96, 64), "a.bias": torch.randn(96), "words.weight": IDS / 40}
    first, second = tmp_path / "first", tmp_path / "second"
    weights.save({name: state[name] for name in ("a.weight",)}, first, half=half)
    weights.save({name: state[name] for name in ("a.bias", "words.weight")}, second, half=half)
    found = weights.load(first, second)
    assert found.keys() == state.keys()
    assert max(float((found[name] - state[name]).abs().max()) for name in state) < most


@torch.inference_mode()
def test_a_deeper_network_begins_as_the_one_it_is_grown_from() -> None:
    torch.manual_seed(4)
    judge = Judge(Encoder(BERT), 3).eval()
    deep = Judge(Encoder(replace(BERT, blocks=4)), 3).eval()
    assert weights.blocks(judge.state_dict()) == 2
    deep.load_state_dict(with_twice_the_blocks(judge.state_dict(), 2))
    types, length = (IDS > 20).long(), torch.tensor([21])
    outputs, by_token = judge(IDS, types, length)
    grown, grown_tokens = deep(IDS, types, length)
    assert torch.allclose(outputs, grown, atol=1e-3)
    assert torch.allclose(by_token, grown_tokens, atol=1e-3)


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "gout", "hurts", "rest", "helps", "what", "why", "no"]


def tokenizer(names: list[str]) -> Tokenizer:
    """One token for each word."""
    made = Tokenizer(models.WordLevel({word: at for at, word in enumerate(names)}, "[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


TEXTS = ["", "what helps", "gout", "gout hurts", "rest helps", "why"]


def test_a_question_with_a_passage_in_tokens() -> None:
    tokens = Tokens("bert", tokenizer(WORDS), TEXTS, None)
    read = tokens.reading(Reading(1, (2, 3, 4)), 32)
    assert [WORDS[item] for item in read.ids] == (
        "[CLS] what helps [SEP] gout gout hurts rest helps [SEP]".split()
    )
    assert (read.second, read.ends) == (4, [(5, 7), (7, 9)])
    assert tokens.reading(Reading(1, (2, 3, 4)), 9).ends == [(5, 7)]  # the second does not fit
    message = tokens.reading(Reading(1, ()), 32)
    assert [WORDS[item] for item in message.ids] == ["[CLS]", "what", "helps", "[SEP]"]
    claim = tokens.claim(Claim(3, 1), 32)
    assert [WORDS[item] for item in claim.ids] == (
        "[CLS] gout hurts [SEP] what helps [SEP]".split()
    )


def test_only_the_embeddings_that_are_needed_are_kept() -> None:
    kept = [1, 2, 3, 4, 5, 7, 8]
    tokens = Tokens("bert", tokenizer(WORDS), TEXTS[:2], kept)
    assert tokens.of == [[], [kept.index(WORDS.index("what")), kept.index(WORDS.index("helps"))]]
    assert tokens.start == [1]


def test_the_loss_of_a_batch_by_hand() -> None:
    batch = batch_of([Encoded([2, 4, 5, 3], 1, [(1, 3)]), Encoded([2, 3], 1, [])], [0, 1])
    by_token = torch.tensor([[9.0, 1.0, 3.0, 9.0] + [9.0] * 4, [9.0] * 8])
    assert means(by_token, batch).tolist() == [2.0]
    outputs = torch.tensor([[0.0, 1.0, 1.0], [2.0, 0.0, 0.0]])
    targets = [
        Target(relevance=1.0, sentences=[1.0], weight=1.0),
        Target(classes=((1, [0.25, 0.75], 1.0),), weight=0.5),
    ]
    # log 2 for relevance, log(1 + e^-2) for the sentence, half of log 2 for the classes.
    wanted = (0.693147 + 0.126928 + 0.5 * 0.693147) / 1.5
    assert float(loss_of(outputs, by_token, batch, targets)) == pytest.approx(wanted, abs=1e-5)


def test_every_text_is_in_one_batch_of_limited_size() -> None:
    lengths = [3, 9, 4, 30, 7, 7]
    plan = plan_of(lengths, 30, 1)
    assert sorted(item for group in plan for item in group) == list(range(6))
    assert all(
        len(group) == 1 or max(lengths[i] for i in group) * len(group) <= 30 for group in plan
    )


def test_the_scores_by_hand() -> None:
    assert scores.auroc([0.9, 0.5, 0.5, 0.1], [True, True, False, False]) == 0.875
    rows = [Reading(0, (1, 2), 1.0, (1,), group=1), Reading(0, (1, 2), 0.0, (), group=1)]
    found = scores.of_readings("x", rows, Outputs(torch.tensor([[1.0], [2.0]]), [[0.4], [0.1]]))
    assert found == {"x auroc": 0.0, "x sentence": 1.0, "x first": 0.0, "x ndcg": 0.631,
                     "x within": 0.0}  # fmt: skip


def test_the_weights_have_the_names_of_transformers() -> None:
    names = with_transformers_names(
        {
            **dict.fromkeys(("network.blocks.0.up.bias", "network.blocks.1.up.bias"), IDS),
            "network.blocks.1.out.weight": IDS,
            "pooler.bias": IDS,
            "outputs.bias": IDS,
        },
        "e",
    )
    assert list(names)[2:] == [
        "e.encoder.layer.1.attention.output.dense.weight", "e.pooler.dense.bias", "outputs.bias"
    ]  # fmt: skip


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> run.Pack:
    """Packed texts, and networks of two blocks in place of the published ones."""
    texts = Texts()
    for text in TEXTS:
        texts.of(text)
    answer = Reading(1, (2, 3, 4), 1.0, (2,), 3, group=1)
    near = Reading(5, (2, 3, 4), 0.0, (), group=1)
    message = Reading(3, (), level=2)
    rows = {
        "readings": [answer, near] * 4, "levels": [message] * 4,
        "candidates": [Reading(5, (2, 3)), Reading(1, (2, 3))] * 2,
        "claims": [Claim(4, 4, 0), Claim(4, 3, 1), Claim(1, 4, NONE, 1.0), Claim(3, 4)] * 3,
    }  # fmt: skip
    rows |= {f"held_{name}": [answer, near] for name in ("asked", "judged", "message", "summary")}
    rows |= {"held_levels": [message, message._replace(level=0)]}
    rows |= {f"heldclaims_{name}": [Claim(4, 4, 0), Claim(4, 3, 1)]
             for name in ("replies", "own", "claims", "healthver")}  # fmt: skip
    for name, found in rows.items():
        write(found, tmp_path / f"{name}.jsonl.gz")
    write(texts.numbers, tmp_path / "texts.jsonl.gz")
    names = [*WORDS, "<s>", "</s>"]

    def tokens(folder: Path, kind: str, texts: list[str]) -> Tokens:
        return Tokens(kind, tokenizer(names), texts, None)

    def small(folder: Path, *about: object, **options: bool) -> Judge:
        return Judge(Encoder(BERT), int(str(about[-1]))).to(learn.DEVICE)

    monkeypatch.setattr(distil_models, "tokens", tokens)
    monkeypatch.setattr(distil_models, "mpnet", small)
    monkeypatch.setattr(distil_models, "minilm", small)
    return run.Pack(tmp_path, 1.0)


def test_the_students_learn_from_the_teachers(
    pack: run.Pack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(5)
    run.teach_reader(pack, tmp_path, 0.2)
    run.teach_critic(pack, tmp_path, 0.2)
    said = Outputs(*torch.load(tmp_path / "readings.pt", weights_only=True))
    assert said.whole.shape == (4, 8)
    assert torch.load(tmp_path / "claims.pt", weights_only=True).shape == (12, 4)
    rows, targets = run.student_targets(pack, said)
    assert len(rows) == len(targets) == 16
    assert targets[0].relevance == 1.0
    assert targets[-1].relevance == pytest.approx(float(said.whole[-1, 0].float().sigmoid()))
    run.learn_reader(pack, [tmp_path], tmp_path, 0.2, False)
    run.learn_critic(pack, [tmp_path], tmp_path, 0.2, False)
    for name in ("reader", "critic"):
        state = weights.load(tmp_path / f"{name}.safetensors")
        assert "network.blocks.1.up.weight" in state
        assert all(bool(item.isfinite().all()) for item in state.values())
    lines = [line for line in capsys.readouterr().out.splitlines() if "small critic (" in line]
    assert 0 <= json.loads(lines[0].split(": ", 1)[1])["replies auroc"] <= 1
