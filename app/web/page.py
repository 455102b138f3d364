"""The web page: its layout, and how it is mounted into a server or served alone.

Nothing is loaded from other sites: system fonts are used, Gradio's telemetry, share links and run
history are off, and a content security policy forbids other origins.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.listening import listen
from app.server.recording import unchanged_settings
from app.users.door import FromHere, is_here
from app.web.experts import Experts
from app.web.handlers import Handlers
from graph.step import ApplyPolicy

_HERE = Path(__file__).parent
_SCRIPT = (_HERE / "page.js").read_text("utf-8")
_SANS = ("system-ui", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "sans-serif")
_MONO = ("ui-monospace", "Menlo", "Consolas", "Liberation Mono", "monospace")
_PAPER = ("#fbfaf6", "#15191b")  # light and dark; as in style.css
_HEADERS = {
    # Gradio's own scripts are inline, and it makes functions of templates.
    "content-security-policy": "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; "
    "frame-ancestors 'self'",
    "referrer-policy": "no-referrer",
}
# None of the page's functions is an API for programs: the server has its own.
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
_FILES = ("/file=", "/file/", "/proxy=", "/upload")
_TITLE = (
    "<header><h1>Anamnesis</h1><p>Medical questions, answered so that you can check every "
    "sentence. Information, not medical advice.</p></header>"
)


def mount(
    app: Starlette,
    path: str = "/app",
    *,
    context: Mapping[str, Any] | None = None,
    typed_names: bool = True,
    policy: ApplyPolicy = unchanged_settings,
) -> None:
    """Mount the page into a Starlette or FastAPI app, such as langgraph.json's ``http.app``.

    ``context`` are the settings of its runs. If the server authenticates requests (they have a
    ``user`` in their scope), that identity is the user. ``typed_names`` lets everybody else enter a
    name: switch it off if the page is reached by people who may not see each other's memories.
    ``policy`` applies the policy to the settings.
    """
    if path != "/":
        # Some servers do not add the slash that a mounted app needs.
        app.router.routes.append(Route(path, RedirectResponse(f"{path.rpartition('/')[2]}/")))

    def mount_page() -> None:
        gr.mount_gradio_app(
            app,  # only attributes of Starlette apps are used
            build(Handlers(dict(context or {}), typed_names, policy)),
            path,
            footer_links=[],
            run_history=False,  # the browser would keep the questions
            max_file_size=1,  # the page accepts no files
            show_error=False,
            ssr_mode=False,
            mcp_server=False,
            pwa=False,
            enable_monitoring=False,
            theme=gr.themes.Base(font=_SANS, font_mono=_MONO, radius_size="sm").set(
                body_background_fill=_PAPER[0], body_background_fill_dark=_PAPER[1]
            ),
            css_paths=[_HERE / "style.css"],
        )

    async def put_in_loop() -> None:
        mount_page()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Outside a loop each of Gradio's locks makes a new loop and leaves it open.
        asyncio.run(put_in_loop())
    else:
        mount_page()
    app.router.routes[-1].app.add_middleware(_Sealed)  # type: ignore[attr-defined]


def serve(host: str, port: int, context: Mapping[str, Any]) -> None:
    """Serve the page alone until it is interrupted.

    On an address that other machines can reach no name can be entered, and there are no memories.
    Raises SettingError if the address cannot be used.
    """
    listening = listen(host, port)
    alone = is_here(host)
    app = Starlette(middleware=[Middleware(FromHere)] if alone else [])
    mount(app, "/", context=context, typed_names=alone)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])


def build(handlers: Handlers) -> gr.Blocks:
    """The page, connected to its handlers."""
    blocks = gr.Blocks(title="Anamnesis", analytics_enabled=False)
    tried = [[item] for item in handlers.examples()]
    with blocks:
        talk = gr.State(None)
        gr.HTML(_TITLE, elem_id="title", apply_default_css=False)
        name, consent = _who(handlers)
        with gr.Tabs():
            with gr.Tab("Ask"):
                _ask(handlers, tried, name, consent, talk)
            with gr.Tab("Compare"):
                _compare(handlers, tried)
            with gr.Tab("Trace") as traces:
                chosen = gr.Dropdown([], label="Run", interactive=True, elem_id="run")
                steps = _part("steps")
            with gr.Tab("Memory") as kept:
                memories = _part("kept")
            with gr.Tab("Experts", visible=handlers.typed_names) as waiting:
                questions = _part("questions")
        blocks.load(handlers.arrive, None, [name, consent], **_QUIET)
        experts = Experts(handlers)
        blocks.load(experts.arrive, None, [waiting], **_QUIET)
        waiting.select(experts.listed, [name], [questions], **_QUIET)
        questions.click(experts.act, [name], [questions], **_QUIET)
        seen = [chosen, name, talk]
        traces.select(handlers.runs, [name, talk], [chosen], **_QUIET).then(
            handlers.trace, seen, [steps], **_QUIET
        )
        chosen.input(handlers.trace, seen, [steps], **_QUIET)
        gr.on(
            [kept.select, name.submit, name.blur],
            handlers.memories,
            [name, talk],
            [memories],
            **_QUIET,
        )
        memories.click(handlers.act, [name, talk], [memories], **_QUIET)
    return blocks


def _who(handlers: Handlers) -> tuple[gr.Textbox, gr.Checkbox]:
    """The fields for the name of the user and the consent to memories."""
    with gr.Row(elem_id="who"):
        name = gr.Textbox(
            handlers.context.get("user") or "",
            label="Your name",
            placeholder="used only for memories",
            max_lines=1,
            visible=handlers.typed_names,
        )
        consent = gr.Checkbox(
            bool(handlers.context.get("memory.consent")),
            label="Remember what I ask",
            visible=handlers.typed_names,
        )
    return name, consent


def _ask(
    handlers: Handlers, tried: list[list[str]], name: gr.Textbox, consent: gr.Checkbox,
    talk: gr.State,
) -> None:  # fmt: skip
    """The tab for questions and their answers."""
    with gr.Row(elem_classes="asked"):
        question = gr.Textbox(
            label="Question", placeholder="Ask a medical question", max_lines=6, autofocus=True
        )
        asking = gr.Button("Ask", variant="primary")
        anew = gr.Button("New conversation", visible=False)
    gr.Examples(tried, [question], label="Try")
    with gr.Accordion("Multiple choice", open=False):
        options = gr.Textbox(
            label="Options, one per line; yes and no make it a yes/no question", lines=3
        )
    answer = _part("answer")
    answering = gr.on(
        [asking.click, question.submit],
        handlers.ask,
        [question, options, name, consent, talk],
        [answer, talk, question, anew],
        concurrency_limit=4,
        **_QUIET,
    )
    cleared = [answer, talk, question, options, anew]
    anew.click(handlers.anew, None, cleared, cancels=[answering], **_QUIET)


def _compare(handlers: Handlers, tried: list[list[str]]) -> None:
    """The tab that shows what each search finds."""
    with gr.Row(elem_classes="asked"):
        sought = gr.Textbox(label="Question", placeholder="See what each search finds")
        comparing = gr.Button("Compare", variant="primary")
    gr.Examples(tried, [sought], label="Try")
    columns = _part("columns")
    gr.on(
        [comparing.click, sought.submit],
        handlers.compare,
        [sought],
        [columns],
        **{**_QUIET, "show_progress": "minimal"},
    )


def _part(name: str) -> gr.HTML:
    """A part of the page with custom HTML."""
    return gr.HTML(js_on_load=_SCRIPT, apply_default_css=False, elem_id=name)


class _Sealed:
    """Adds the headers to every response of the page, and closes Gradio's file routes.

    The page has no files, and Gradio would open paths or addresses that a request names.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        shut = any(part in scope.get("path", "") for part in _FILES)
        app = PlainTextResponse("the page has no files", 404) if shut else self._app
        await app(scope, receive, sealed)
