"""What a policy says about prompts."""

from pathlib import Path

import pytest

from anamnesis import SettingError
from nodes.policy import apply_policy, load_policy, requested_settings
from tests.nodes.test_policy import write

pytestmark = pytest.mark.usefixtures("no_home")


def test_prompts_are_checked_with_the_policy_and_offered_by_a_list_alone() -> None:
    write(settings={"generator.prompts": {"answer": "Short."}})
    with pytest.raises(SettingError, match=r"'answer' lacks \{not_found\}"):
        load_policy()
    write(callers={"generator.prompts": True})
    with pytest.raises(SettingError, match=r"callers\.generator\.prompts: list the values"):
        load_policy()
    write(settings={"generator.prompts": {"system": "We are Ward 7."}})
    assert apply_policy(requested_settings({})).generator.prompts == {"system": "We are Ward 7."}


def test_an_operator_names_files_of_prompts_and_a_caller_gives_texts_alone(no_home: Path) -> None:
    first, second = no_home / "first.md", no_home / "second.md"
    first.write_text("We are Ward 7.")
    second.write_text("We are Ward 8.")
    write(
        settings={"generator.prompts": {"system": str(first)}},
        callers={"generator.prompts": [{"system": str(second)}]},
    )
    assert apply_policy(requested_settings({})).generator.prompts == {"system": "We are Ward 7."}
    for text in ("We are Ward 7.", "We are Ward 8."):
        assert apply_policy(
            requested_settings({"generator.prompts": {"system": text}})
        ).generator.prompts == {"system": text}
    for path in (first, second):
        with pytest.raises(
            SettingError, match=r"'generator\.prompts' may be one of those"
        ) as refused:
            apply_policy(requested_settings({"generator.prompts": {"system": str(path)}}))
        assert str(no_home) not in str(refused.value)
    # What a file says counts from the next step on, and a caller never hears its name.
    first.write_text("We are Ward 9.")
    assert apply_policy(requested_settings({})).generator.prompts == {"system": "We are Ward 9."}
    second.unlink()
    with pytest.raises(SettingError, match="cannot read its policy") as refused:
        apply_policy(requested_settings({}))
    assert str(no_home) not in str(refused.value)


def test_prompts_that_callers_are_offered_are_checked_with_the_policy() -> None:
    write(callers={"generator.prompts": [{"answer": "Short."}]})
    with pytest.raises(SettingError, match=r"'answer' lacks \{not_found\}"):
        load_policy()
