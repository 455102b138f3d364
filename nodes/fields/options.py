"""The options of a question as given: multiple choice and yes/no(/maybe) [K5]."""

from collections.abc import Mapping
from string import ascii_uppercase

from anamnesis.errors import SettingError
from anamnesis.language.text import well_formed

Options = dict[str, str]
"""The options of a question: key → text."""

YES_NO = ("yes", "no", "maybe")
"""The texts of the options of a yes/no question."""


def read_options(given: object) -> Options:
    """The options as key → text, from a list of texts or a mapping of key to text.

    A list gets the keys A, B, C …; a list of only yes, no and maybe has these words as keys. Raises
    SettingError for another type, for fewer than 2 or more than 26 options, and for keys or texts
    that are empty, equal (ignoring case and spacing) or not strings.
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, list | tuple):
        yes_no = all(isinstance(text, str) and folded(text) in YES_NO for text in given)
        keys = [folded(text) for text in given] if yes_no else list(ascii_uppercase)
        pairs = list(zip(keys, given, strict=False))  # more are refused below
    else:
        raise SettingError(
            f"the options are a {type(given).__name__}; give a list of texts, or a mapping of key "
            "to text"
        )
    if not 2 <= len(given) <= len(ascii_uppercase):
        raise SettingError(f"{len(given)} options were given; give between 2 and 26")
    found: Options = {}
    for key, text in pairs:
        for name, value in (("key", key), ("text", text)):
            if not isinstance(value, str):
                raise SettingError(
                    f"the {name} {value!r} of option {key!r} is a {type(value).__name__}; write "
                    "it as a string, in quotation marks"
                )
            if not value.strip():
                raise SettingError(
                    f"option {key!r} has an empty {name}; fill it in or leave it out"
                )
        found[" ".join(well_formed(key).split())] = " ".join(well_formed(text).split())
    for name, values in (("key", [key for key, _ in pairs]), ("text", list(found.values()))):
        compared = [folded(value) for value in values]
        if twice := [value for value in values if compared.count(folded(value)) > 1]:
            raise SettingError(f"two options have the {name} {twice[0]!r}; make them differ")
    return found


def is_yes_no(options: Mapping[str, str]) -> bool:
    """Whether the options' texts are yes and no, with or without maybe."""
    texts = {folded(text).rstrip(".") for text in options.values()}
    return {"yes", "no"} <= texts <= set(YES_NO)


def folded(text: str) -> str:
    """An option as it is compared: in lower case, with single blanks."""
    return " ".join(well_formed(text).casefold().split())
