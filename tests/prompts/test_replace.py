"""Prompts of the operator's own."""

from pathlib import Path
from typing import Any, get_args

import pytest

from anamnesis import SettingError
from anamnesis.replaced_prompts import replacing_prompts
from prompts import Name, fingerprint, load, replaced

OWN = "Answer shortly. If you find nothing: {not_found}"


def test_the_projects_own_are_all_that_can_be_replaced_and_pass_the_checks() -> None:
    folder = Path(__file__).parents[2] / "prompts"
    names: tuple[Any, ...] = get_args(Name)
    assert {path.stem for path in folder.glob("*.md")} == set(names)
    for name in names:
        assert replaced({name: load(name)}) == {name: load(name)}


def test_a_text_and_a_file_take_the_place_of_a_prompt(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text(OWN)
    for given in (OWN, str(file)):
        with replacing_prompts(replaced({"answer": given})):
            assert load("answer") == OWN
            assert load("options").startswith("The question has options")
            assert fingerprint("answer") != ""
            changed = fingerprint("answer")
        assert load("answer") != OWN
        assert fingerprint("answer") != changed


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"answer": "Answer shortly."}, r"'answer' lacks \{not_found\}"),
        ({"answer": OWN + "{name}"}, r"'answer' has the field \{name\}, .*: \{not_found\}"),
        ({"rewrite": "Write {not_found}"}, r"'rewrite' has the field \{not_found\}.* none"),
        ({"options": "{not_found}"}, "'options' lacks Answer:"),
        ({"critic": "entailment or neutral"}, "'critic' lacks contradiction"),
        ({"standalone": "Rewrite.\n---\nQuestion: What?\n"}, "'standalone' has an example"),
        ({"system": "  \n"}, "'system' is empty"),
        ({"system": "long " * 5000}, "'system' has 25000 characters"),
        ({"system": "/no/such/file.md"}, "'system' is to be read from /no/such/file.md"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_remedy(given: Any, problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        replaced(given)


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingError, match="not UTF-8 text"):
        replaced({"system": str(file)})
    with pytest.raises(SettingError, match="cannot be read"):
        replaced({"system": str(tmp_path)})


def test_braces_that_are_no_field_stay() -> None:
    text = 'Reply with {"text": "…"}.'
    assert replaced({"system": text}) == {"system": text}


def test_where_no_files_may_be_named_a_path_is_a_text(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("We are Ward 7.")
    assert replaced({"system": str(file)}) == {"system": "We are Ward 7."}
    assert replaced({"system": str(file)}, files=False) == {"system": str(file)}
    with pytest.raises(SettingError, match="'answer' lacks"):
        replaced({"answer": str(file)}, files=False)
