"""Codes in the state and the answer that are shown as text: nothing reads them back from a text."""

from typing import Literal

from typing_extensions import TypedDict

Reason = Literal[
    "supported",  # every statement is supported
    "unchecked",  # no critic was set, or it did not answer, and no statement is shown
    "some_unsupported",  # only the supported statements are shown
    "part_unanswered",  # one of several questions has no answer
    "unsupported",  # no statement was supported, and no round is left
    "no_evidence",  # nothing was found
    "weak_evidence",  # the passages found do not answer the question
    "undecided",  # no option of a multiple choice question was confirmed
    "not_found",  # the generator found no answer in the evidence
    "nothing_asked",  # a greeting, a thank-you, or a yes or no that answers no offer
    "emergency",  # the message describes an emergency
    "remembered",  # the user's own words answer a question about their record
]
"""The reason for an answer's outcome."""

Problem = Literal[
    "silent",  # the chat model did not answer, or could not be loaded
    "withheld",  # the sources do not confirm what it wrote
    "no_statement",  # its reply holds no statement
    "no_option",  # its reply does not name exactly one of the options
]
"""Why the passages are quoted in place of a chat model's answer."""

NoteCode = Literal[
    "emergency",  # whom to call, as the message may describe an emergency
    "crisis",  # whom to call about thoughts of self-harm
    "condensed",  # the one line to which a chat model condensed the message
    "spelling",  # words whose spelling was corrected for the search
    "alias",  # a name that the documents list as another name of something
    "premise",  # no source supports an assumption in the question
    "problem",  # the documents are quoted in place of the chat model's answer
    "option_nearest",  # the option is the nearest to the documents, and was not checked
    "option_drafted",  # the chat model chose the option, and it was not checked
    "unmentioned",  # no shown source mentions what the question says about a person
    "topics",  # the question does not say which of several topics is meant
    "uncertain",  # the statements may not answer the question
    "conflicting_words",  # the user's quoted words contradict each other
    "own_words",  # the user's words are quoted
    "notice",  # an earlier answer is outdated, or an expert has answered a question
    "profile_unread",  # the stored profile could not be read
    "facts_unread",  # the facts of the index could not be compared with the profile
]
"""What a note of an answer is about."""


class FailedCheck(TypedDict):
    """A check that a statement fails: its code, and what failed ("" if the code says it all)."""

    code: str
    found: str


def failed_check_text(failed: FailedCheck) -> str:
    """A failed check as a text for the answer and the trace, such as 'number: 50 mg'."""
    return f"{failed['code']}: {failed['found']}" if failed["found"] else failed["code"]
