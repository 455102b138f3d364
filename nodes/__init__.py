"""The steps of the graph, one per file: functions of state and runtime that return an update.

No file here imports a step. ``routes`` uses the rooms (folders by purpose) as the steps do, and no
room imports it. The other files are shared by steps and rooms: ``state``, ``policy`` (which
settings a caller may choose), and ``parts`` (the models and the index). They import only the first
two rooms, and a room imports only rooms that precede it:

    fields       types of the fields of the state
    settings     the settings of a run, in groups, and what follows from them
    evidence     how relevant passages are, and which text may be shown
    question     what was asked, and what is searched for next
    checking     whether a statement is supported
    choosing     which answer option is right
    remembering  which parts of a turn are remembered
    cost         calls of chat models: counted, priced, cached
    writing      the draft, the answer and its text

Codes such as [R5] name rows of ``docs/systems.md``. The *reader* is the model that reads a question
together with a passage (``anamnesis.models.reranker``). A parameter ``parts`` has the models and
the index (``nodes.parts``); the ``part`` of a statement or a hit is the number of its question.

The docstring of a room says which others it may import. Modules here may import only: everything
below ``nodes``, and all rooms of ``nodes``.
"""

from anamnesis.packages import require_our_packages

require_our_packages("prompts", "retrievers")
