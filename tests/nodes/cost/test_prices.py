"""The operator's table of prices, and what a turn's calls come to."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from anamnesis import SettingError
from anamnesis.models.chat import ask
from nodes.cost.calls import count_calls
from nodes.cost.prices import read_prices
from nodes.fields.usage import Spent, add_up, spent, usage

TABLE = {"currency": "EUR", "models": {"mine:small": {"prompt": 2.0, "reply": 10}}}


def called(name: str, prompt: int, reply: int) -> Any:
    """What is counted of one call of a model of that name."""
    usage: Any = {"input_tokens": prompt, "output_tokens": reply, "total_tokens": prompt + reply}
    model = GenericFakeChatModel(messages=iter([AIMessage("word", usage_metadata=usage)]))
    model.name = name
    with count_calls() as calls:
        ask(model, [HumanMessage("a")], name)
    return calls


def test_a_call_has_the_price_of_its_model(no_home: Path) -> None:
    (no_home / "prices.json").write_text(json.dumps(TABLE))
    [call] = called("mine:small", 1000, 500).update()["calls"]
    assert (call["model"], call["price"], call["currency"]) == ("mine:small", 0.007, "EUR")
    [other] = called("mine:large", 1000, 500).update()["calls"]
    assert (other["price"], other["currency"]) == (None, None)


def test_the_table_is_read_again_when_it_changes(no_home: Path) -> None:
    assert called("mine:small", 1000, 500).spent()["price"] is None
    file = no_home / "prices.json"
    file.write_text(json.dumps(TABLE))
    assert called("mine:small", 1000, 500).spent()["price"] == 0.007
    file.write_text(json.dumps({**TABLE, "models": {"mine:small": {"prompt": 0, "reply": 1}}}))
    assert called("mine:small", 1000, 500).spent()["price"] == 0.0005


def test_a_table_that_cannot_be_reached_is_in_the_log(
    no_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (no_home / "prices.json").symlink_to(no_home / "prices.json")
    assert called("mine:small", 1000, 500).spent()["price"] is None
    assert "prices.json cannot be read" in caplog.text


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("{", "whole file"),
        ({"currency": "EUR"}, "models"),
        ({"currency": "", "models": {}}, "currency"),
        ({**TABLE, "models": {"a:b": {"prompt": -1, "reply": 1}}}, "models.a:b.prompt"),
        ({**TABLE, "models": {"a:b": {"prompt": 1}}}, "models.a:b.reply"),
        ({**TABLE, "models": {"a:b": {"prompt": "1", "reply": 1}}}, "models.a:b.prompt"),
        ({**TABLE, "models": {"a:b": {"prompt": 1, "reply": 1, "image": 1}}}, "models.a:b.image"),
    ],
)
def test_what_is_no_table_is_reported_and_costs_nobody_an_answer(
    no_home: Path, caplog: pytest.LogCaptureFixture, table: Any, expected: str
) -> None:
    file = no_home / "prices.json"
    file.write_text(table if isinstance(table, str) else json.dumps(table))
    with pytest.raises(SettingError, match=f"not a table of prices: .*{expected}"):
        read_prices(file)
    assert called("mine:small", 1000, 500).spent()["price"] is None
    assert "not a table of prices" in caplog.text


def of(calls: int, price: float | None, currency: str | None = None) -> Spent:
    return {
        "calls": calls, "failed": 0, "cached": 0, "prompt_tokens": 10 * calls,
        "reply_tokens": calls, "estimated": False, "price": price, "currency": currency,
    }  # fmt: skip


def test_a_sum_has_a_price_only_where_all_parts_have_one() -> None:
    assert spent([of(0, 0.0), of(1, 0.5, "EUR"), of(2, 0.25, "EUR")]) == of(3, 0.75, "EUR")
    assert spent([of(1, 0.5, "EUR"), of(1, None)]) == of(2, None)
    assert spent([]) == of(0, 0.0)


def test_a_step_that_asked_no_model_takes_no_room() -> None:
    zero = of(0, 0.0)
    assert add_up({"verify": of(9, 9.0, "EUR")}, {"screen": zero}) == {}
    asked = add_up({}, {"verify": of(1, 0.5, "EUR")})
    assert add_up(asked, {"rerank": zero}) == add_up(asked, {"verify": zero}) == asked


def test_rounds_add_up_and_a_turn_begins_anew() -> None:
    first = add_up({"verify": of(9, 9.0, "EUR")}, {"screen": of(1, 0.5, "EUR")})
    assert first == {"screen": of(1, 0.5, "EUR")}
    both = add_up(add_up(first, {"verify": of(3, 0.5, "EUR")}), {"verify": of(2, 0.5, "EUR")})
    spending = usage({**both, "rerank": of(0, 0.0)})
    assert spending["steps"] == {"screen": of(1, 0.5, "EUR"), "verify": of(5, 1.0, "EUR")}
    assert spending["total"] == of(6, 1.5, "EUR")
