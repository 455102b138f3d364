"""Texts made of what medical pages consist of."""

from hypothesis import strategies as st

PIECES = st.sampled_from(
    ["Take 5.5 mg.", "e.g.", "- item", "•", "1.", "Dr.", "E. coli", "(a.", "b)", "?", "\n", "\n\n"]
) | st.sampled_from(
    [
        "   ",
        "  ",
        " ",
        "\t",
        "\r\n",
        "U.S.",
        "Key Points",
        "Summary :",
        "word",
        '"',
        "!",
        "-",
        "*",
        "vitamins.3",
        "ends.Begins",
        "\u00a0",
        "\u2028",
        "\u200b",
        "é",
        "include",
    ]
)


TEXTS = st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join))
