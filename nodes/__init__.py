"""The steps of the graph, one per file: functions of state and runtime that return an update.

Beside the nine steps lie what they all share: ``state``, ``context`` (the settings of a run),
``policy``, ``parts`` (the models and the index), ``routes``. What serves the steps lies in rooms:

    settings     the groups of settings, presets, and defaults that depend on other settings
    question     what was asked
    evidence     what passages are worth, and what of them may be shown
    checking     whether a statement is supported
    choosing     which answer option is right
    writing      the draft, the answer and its text
    remembering  what of a turn is remembered
    cost         calls of chat models: counted, priced, cached

A room may import everything below ``nodes``, what the steps share, and other rooms; never a step.
"""

from anamnesis.packages import require_own

require_own("prompts", "retrievers")
