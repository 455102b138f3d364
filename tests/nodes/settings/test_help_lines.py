"""The numbers to call, by country."""

import pytest

from nodes.settings.context import Context
from nodes.settings.help_lines import countries, help_lines
from nodes.writing.render import urgent_text


def context_of(**settings: object) -> Context:
    return Context.model_validate(settings)


def test_every_country_has_all_three_numbers() -> None:
    for code, lines in countries().items():
        assert len(code) == 2
        assert code.isupper()
        assert all(lines)


@pytest.mark.parametrize(
    ("country", "emergency", "crisis"), [("GB", "999", "116 123"), ("US", "911", "988")]
)
def test_the_numbers_are_those_of_the_country(country: str, emergency: str, crisis: str) -> None:
    assert emergency in urgent_text("medical", country, False)
    assert crisis in urgent_text("self-harm", country, False)
    assert help_lines(country).poison in urgent_text("poisoning", country, False)


def test_without_a_country_several_are_named() -> None:
    assert all(number in urgent_text("medical", None, False) for number in ("112", "999", "911"))
    assert "findahelpline.com" in urgent_text("self-harm", None, False)


def test_a_country_is_taken_in_either_case_and_an_unknown_one_is_refused() -> None:
    assert context_of(**{"triage.country": "gb"}).triage.country == "GB"
    with pytest.raises(ValueError, match="no emergency numbers for country 'ZZ'"):
        context_of(**{"triage.country": "ZZ"})
