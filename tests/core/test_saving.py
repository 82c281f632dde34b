"""Files are written whole, beside and moved into place; nothing is replaced without being told."""

import errno
import os
import re

import pytest

from clearbar.core.documents import savable, save

pytestmark = pytest.mark.quick


def test_a_file_is_written_in_utf_8_with_plain_line_ends(tmp_path):
    save("naïve\n模型\n", tmp_path / "page")
    assert (tmp_path / "page").read_bytes() == "naïve\n模型\n".encode()
    assert os.listdir(tmp_path) == ["page"]  # noqa: PTH208


def test_what_is_there_stays_unless_told(tmp_path):
    path = tmp_path / "page"
    path.write_text("old")
    with pytest.raises(FileExistsError, match=re.escape(f"{path} is there already; pass overwrite=True")):
        save("new", path)
    assert path.read_text() == "old"
    save("new", path, overwrite=True)
    assert path.read_text() == "new"
    assert [found.name for found in tmp_path.iterdir()] == ["page"]


def test_a_file_that_came_in_the_meantime_stays(tmp_path, monkeypatch):
    path = tmp_path / "page"
    checked = []

    def late(*given, **options):
        found = savable(*given, **options)
        if not checked:
            path.write_text("someone else's")
        checked.append(found)
        return found

    monkeypatch.setattr("clearbar.core.documents.savable", late)
    with pytest.raises(FileExistsError, match="is there already"):
        save("ours", path)
    assert path.read_text() == "someone else's"
    assert [found.name for found in tmp_path.iterdir()] == ["page"]


def test_without_links_the_file_is_moved(tmp_path, monkeypatch):
    def refuse(*given):
        raise OSError("no links here")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    save("text", tmp_path / "page")
    with pytest.raises(FileExistsError):
        save("text", tmp_path / "page")
    assert [found.read_text() for found in tmp_path.iterdir()] == ["text"]


def test_a_failed_write_leaves_the_old_file_and_no_part(tmp_path):
    path = tmp_path / "page"
    path.write_text("old")
    with pytest.raises(TypeError):
        save(b"no text", path, overwrite=True)
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["page"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save("new", tmp_path / "link", overwrite=True)
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("overwrite", [False, True])
def test_folders_and_devices_are_refused(tmp_path, overwrite):
    with pytest.raises(ValueError, match="is a folder; give the name of a file"):
        savable(tmp_path, overwrite=overwrite)
    with pytest.raises(ValueError, match="no ordinary file"):
        savable(os.devnull, overwrite=overwrite)
    for nothing in ("", "a\0b", 3, b"page"):
        with pytest.raises(ValueError, match="path must be the name of a file; found"):
            savable(nothing, overwrite=overwrite)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        savable(tmp_path / "nowhere" / "page", overwrite=overwrite)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("link", [False, True])
def test_what_the_system_refuses_is_told_with_the_name_that_was_given(tmp_path, monkeypatch, overwrite, link):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "page"
    if link:
        path.symlink_to(tmp_path / "real")
    monkeypatch.setattr("os.fsync", full)
    before = os.listdir(tmp_path)  # noqa: PTH208
    with pytest.raises(OSError, match="no space left on device") as refused:
        save("text", path, overwrite=overwrite)
    assert str(refused.value) == f"{path} cannot be written: no space left on device."
    assert os.listdir(tmp_path) == before  # noqa: PTH208


def test_nor_is_a_part_named_where_the_folder_lets_no_file_in(tmp_path, monkeypatch):
    def refuse(self, *given, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(PermissionError) as refused:
        save("text", tmp_path / "page")
    assert str(refused.value) == f"{tmp_path / 'page'} cannot be written: permission denied."


def test_a_name_that_is_too_long_is_told_cut():
    with pytest.raises(OSError, match=r"aaa\.\.\. cannot be written: file name too long\.$") as refused:
        save("text", "a" * 10_000)
    assert len(str(refused.value)) < 120
