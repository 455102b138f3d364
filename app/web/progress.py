"""The progress of a run as HTML: its steps, the draft, and what is checked so far."""

from collections.abc import Sequence

from app.web.markup import Markup, html, joined, notice
from app.web.statements import streamed_html
from nodes.writing.streamed import Streamed

STEPS = {
    "screen": "Reading the question",
    "recall": "Recalling memories that you agreed to keep",
    "retrieve": "Searching the documents",
    "rerank": "Ranking the passages found",
    "generate": "Drafting statements",
    "verify": "Checking each statement against its source",
    "rewrite": "Searching again for statements that were not supported",
    "fallback": "Keeping only supported statements",
    "remember": "Closing",
}
"""What each step of the graph does, shown while the user waits."""


def progress_html(
    steps: Sequence[tuple[str, int]],
    draft: Sequence[str] = (),
    checked: Sequence[Streamed] = (),
    urgent: str = "",
) -> Markup:
    """The progress of a run: (step, round) in order, the last one in progress.

    ``draft`` is the unchecked text of the generator; ``checked`` are supported statements, which
    stay in the answer. ``urgent`` is the note on a possible emergency.
    """
    items = joined(
        html(
            '<li class="{}"{}>{}{}</li>',
            "doing" if last else "done",
            Markup(' aria-current="step"') if last else "",
            STEPS.get(step, step),
            f" (search {number})" if number > 1 and step == "retrieve" else "",
        )
        for last, (step, number) in (
            (place == len(steps), shown) for place, shown in enumerate(steps, 1)
        )
    )
    shown = notice("urgent", "Get help now", urgent) if urgent else Markup()
    shown += html('<ol class="progress" role="status" aria-label="Progress">{}</ol>', items)
    if checked:
        shown += html(
            '<section class="checked" aria-live="polite" aria-busy="true" '
            'aria-label="Checked so far"><ol>{}</ol></section>',
            joined(streamed_html(item) for item in checked),
        )
    if draft:
        shown += html(
            '<div class="draft" aria-busy="true"><p class="label">Draft: not checked yet'
            "</p>{}</div>",
            joined(html("<p>{}</p>", text) for text in draft),
        )
    return shown
