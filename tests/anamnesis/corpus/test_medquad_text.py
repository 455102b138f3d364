from anamnesis.corpus.medquad_text import mend

BOILERPLATE = (
    "The Human Phenotype Ontology (HPO) has collected information on how often a sign occurs. "
    "In these cases, the sign or symptom may be rare or common."
)


def test_symptom_tables_become_lists() -> None:
    raw = (
        "Signs include: Pain Fever The Human Phenotype Ontology provides the following list of "
        "signs. Signs and Symptoms Approximate number of patients (when available) Long face 90% "
        "Intellectual disability, severe 16/16 Mild fever 7.5% Albinism - Autosomal recessive "
        f"inheritance - {BOILERPLATE} More follows."
    )
    assert mend(raw, "GARD") == (
        "Signs include: Pain Fever\n\nThe Human Phenotype Ontology provides the following list of "
        "signs. Signs and Symptoms Approximate number of patients (when available):\n"
        "- Long face: 90%\n- Intellectual disability, severe: 16/16\n- Mild fever: 7.5%\n"
        "- Albinism\n- Autosomal recessive inheritance\n\nMore follows."
    )


def test_the_copy_of_a_list_is_dropped_and_the_list_laid_out() -> None:
    raw = (
        "Do not smoke. Other factors are - old age  - a family history (see below).  - smoking. "
        "old age a family history (see below). smoking. Talk to your doctor."
    )
    assert mend(raw, "NIHSeniorHealth") == (
        "Do not smoke. Other factors are\n- old age\n- a family history (see below).\n- smoking."
        "\n\nTalk to your doctor."
    )


def test_what_is_no_copy_stays() -> None:
    raw = "Causes are - age  - smoking. Smoking is bad."
    assert mend(raw, "NIHSeniorHealth") == "Causes are\n- age\n- smoking. Smoking is bad."


def test_headings_are_parted_from_their_sentence() -> None:
    raw = (
        "Affects Many Older People Osteoarthritis is common. Diagnostic Tests The doctor asks. "
        "Severe Symptoms As time goes on, it grows. The National Institute on Aging helps."
    )
    assert mend(raw, "NIHSeniorHealth", "Osteoarthritis") == (
        "Affects Many Older People\n\nOsteoarthritis is common.\n\nDiagnostic Tests\n\nThe doctor "
        "asks.\n\nSevere Symptoms\n\nAs time goes on, it grows. The National Institute on Aging "
        "helps."
    )


def test_directions_for_a_video_player_are_dropped() -> None:
    raw = (
        "It hurts. (Watch the video to learn more about pain (PN). To enlarge the video, click the "
        "brackets. To reduce the video, press the Escape (Esc) button on your keyboard.) See a "
        "doctor."
    )
    assert mend(raw, "NIHSeniorHealth") == "It hurts. See a doctor."


def test_other_sources_are_only_tidied() -> None:
    raw = "Gene Review: Gene Review: X   - a a (Watch the video to learn.)"
    assert mend(raw, "GHR") == "Gene Review: Gene Review: X\n- a a (Watch the video to learn.)"


def test_a_table_that_only_names_the_disease_is_left_out() -> None:
    raw = (
        "What are the signs and symptoms of Asthma? The Human Phenotype Ontology provides the "
        "following list of signs and symptoms for Asthma. Signs and Symptoms Approximate number "
        f"of patients (when available) Asthma - {BOILERPLATE}"
    )
    assert mend(raw, "GARD", "Asthma") == "What are the signs and symptoms of Asthma?"
