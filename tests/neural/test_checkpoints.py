"""Checkpoints are read, and whatever else is in them stays asleep."""

import os
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.neural.checkpoints import Placeholder, read_checkpoint

CALLED: list[str] = []


def called(*parts: Any) -> str:
    """What a hostile pickle would call."""
    CALLED.append("called")
    return "called"


class Hostile:
    """Calls something when it is unpickled."""

    def __init__(self, what: Any, *parts: Any) -> None:
        self.what, self.parts = what, parts

    def __reduce__(self) -> tuple[Any, ...]:
        return self.what, self.parts


class Stranger:
    """An object of a class that the reader does not know, with a state and items."""

    def __init__(self) -> None:
        self.settings = {"a": [1, 2, 3]}


def saved(path: Path, state: dict[str, Any], **more: Any) -> Path:
    torch.save({"state_dict": OrderedDict(state), **more}, path)
    return path


def test_tensors_come_back(tmp_path: Path) -> None:
    base = torch.arange(24.0).reshape(4, 6)
    state = {
        "plain": base.clone(),
        "turned": base.T,
        "part": base[1:3, 2:],
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "double": base.double(),
        "half": base.half(),
        "brain": base.bfloat16(),
        "empty": torch.empty(0, 3),
        "number": torch.tensor(3.5),
    }
    found = read_checkpoint(saved(tmp_path / "a.ckpt", state))
    assert found.keys() == state.keys()
    for name, tensor in state.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor.detach())


def test_everything_else_is_a_placeholder(tmp_path: Path) -> None:
    more = {"hyper_parameters": {"env": Stranger(), "kinds": {1, 2}, "size": torch.Size([3])}}
    state = {"w": torch.ones(2), "object": Stranger(), "whole": torch.arange(3)}
    found = read_checkpoint(saved(tmp_path / "a.ckpt", state, **more))
    assert list(found) == ["w"]  # whole numbers are no weights


@pytest.mark.parametrize(
    "hostile",
    [
        Hostile(called, "rm -rf"),
        Hostile(os.system, "exit 1"),
        Hostile(eval, "CALLED.append(1)"),
        Hostile(getattr, called, "__globals__"),
        Hostile(torch.nn.Linear, 3, 3),
    ],
    ids=lambda one: one.what.__name__,
)
def test_a_hostile_pickle_calls_nothing(tmp_path: Path, monkeypatch, hostile: Hostile) -> None:
    monkeypatch.setattr(os, "system", called)
    CALLED.clear()
    path = saved(tmp_path / "a.ckpt", {"w": torch.ones(2), "h": hostile}, other=hostile)
    assert list(read_checkpoint(path)) == ["w"]
    assert CALLED == []


def rewritten(path: Path, data: bytes) -> Path:
    """The same archive with another pickle."""
    target = path.with_name("rewritten.ckpt")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, data if name.endswith("data.pkl") else old.read(name))
    return target


def pickled(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("data.pkl")]
        return archive.read(name)


@pytest.mark.parametrize(
    "data",
    [
        b"cos\nsystem\n(S'exit 1'\ntR.",
        b"(S'exit 1'\nios\nsystem\n.",
        b"\x80\x02cbuiltins\neval\n(X\x04\x00\x00\x001/0ltR.",
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}(X\x0c\x00\x00\x00__defaults__K\x01u\x86b.",
        b"\x80\x02cbuiltins\nlist\n}X\x01\x00\x00\x00aK\x01sb.",
        b"\x80\x02ctorch\nFloatStorage\n)R.",
        b"\x80\x02r\xff\xff\xff\x7f.",
        b"\x80\x02" + b"(" * 5000 + b".",
        b"\x80\x02]" + b"]" * 20_000 + b"." ,
        b"",
        b".",
        b"\x80\x09.",
    ],
)  # fmt: skip
def test_other_pickles_are_refused(tmp_path: Path, monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(os, "system", called)
    CALLED.clear()
    path = rewritten(saved(tmp_path / "a.ckpt", {"w": torch.ones(2)}), data)
    with pytest.raises(InputError, match="damaged-weights"):
        read_checkpoint(path)
    assert CALLED == []


def test_nothing_is_changed_for_the_next_reader(tmp_path: Path) -> None:
    whole = saved(tmp_path / "a.ckpt", {"w": torch.ones(2)})
    poison = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nN}X\x05\x00\x00\x00_name"
    poison += b"X\x01\x00\x00\x00xs\x86b."
    with pytest.raises(InputError):
        read_checkpoint(rewritten(whole, poison))
    assert list(read_checkpoint(whole)) == ["w"]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_file(tmp_path: Path, share: float) -> None:
    path = saved(tmp_path / "a.ckpt", {"w": torch.ones(2000)})
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(InputError, match="damaged-weights"):
        read_checkpoint(path)


@given(st.data())
def test_no_byte_of_a_pickle_may_surprise(tmp_path_factory, data) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    path = saved(folder / "a.ckpt", {"w": torch.ones(2)}, more={"a": [1, "b", Stranger()]})
    content = bytearray(pickled(path))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255))
    try:
        found = read_checkpoint(rewritten(path, bytes(content)))
    except InputError:
        return
    assert all(isinstance(tensor, torch.Tensor) for tensor in found.values())


def test_a_tensor_beyond_its_storage_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.ckpt", {"w": torch.ones(7)})
    content = pickled(path)
    assert content.count(b"K\x07") == 2  # in the storage and in the shape
    last = content.rindex(b"K\x07")
    changed = content[:last] + b"K\x63" + content[last + 2 :]
    with pytest.raises(InputError, match="damaged-weights"):
        read_checkpoint(rewritten(path, changed))


def test_a_compressed_archive_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.ckpt", {"w": torch.zeros(100_000)})
    small = tmp_path / "small.ckpt"
    with (
        zipfile.ZipFile(path) as old,
        zipfile.ZipFile(small, "w", compression=zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(InputError, match="damaged-weights"):
        read_checkpoint(small)


def test_files_of_other_kinds(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-such-file"):
        read_checkpoint(tmp_path / "missing.ckpt")
    (tmp_path / "text").write_text("hello")
    (tmp_path / "old").write_bytes(pickle.dumps({"state_dict": {}}))
    for name in ("text", "old"):
        with pytest.raises(InputError, match="no checkpoint of PyTorch"):
            read_checkpoint(tmp_path / name)
    torch.save([torch.ones(2)], tmp_path / "list")
    with pytest.raises(InputError, match="holds no tensors"):
        read_checkpoint(tmp_path / "list")


def test_placeholders_take_everything() -> None:
    one = Placeholder(1, a=2)
    one.append(1)
    one.extend([1])
    one.add(1)
    one["a"] = 1
    assert one("anything") is one
