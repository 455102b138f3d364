"""Words with which users speak of their own health, in the notes and in the profile."""

from anamnesis.language.lexicon import any_of, forms, listed

ALLERGIC = r"allergic to|intolerant (?:to|of)"
_NURSED = any_of("children", without="childhood infancy neonatal pediatric paediatric")
FEEDING = rf"breast-?feeding|nursing(?=$| (?:my|a) (?:[\w-]+ )?(?:{_NURSED}|son|daughter))"
BEING = forms("being")
"""The condition of a person who is called so: 'asthma' for 'asthmatic'."""
# 'I have a question', 'I have to go', 'I have read'.
NO_CONDITION = frozenset(
    listed(
        *("family", "near", "grandparent", "child", "acquaintance", "article", "demonstrative"),
        *("third_possessive", "speaker_possessive", "woman", "man"),
        without="its",
    )
) | frozenset(listed("no_condition"))
"""Words after 'I have' that do not begin a condition."""
