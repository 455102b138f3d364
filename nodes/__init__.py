"""The steps of the graph, one per file: functions of state and runtime that return an update.

Next to the nine steps are the files that they all share: ``state``, ``codes`` (of what the state
keeps and a text says), ``context`` (the settings of a run), ``policy``, ``parts`` (the models and
the index), ``routes``. The helpers of the steps are in rooms (folders by purpose):

    settings     the groups of settings, presets, and defaults that depend on other settings
    question     what was asked, and what is searched for next
    evidence     how relevant passages are, and which text may be shown
    checking     whether a statement is supported
    choosing     which answer option is right
    writing      the draft, the answer and its text
    remembering  which parts of a turn are remembered
    cost         calls of chat models: counted, priced, cached

The docstring of a room says which other rooms it may import; no file here imports a step. May be
imported: everything below ``nodes``, and, by the steps and what they share, all rooms of ``nodes``.
"""

from anamnesis.packages import require_own

require_own("prompts", "retrievers")
