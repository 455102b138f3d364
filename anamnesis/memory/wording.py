"""Words with which users speak of their own health, in the notes and in the profile."""

from anamnesis.language.lexicon import any_of, listed

ALLERGIC = r"allergic to|intolerant (?:to|of)"
_NURSED = any_of("children", without="childhood infancy neonatal pediatric paediatric")
FEEDING = rf"breast-?feeding|nursing(?=$| (?:my|a) (?:[\w-]+ )?(?:{_NURSED}|son|daughter))"
BEING = {
    "diabetic": "diabetes", "asthmatic": "asthma", "epileptic": "epilepsy",
    "hypertensive": "high blood pressure", "coeliac": "coeliac disease",
    "immunocompromised": "immunocompromised",
}  # fmt: skip
"""What a person has who is called so."""
# 'I have a question', 'I have to go', 'I have read'.
NO_CONDITION = frozenset(
    listed(
        *("family", "near", "grandparent", "child", "acquaintance", "article", "demonstrative"),
        *("third_possessive", "speaker_possessive", "woman", "man"),
        without="its",
    )
) | frozenset(
    (
        "question questions query doubt doubts idea clue friends relative children kid kids "
        "parents patient patients client appointment time money look reason to been be heard read "
        "seen noticed tried taken taking started stopped got gone done made found asked told "
        "looked decided always never just already also not only it them some one two three had no "
        "any lot lots so many person people"
    ).split()
)
"""Words after 'I have' that do not begin a condition."""
