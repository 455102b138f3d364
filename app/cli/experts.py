"""The command with which experts decide on waiting questions [M9]."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from app.run_options import INDEX_HELP, full_id, pairs_of, several

if TYPE_CHECKING:
    from anamnesis.memory.questions import Question


def add_command(commands: Any) -> None:
    """``anamnesis experts list | show | note | approve | again | dismiss | write``."""
    command = commands.add_parser(
        "experts",
        help="decide on questions that wait for an expert",
        description="Questions wait here if they were not answered or their answer was rated "
        "wrong, provided that the user agreed to this.",
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    shown = kinds.add_parser("list", help="list the questions that wait, most frequent first")
    shown.add_argument("--all", action="store_true", help="also list questions that are decided")
    shown.add_argument("--json", action="store_true", help="print them as JSON")
    shown.set_defaults(run=_list)
    one: dict[str, Any] = {"metavar": "ID", "help": "id of the question, or the beginning of it"}
    show = kinds.add_parser("show", help="show a question, its answer and the decision")
    show.add_argument("id", **one)
    show.set_defaults(run=_show)
    note = kinds.add_parser("note", help="write a note on a question, and ask it again")
    approve = kinds.add_parser(
        "approve", help="approve a collection that waits for approval, and ask again"
    )
    again = kinds.add_parser("again", help="ask a question again")
    dismiss = kinds.add_parser("dismiss", help="close a question without an answer")
    for item in (note, approve, again, dismiss):
        item.add_argument("id", **one)
    write = kinds.add_parser("write", help="write a note without a question")
    for item in (note, write):
        item.add_argument("text", metavar="TEXT", help="the note")
        who = "who sees the note, such as department=lungs (default: everybody)"
        several(item, "--audience", "NAME=VALUE", who)
    approve.add_argument("collection", metavar="NAME", help="see `anamnesis review list`")
    for item in (note, approve, again):
        item.add_argument("--index", metavar="DIR", help=INDEX_HELP)
    for item in (note, approve, again, dismiss, write):
        item.add_argument("--by", metavar="WHO", required=True, help="expert's name; it is stored")
        item.set_defaults(run=_decide)


def _list(given: argparse.Namespace) -> int:
    from app.experts.deciding import for_experts, questions
    from app.users.audit import record

    record("read", "questions")
    found = questions().all(None if given.all else "waiting")
    if given.json:
        print(json.dumps([for_experts(item) for item in found], ensure_ascii=False, indent=2))
    else:
        for item in found:
            times = f", asked {item.times} times" if item.times > 1 else ""
            print(f"{item.id[:8]}  {item.created:%Y-%m-%d}  {item.state}, {item.why}{times}")
            print(f"    {item.text}")
        if not found:
            print("no question waits for an expert")
    return 0 if found else 1


def _show(given: argparse.Namespace) -> int:
    from app.experts.deciding import for_experts
    from app.users.audit import object_name, record

    found = _question_with_prefix(given.id)
    record("read", object_name("question", found.id))
    for name, value in for_experts(found).items():
        if value:
            print(f"{name}: {value}")
    return 0


def _decide(given: argparse.Namespace) -> int:
    from app.experts import deciding
    from app.users.audit import object_name, recorded

    if given.kind == "write":
        with recorded("change", "memories", owner=given.by):
            memory = deciding.write_note(given.by, given.text, _audience(given))
        print(f"{memory.id[:8]}: {memory.text}")
        return 0
    question = _question_with_prefix(given.id).id
    with recorded("change", object_name("question", question)):
        if given.kind == "dismiss":
            decided = deciding.dismiss(question, given.by)
        else:
            decided = _asked_again(question, given)
    print(f"{decided.id[:8]} is {decided.state}")
    if decided.state == "answered":
        print(f"asked again:\n{decided.answer}")
    return 0


def _asked_again(question: str, given: argparse.Namespace) -> "Question":
    from anamnesis.paths import index_at
    from app.experts import deciding
    from app.users.identity import readable
    from graph import Context, build_graph

    context = Context.model_validate({"index": given.index} if given.index else {})
    # Its user and the experts see the answer.
    ask = deciding.ask_function(build_graph(filter=readable(None)), context)
    if given.kind == "note":
        return deciding.answer_with_note(question, given.by, given.text, _audience(given), ask)
    if given.kind == "approve":
        where = index_at(given.index)
        return deciding.approve_document(question, given.by, given.collection, where, ask)
    return deciding.ask_again(question, given.by, ask)


def _question_with_prefix(start: str) -> "Question":
    """The question whose id has this prefix. Raises SettingError unless there is exactly one."""
    from app.experts.deciding import questions

    ids = (item.id for item in questions().all())
    return questions().get(full_id(ids, start, "questions"))


def _audience(given: argparse.Namespace) -> dict[str, str]:
    return pairs_of(given.audience, "--audience", "NAME=VALUE")
