"""What writes the answer, from what, and how it is streamed."""

from typing import Annotated, Literal

from pydantic import Field

from anamnesis.corpus.weight import TYPES, SourceType
from anamnesis.documented import Documented
from nodes.settings.references import ModelReference
from prompts import FormName, Name


class GeneratorSettings(Documented):
    """The generator, its prompt, and what the user sees before the answer is complete."""

    model: ModelReference = "extractive"
    """`extractive` quotes the evidence; any other value is the reference of a chat model, such as
    `ollama:llama3.1` or `hf:microsoft/phi-2` [H6, R5]."""
    temperature: float = Field(0.3, ge=0, le=2)
    """Temperature of the chat model [R5]."""
    max_tokens: int = Field(1024, ge=1)
    """Maximum number of tokens of the model's answer [R5]."""
    seed: int | None = None
    """Random seed of the chat model, if it accepts one."""
    redact: bool = False
    """Replace identifying names, dates, addresses and numbers by placeholders before a chat model
    sees them; the answer contains the original words."""
    structured: bool = True
    """Ask a chat model for statements in a schema, if it supports this. If it does not, if this
    setting is false, or if the draft or its statements are streamed, the model writes plain text
    [S3]."""
    passages: int | None = Field(None, ge=1, le=20)
    """Number of passages that are given to the generator [R4]. Default: 3, or 8 if the prompt has
    at least 4,096 tokens."""
    prompt_tokens: Annotated[int, Field(ge=64)] | Literal["window"] | None = None
    """Maximum number of tokens of the prompt, counted by the generator's tokenizer [H4]. Default: a
    sixteenth of the context window that the chat model states, but at least 1,024 and at most
    8,192; 1,024 if it states none. `window`: the whole context window less `generator.max_tokens`,
    but at least half of it; no limit if the model states no window."""
    fact_tokens: int | None = Field(None, ge=0)
    """Part of `generator.prompt_tokens` that is reserved for facts of a knowledge base [K3].
    Default: a quarter."""
    prompt_format: FormName = "numbered"
    """How the documents are written in the prompt: `numbered` under their headings, in `pairs` of
    question and answer [R5], or as `facts` before a question whose answer is the exact words of an
    option [K4]."""
    prompts: dict[Name, str] = Field({})
    """Prompts that replace the project's own, each a text or the path of a file."""
    max_statements: int = Field(6, ge=1, le=30)
    """Maximum number of statements of an extractive answer, not counting a statement that qualifies
    the one before it. From 6 on, two statements of a further page may follow a page that is quoted
    whole; they are not counted either."""
    source_order: tuple[SourceType, ...] = TYPES
    """Order of the types of sources, the strongest first. If several sources say the same thing,
    the stronger and then the newer one is cited first [R9]. Of almost equally relevant sources the
    stronger one is quoted first, and pages that are weaker than the strongest cited one are not
    listed below an answer. If empty, neither type nor date counts."""
    alternatives: int = Field(2, ge=0, le=10)
    """Maximum number of other pages that are listed below an answer because they may answer the
    question too. Each is listed with the sentence that a good answer most probably quotes,
    according to the reranker [R9]."""
    stream_draft: bool = False
    """Stream the chat model's text as it is written, tagged `draft`; it is unchecked [R5]."""
    stream_statements: bool = False
    """Stream each supported statement as soon as it is checked, while the chat model is still
    writing; streamed statements stay in the answer."""
