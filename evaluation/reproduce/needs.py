"""The available data and models, and replacements for missing ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from huggingface_hub import try_to_load_from_cache

from anamnesis.errors import AnamnesisError, ModelError, SettingError
from anamnesis.models.folders import folder_of, gguf_of
from anamnesis.models.reference import FILE_SCHEMES, parse, remote_chat_of
from evaluation.reproduce.paper import Model, Need, Paper
from evaluation.results import placeless


class AvailableInputs(NamedTuple):
    """The data and models of a run.

    Attributes:
        files: The file of each data set; missing ones are left out.
        models: A reference by role; None if the run has no such model.
        lines: A line for each data set and model, shown before the run.
        missing: The lines of those that differ from the paper's.
    """

    files: Mapping[str, Path]
    models: Mapping[str, str | None]
    lines: Sequence[str]
    missing: Sequence[str]


def find(paper: Paper, folder: Path, given: Mapping[str, str]) -> AvailableInputs:
    """Find the paper's data and models.

    Args:
        paper: What is needed.
        folder: The folder of the data sets.
        given: By role, the reference of a model used instead of the paper's; ``none`` for no model,
            if the experiments have a part that needs none.

    Raises SettingError if a required data set is missing, or a role is unknown or needs a model;
    ModelError if a given model is missing.
    """
    roles = {item.role for item in paper.models}
    if wrong := sorted(set(given) - roles):
        raise SettingError(
            f"--models: {paper.system} has no model {wrong[0]!r}; it has {', '.join(sorted(roles))}"
        )
    files: dict[str, Path] = {}
    models: dict[str, str | None] = {}
    lines, missing = [], []
    for need in paper.data:
        line, file = _file(need, folder)
        lines.append(line)
        if file is not None:
            files[need.name] = file
        if file is None or file.name != need.files[0]:
            missing.append(line)
        if file is None and not need.part:
            raise SettingError(
                f"{line}; it is not in {folder}. Nothing of {paper.system} can be measured without "
                "it: put it there, or name the folder that has it with --data"
            )
    if not files:
        raise SettingError(
            f"{'; '.join(lines)}. {folder} has none of the data sets; name their folder with --data"
        )
    for model in paper.models:
        if given.get(model.role) == "none" and not model.without:
            without = sorted(item.role for item in paper.models if item.without)
            rest = f"; only {', '.join(without)} can be none" if without else ""
            raise SettingError(f"--models {model.role}=none: {paper.system} needs this model{rest}")
        line, models[model.role] = _model(model, given.get(model.role))
        lines.append(line)
        if models[model.role] != model.paper:
            missing.append(line)
    return AvailableInputs(files, models, lines, missing)


def check_settings(paper: Paper, given: Mapping[str, Any]) -> None:
    """Raise SettingError for a setting that would not count, though the page would name it."""
    roles = {item.setting: item.role for item in paper.models if item.setting}
    for name in given:
        if name in roles:
            raise SettingError(
                f"--set {name}: name this model with --models {roles[name]}=…, as the page does"
            )
        if name in paper.by_row or name == "index":
            raise SettingError(f"--set {name}: the experiments of {paper.system} set it themselves")


def _file(need: Need, folder: Path) -> tuple[str, Path | None]:
    there = next((folder / name for name in need.files if (folder / name).is_file()), None)
    name = f"data, {need.name}"
    if there is None:
        rest = f"; without it {need.part} is left out" if need.part else ""
        return f"{name}: no {' or '.join(need.files)} ({need.says}){rest}", None
    if there.name != need.files[0]:
        return f"{name}: no {need.files[0]}; used instead: {there.name}", there
    return f"{name}: {there.name}", there


def _model(model: Model, given: str | None) -> tuple[str, str | None]:
    name = f"model, {model.role}"
    if given is not None:
        reference = None if given == "none" else given
        if reference is not None and (reason := _lacking(reference, named=True)) is not None:
            raise reason
        paper = "" if reference == model.paper else f", in place of the paper's {model.paper}"
        paper += f"; {model.without}" if reference is None else ""
        return f"{name}: {placeless(given)}{paper}", reference
    if _lacking(model.paper) is None:
        return f"{name}: {model.paper}, the paper's", model.paper
    absent = f"{name}: the paper's {model.paper} is not available"
    for other in model.instead:
        if _lacking(other) is None:
            return f"{absent}; used instead: {other}", other
    return f"{absent}; {model.without}", None


def _lacking(reference: str, named: bool = False) -> AnamnesisError | None:
    """Why a model cannot be used; None if it can, as far as its files show.

    Models of the hub count only if they are cached, and chat providers only if the user ``named``
    them: nothing is fetched or sent without a request.
    """
    for one in reference.split("|"):
        try:
            parsed = parse(one)
            parsed = parse(parsed.name) if parsed.scheme == "llm" else parsed
            if not named and remote_chat_of(one) is not None:
                raise ModelError(f"{one} does not run on this machine")
            if parsed.scheme == "hf" and not named:
                if not isinstance(try_to_load_from_cache(parsed.name, "config.json"), str):
                    raise ModelError(f"{one} is not in the cache of the Hugging Face hub")
            elif parsed.scheme in FILE_SCHEMES and gguf_of(parsed) is None:
                folder_of(parsed)
        except AnamnesisError as error:
            return error
    return None
