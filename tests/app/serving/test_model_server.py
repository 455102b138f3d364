"""The project's model server, asked by the program itself and by hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from socket import create_connection
from threading import Event
from typing import Any

import httpx
import numpy as np
import pytest
from langchain_core.language_models import FakeListChatModel

from anamnesis import UnansweredError
from anamnesis.corpus.starter import read_starter
from anamnesis.models import calling
from anamnesis.models.critic import load_critic
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reranker import load_reranker
from app.cli.main import main
from app.serving import routes
from app.serving.batching import Batcher
from app.serving.models import Names, Served
from graph import Context, build_graph
from retrievers.index import open_index
from tests.model_servers import serving
from tests.tiny_models import save_bert

GOUT = "Gout is treated with colchicine. It is a kind of arthritis."


def test_what_is_served_is_what_is_computed_here(address: str) -> None:
    there, here = load_embedder(f"{address}?api=tei"), load_embedder()
    assert there.fingerprint == here.fingerprint
    assert (there.dimensions, there.window) == (here.dimensions, here.window)
    assert there.count_tokens([GOUT]) == here.count_tokens([GOUT])
    texts = [GOUT, "", "What helps against gout?" * 40]
    assert np.allclose(there.embed_documents(texts[:1]), here.embed_documents(texts[:1]), atol=1e-6)
    assert np.allclose(there.embed_documents(texts[2:]), here.embed_documents(texts[2:]), atol=1e-6)
    # Questions are embedded in another way than documents.
    assert np.allclose(there.embed_queries(texts[:1]), here.embed_queries(texts[:1]), atol=1e-5)
    passages = [("Gout", GOUT), ("Asthma", "Asthma is a disease of the airways.")]
    question = "how is gout treated"
    served, local = (load_reranker(name) for name in (f"{address}?api=tei", "own"))
    for one, two in zip(
        served.read(question, passages), local.read(question, passages), strict=True
    ):
        assert one.relevance == pytest.approx(two.relevance, abs=1e-6)
        assert np.allclose(one.sentences, two.sentences, atol=1e-6)
        assert one.polar == pytest.approx(two.polar, abs=1e-6)
    claims, groups = ["Gout is treated with colchicine.", "Gout is a kind of asthma."], [[GOUT]] * 2
    for one, two in zip(
        load_critic(f"{address}?api=tei").judge(claims, groups),
        load_critic("own").judge(claims, groups),
        strict=True,
    ):
        assert one[0].probability == pytest.approx(two[0].probability, abs=0.02)
        assert one[0][2:4] == two[0][2:4]


def test_an_index_made_there_is_searched_and_answered(address: str, tmp_path: Path) -> None:
    named, few = f"{address}?api=tei", tmp_path / "few.jsonl"
    about = [record for record in read_starter() if record.focus in ("Gout", "Asthma", "Scabies")]
    assert len(about) > 3
    few.write_text("".join(json.dumps(record.to_json()) + "\n" for record in about), "utf-8")
    index = ["--index", str(tmp_path / "one"), "--embedder", named]
    assert main(["index", "jsonl", str(few), *index]) == 0
    context = Context.model_validate(
        {"retrieval.reranker": named, "verification.critic": named, "memory.recall": False}
    )
    talk = build_graph(index=open_index(tmp_path / "one"))
    answer = talk.invoke({"question": "How is gout treated?"}, context=context)["answer"]
    assert answer["outcome"] == "answered"
    assert "gout" in answer["statements"][0]["text"].casefold()


def test_a_critic_that_went_away_shows_nothing(
    address: str, at_starter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "_wait", lambda _: 0.0)
    served = Served(Names(embedder=None, reranker=None))
    with serving(served) as gone:
        named = f"{gone}?api=tei"
        load_critic(named)
    served.close()
    # One that was loaded before it went away, and one that never was.
    for reference in (named, f"{named}&batch=8"):
        unchecked({"verification.critic": reference})
        second = {"verification.second_critic": reference, "verification.unsure_from": 0.0}
        answer = asked(build_graph(chat=said()), second, {"question": "How is gout treated?"})
        assert answer["unconfirmed"] == ["Colchicine is given to people who have scurvy."]
        assert all(item["probability"] == 1.0 for item in answer["statements"])  # quotations


def test_an_embedder_or_reranker_that_went_away_ends_the_run_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "_wait", lambda _: 0.0)
    few = tmp_path / "few.jsonl"
    about = [record for record in read_starter() if record.focus in ("Gout", "Asthma", "Scabies")]
    few.write_text("".join(json.dumps(record.to_json()) + "\n" for record in about), "utf-8")
    served = Served(Names(critic=None))
    with serving(served) as gone:
        named = f"{gone}?api=tei"
        index = ["--index", str(tmp_path / "one")]
        assert main(["index", "jsonl", str(few), *index, "--embedder", named]) == 0
        talk = build_graph(index=open_index(tmp_path / "one"))
        load_reranker(named)
    served.close()
    question, sparse = {"question": "How is gout treated?"}, {"retrieval.methods": ["sparse"]}
    for settings in ({}, {**sparse, "retrieval.reranker": named}):
        with pytest.raises(UnansweredError, match="did not answer") as error:
            asked(talk, settings, question)
        assert gone in str(error.value)
    # Neither server is asked for what these settings name.
    assert asked(talk, sparse, question)["outcome"] == "answered"


def test_each_model_has_its_own_window_and_a_served_critic_reads_to_the_end(
    tmp_path: Path,
) -> None:
    served = Served(Names(embedder=str(save_bert(tmp_path / "wide", window=512)), reranker=None))
    claim, last = "Gout is treated with colchicine.", "Gout is not treated with colchicine."
    text = f"{claim} {'Gout is a kind of arthritis that hurts in the joints at night. ' * 20}{last}"
    with serving(served) as address:
        windows = httpx.get(f"{address}/info").json()["windows"]
        assert windows == {"embedder": 512, "critic": 256}
        assert load_embedder(f"{address}?api=tei").window == 512
        there, here = (load_critic(name) for name in (f"{address}?api=tei", "own"))
        [[found]], [[wanted]] = (one.judge([claim], [[text]]) for one in (there, here))
        assert found.contradiction == pytest.approx(wanted.contradiction, abs=0.02)
        assert (found.contradiction or 0.0) > 0.9
        # A reference may say that the critic reads more than it does; the server knows better.
        wide = load_critic(f"{address}?api=tei&window=2000")
        [[found]] = wide.judge([claim], [[text]])
        assert (found.contradiction or 0.0) > 0.9
        body = {"inputs": [[text, claim]]}
        for truncate, status in ((False, 413), (True, 200), (None, 200)):
            asked = {**body, "truncate": truncate}
            assert httpx.post(f"{address}/predict", json=asked, timeout=30).status_code == status
    served.close()


def said() -> FakeListChatModel:
    return FakeListChatModel(responses=["Colchicine is given to people who have scurvy. [1]"] * 4)


def asked(talk: Any, settings: Any, question: Any) -> Any:
    return talk.invoke(question, context=Context.model_validate(settings))["answer"]


def unchecked(settings: Any) -> None:
    """In Python and on a server nothing is shown, and the answer says why."""
    options = {"question": "Which drug treats gout?", "options": ["colchicine", "insulin"]}
    for policy in (None, lambda given: given):
        written = build_graph(chat=said(), policy=policy)
        for talk, question in (
            (written, {"question": "How is gout treated?"}),
            (build_graph(policy=policy), options),
        ):
            answer = asked(talk, settings, question)
            assert (answer["outcome"], answer["reason"]) == ("abstained", "unchecked")
            assert answer["statements"] == []
            assert answer["choice"] is None
            assert answer["text"].startswith("Not checked: the model that compares")


def test_a_request_whose_client_has_gone_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(Names(embedder=None, reranker=None))
    events = [Event(), gone := Event()]
    monkeypatch.setattr(routes, "Event", events.pop)
    runs: list[int] = []
    running, go = Event(), Event()

    def label(items: Sequence[Any]) -> list[dict[str, float]]:
        runs.append(len(items))
        running.set()
        go.wait(20)
        return [{"entailment": 1.0} for _ in items]

    served.labels = Batcher(label, most=4)
    with serving(served) as found:
        url = httpx.URL(found)
        body = json.dumps({"inputs": [["a", "b"]] * 100}).encode()
        with create_connection((url.host, url.port or 0)) as client:
            head = f"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            assert running.wait(20)
        assert gone.wait(20)
        go.set()
        reply = httpx.post(f"{found}/predict", json={"inputs": [["a", "b"]]}, timeout=20)
        assert reply.status_code == 200
    assert runs == [4, 1]
    served.close()


def test_a_token_is_asked_for_but_by_the_route_of_health() -> None:
    served = Served(Names(embedder=None, critic=None))
    with serving(served, "THE-TOKEN") as found:
        assert httpx.get(f"{found}/health").status_code == 200
        assert httpx.get(f"{found}/info").status_code == 401
        asked = {"query": "a", "texts": ["a"]}
        assert httpx.post(f"{found}/rerank", json=asked).status_code == 401
        right = {"authorization": "Bearer THE-TOKEN"}
        assert httpx.post(f"{found}/rerank", json=asked, headers=right).status_code == 200
        assert httpx.post(f"{found}/embed", json={"inputs": "a"}, headers=right).status_code == 422
    served.close()


def test_the_command_says_what_a_server_offers(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "probe", f"{address}?api=tei"]) == 0
    printed = capsys.readouterr().out
    assert "embedder: 384 dimensions, 256 tokens, fingerprint c45f519d135d" in printed
    assert "reranker: reads passages and their sentences" in printed
    assert "critic: contradiction, entailment, neutral" in printed


@pytest.mark.parametrize(
    ("providers", "where"),
    [
        (["CPUExecutionProvider"], "the processor"),
        (["CUDAExecutionProvider", "CPUExecutionProvider"], "a GPU"),
    ],
)
def test_a_server_says_what_its_models_compute_on(
    providers: list[str], where: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: providers)
    monkeypatch.setattr(
        "uvicorn.Server.run", lambda _, sockets: [socket.close() for socket in sockets]
    )
    monkeypatch.setattr("app.serving.models.Served.__post_init__", lambda _: None)
    assert main(["models", "serve", "--port", "0"]) == 0
    said = capsys.readouterr()
    assert said.err == f"The models compute on {where}.\n"
    assert said.out.endswith("?api=tei\n")


def test_a_server_for_others_needs_a_token(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_MODELS_TOKEN", raising=False)
    assert main(["models", "serve", "--host", "0.0.0.0"]) == 2
    assert "set ANAMNESIS_MODELS_TOKEN" in capsys.readouterr().err
    nothing = ["--embedder", "none", "--reranker", "none", "--critic", "none"]
    assert main(["models", "serve", *nothing]) == 2
    assert "there is no model to serve" in capsys.readouterr().err
    assert main(["models", "probe", "own"]) == 2
