"""An expert writes a note, or approves a document, and the question is asked again [M9]."""

from collections.abc import Callable, Mapping
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from anamnesis.address import Location
from anamnesis.memory.opening import open_memories
from anamnesis.memory.questions import Question, Questions
from anamnesis.memory.record import Memory
from anamnesis.models.embedding import load_embedder
from anamnesis.paths import default_memory
from nodes.settings.context import Context
from retrievers.opening import embedder_of
from retrievers.review import approve, waits

Ask = Callable[[str], str]
"""Returns the text of the answer to a question."""


def questions() -> Questions:
    """The questions in the data folder."""
    return Questions(default_memory())


def ask_function(
    graph: CompiledStateGraph[Any, Any, Any, Any], context: Context, config: Any = None
) -> Ask:
    """Asks a graph without a user: the answer is for the expert and the owner, and uses the
    memories of neither.
    """
    alone = context.changed({"user": None, "memory.consent": False, "memory.recall": False})

    def ask(question: str) -> str:
        return str(graph.invoke({"question": question}, config, context=alone)["answer"]["text"])

    return ask


def answer_with_note(
    question: str, by: str, text: str, audience: Mapping[str, str], ask: Ask
) -> Question:
    """Store an expert's note on a question, and ask it again.

    The note is a memory of the scope ``expert`` for the ``audience``; it does not contain the
    question, which belongs to its owner. Raises SettingError if there is no such question or the
    note is blank.
    """
    found = questions().get(question)
    answer = ask(found.text)  # asked first: if this fails, nothing is stored
    questions().get(question)  # nor if the owner has since deleted the question
    write_note(by, text, audience)
    return questions().decide(question, by, "answered", note=text.strip(), answer=answer)


def write_note(by: str, text: str, audience: Mapping[str, str]) -> Memory:
    """Store a note for everybody in the audience. Raises SettingError if it is blank."""
    made = Memory.make(
        owner=by, scope="expert", kind="residual", text=text.strip(), audience=dict(audience)
    )
    return open_memories().add(by, [made])[0]


def approve_document(
    question: str, by: str, collection: str, where: Location, ask: Ask
) -> Question:
    """Index a collection that waits for approval (``retrievers.review``), and ask again.

    Raises SettingError if there is no such question or collection.
    """
    found = questions().get(question)
    held = waits(where, collection)
    reference = embedder_of(where, held.embedder, held.rebuild)
    approve(where, collection, by, load_embedder(reference))
    return questions().decide(question, by, "answered", document=collection, answer=ask(found.text))


def dismiss(question: str, by: str) -> Question:
    """Decide that a question needs no answer. Raises SettingError if there is none."""
    return questions().decide(question, by, "dismissed")


def ask_again(question: str, by: str, ask: Ask) -> Question:
    """Ask a question again, after documents have changed. Raises SettingError if there is none."""
    found = questions().get(question)
    return questions().decide(question, by, "answered", answer=ask(found.text))


def for_experts(question: Question) -> dict[str, Any]:
    """The fields of a question that an expert sees: all except its owner."""
    return question.model_dump(mode="json", exclude={"owner", "seen"})
