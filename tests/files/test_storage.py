import os
import stat
from pathlib import Path

import pytest

from geopar.errors import InputError
from geopar.files import storage


def codes(error):
    return [fault.code for fault in error.value.faults]


def test_bytes_come_back(tmp_path):
    storage.write_files({tmp_path / "a": b"one", tmp_path / "b": b"two"})
    assert storage.read_bytes(tmp_path / "a") == b"one"
    assert storage.read_bytes(tmp_path / "b") == b"two"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_missing_file_names_its_neighbour(tmp_path):
    (tmp_path / "city.json").write_text("{}")
    with pytest.raises(InputError, match=r"no-such-file.*Maybe .*city\.json") as error:
        storage.read_bytes(tmp_path / "citi.json")
    assert error.value.faults[0].field.endswith("citi.json")


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="There is no folder"):
        storage.read_bytes(tmp_path / "nowhere" / "city.json")


def test_directory_for_a_file(tmp_path):
    with pytest.raises(InputError) as error:
        storage.read_bytes(tmp_path)
    assert codes(error) == ["is-a-directory"]


def test_no_permission_to_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError) as error:
        storage.read_bytes(tmp_path / "closed")
    assert codes(error) == ["no-permission"]


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "\ud800"])
def test_impossible_paths(path):
    with pytest.raises(InputError) as error:
        storage.read_bytes(path)
    assert codes(error)[0] in ("cannot-read", "no-such-file")


def test_impossible_target():
    with pytest.raises(InputError) as error:
        storage.write_files({Path("a\0b"): b""})
    assert codes(error) == ["cannot-write"]


@pytest.mark.parametrize("content", [b"", b" \n\t"])
def test_empty_file(tmp_path, content):
    (tmp_path / "empty").write_bytes(content)
    with pytest.raises(InputError) as error:
        storage.read_bytes(tmp_path / "empty")
    assert codes(error) == ["empty-file"]


def test_size_limit_stands_in_the_message(tmp_path):
    (tmp_path / "long").write_bytes(b"x" * 11)
    with pytest.raises(InputError, match="limit of 10") as error:
        storage.read_bytes(tmp_path / "long", most=10)
    assert codes(error) == ["too-large"]


def test_a_sparse_file_of_a_terabyte_is_refused_before_reading(tmp_path):
    with open(tmp_path / "huge.json", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(InputError, match="512,000,000"):
        storage.read_bytes(tmp_path / "huge.json")


def test_an_endless_device_is_refused():
    with pytest.raises(InputError) as error:
        storage.read_bytes("/dev/zero", most=1000)
    assert codes(error) == ["too-large"]


def test_target_folder_must_exist(tmp_path):
    with pytest.raises(InputError, match="no-such-folder"):
        storage.write_files({tmp_path / "nowhere" / "a": b""})


def test_target_must_not_be_a_folder(tmp_path):
    with pytest.raises(InputError, match="is-a-directory"):
        storage.write_files({tmp_path: b""})


def test_closed_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="no-permission"):
        storage.write_files({tmp_path / "a": b""})
    assert os.listdir(tmp_path) == []


def test_a_failure_in_the_second_file_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "first").write_bytes(b"old")
    real, opened = open, []

    def full_disk(path, mode):
        opened.append(path)
        if len(opened) == 2:
            raise OSError(28, "No space left on device")
        return real(path, mode)

    monkeypatch.setattr("builtins.open", full_disk)
    with pytest.raises(InputError, match=r"cannot-write.*No space left"):
        storage.write_files({tmp_path / "first": b"new", tmp_path / "second": b"new"})
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["first"]
    assert (tmp_path / "first").read_bytes() == b"old"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    storage.write_files({tmp_path / "link": b"new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    storage.write_files({Path("/dev/null"): b"gone"})
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_new_files_follow_the_umask(tmp_path):
    old = os.umask(0o022)
    try:
        storage.write_files({tmp_path / "a": b""})
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(tmp_path / "a").st_mode) == 0o644


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_in_the_usual_encodings(encoding):
    assert storage.decode("Größe".encode(encoding), "file") == "Größe"


def test_binary_junk_is_not_text():
    with pytest.raises(InputError, match=r"not-text.*at byte 1 ") as error:
        storage.decode(b"a\xff\xfe", "file")
    assert error.value.faults[0].field == "file"
    assert "in Excel: CSV UTF-8, or save as .xlsx" in error.value.faults[0].hint


def test_half_characters_cannot_be_written():
    with pytest.raises(InputError, match="bad-text"):
        storage.encode("\ud800", "file")
