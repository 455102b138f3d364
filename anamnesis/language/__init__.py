"""English as this program reads it: one definition of each thing, for all that asks.

    lexicon     classes of words: articles, pronouns, auxiliaries, negation, family, months, …
    layout      paragraphs, headings and list items of a plain text
    text        words, sentences, tidy text, identity
    words       which words carry meaning, and which are forms of one word
    topic       the words of a question that name its topic
    clauses     where the subject of a clause ends
    quotable    sentences and lists that can be quoted by themselves
    quantities  numbers with their units, and when two are the same amount
    negations   what a text negates
    opposites   words that say the opposite of one another
    names       names of drugs and diseases, and capitalised words

What belongs here knows the language and nothing of medicine's sources, models, passages or the
graph. May be imported: the files at the top of ``anamnesis``, and the other files of this folder.
"""
