"""The program's rules for English: each is defined once, for all that use it.

    lexicon     classes of words: articles, pronouns, verbs, negation, family, groups of people,
                months, …; all word lists of the program are data in its folder
    layout      paragraphs, headings and list items of a plain text
    text        words, sentences, tidy text, identity
        words       content words, those that name a topic, and forms of one word
    clauses     where the subject of a clause ends
    borders     where a clause ends
    quotable    sentences and lists that can be quoted alone
    variants    numbered and lettered kinds of one thing: type 1 and type 2
    quantities  numbers with their units, and when two are the same amount
    negations   the words that a text negates
    opposites   words that say the opposite of one another
    names       names of drugs and diseases, capitalised words, and the form in which names are
                compared

The modules here know the language, but not sources, models, passages or the graph. Modules here may
import only: each other.
"""
