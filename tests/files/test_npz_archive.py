import io
import struct
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest

from geopar.errors import Faults, InputError
from geopar.files.npz_archive import (
    LONGEST_HEADER,
    MOST_GROWTH,
    MOST_MEMBERS,
    SMALL_BYTES,
    Header,
    NpzArchive,
)


def opened(data):
    return NpzArchive(Faults(), data, "a.npz")


def refused(data):
    """The fault, and the most memory that it took to find it."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught, opened(data) as archive:
            archive.check_size(archive.headers())
        return caught.value.faults[0], tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def zipped(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_arrays_come_out_as_they_went_in():
    arrays: dict[str, Any] = {"a": np.arange(6.0).reshape(2, 3), "b": np.arange(4, dtype=np.int8)}
    for save in (np.savez, np.savez_compressed):
        buffer = io.BytesIO()
        save(buffer, **arrays)
        with opened(buffer.getvalue()) as archive:
            headers = archive.headers()
            archive.check_size(headers)
            assert headers["a"] == Header((2, 3), np.dtype(np.float64))
            assert sorted(archive.members) == ["a", "b"]
            for name, array in arrays.items():
                assert np.array_equal(archive.array(name), array)


def test_what_is_far_larger_than_its_file_is_refused_unread():
    data = zipped({"locs.npy": npy(np.zeros((50_000, 100)))})
    assert len(data) < 100_000
    fault, memory = refused(data)
    assert (fault.code, fault.field) == ("too-large", "a.npz")
    assert f"{MOST_GROWTH} times" in fault.message
    assert memory < SMALL_BYTES


def test_many_arrays_count_together():
    one = npy(np.zeros(SMALL_BYTES // 16))
    with opened(zipped({"a.npy": one})) as archive:
        archive.check_size(archive.headers())
    fault, _ = refused(zipped({f"a{i}.npy": one for i in range(3)}))
    assert fault.code == "too-large"


def test_small_numbers_count_as_what_they_become():
    header = Header((1000,), np.dtype(np.int8))
    assert header.num_bytes == 8000


def test_a_header_of_megabytes_is_refused_unread():
    length = 50_000_000
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }".ljust(length)
    data = zipped({"locs.npy": b"\x93NUMPY\x02\x00" + struct.pack("<I", length) + text})
    fault, memory = refused(data)
    assert (fault.code, fault.field) == ("bad-npz", "locs")
    assert "50,000,000" in fault.message
    assert memory < SMALL_BYTES
    assert length > LONGEST_HEADER


def test_members_are_counted_before_the_directory_is_read():
    data = zipped({f"a{i}.npy": b"" for i in range(MOST_MEMBERS + 1)}, zipfile.ZIP_STORED)
    fault, _ = refused(data)
    assert (fault.code, fault.value) == ("too-large", str(MOST_MEMBERS + 1))


def test_ways_to_compress_that_have_no_limit_are_refused():
    fault, memory = refused(zipped({"locs.npy": bytes(20_000_000)}, zipfile.ZIP_LZMA))
    assert (fault.code, fault.field) == ("bad-npz", "locs")
    assert memory < SMALL_BYTES


def test_a_spreadsheet_is_told_apart():
    sheet = {"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"}
    fault, _ = refused(zipped(sheet))
    assert "spreadsheet" in fault.message
    assert ".xlsx" in fault.hint


def test_any_other_zip_is_told_apart():
    fault, _ = refused(zipped({"readme.txt": "hello"}))
    assert (fault.code, fault.field) == ("bad-npz", "a.npz")
    assert "without arrays" in fault.message


def test_what_is_cut_short_or_damaged_is_told():
    faults = Faults()
    stored = bytearray(zipped({"locs.npy": npy(np.ones(2000))}, zipfile.ZIP_STORED))
    stored[12_000] ^= 1  # among the last numbers, far from the header
    with NpzArchive(faults, bytes(stored), "a.npz") as archive:
        archive.check_size(archive.headers())
        archive.array("locs")
    assert [(fault.code, fault.field) for fault in faults.found] == [("bad-npz", "locs")]
