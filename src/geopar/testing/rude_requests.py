"""What a hostile client sends: requests that ask for far more than they are worth, or lie."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from geopar.problems.kinds import KINDS as KINDS_OF_PROBLEMS
from geopar.testing.fuzzed_files import fuzzed
from geopar.testing.npz_bombs import BOMBS

Random = np.random.Generator

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
PATHS = (
    b"/solve", b"/jobs", b"/validate", b"/check", b"/generate", b"/trace", b"/sheet", b"/bound",
)  # fmt: skip
BOUNDARY = b"b0undary"


def _one_of(rng: Random, choices: Sequence[bytes]) -> bytes:
    return choices[int(rng.integers(len(choices)))]


def _post(rng: Random, body: bytes, headers: bytes = JSON, length: int | None = None) -> bytes:
    path = _one_of(rng, PATHS)
    said = len(body) if length is None else length
    return b"POST %s HTTP/1.1\r\n%s%sContent-Length: %d\r\n\r\n%s" % (
        path, HOST, headers, said, body,
    )  # fmt: skip


def _upload(name: str, data: bytes) -> bytes:
    """A form with one file."""
    body = b'--%s\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n' % (
        BOUNDARY, name.encode(),
    )  # fmt: skip
    body += data + b"\r\n--" + BOUNDARY + b"--\r\n"
    head = b"POST /read HTTP/1.1\r\n" + HOST
    head += b"Content-Type: multipart/form-data; boundary=" + BOUNDARY + b"\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def nested(rng: Random) -> bytes:
    """Lists or objects in each other, as deep as it goes."""
    depth = int(rng.choice([100, 10_000, 1_000_000]))
    return _post(rng, (b"[" if rng.random() < 0.5 else b'{"problem":') * depth)


def huge_numbers(rng: Random) -> bytes:
    """Numbers that no one can compute with."""
    digits = b"9" * int(rng.choice([400, 5000, 1_000_000]))
    number = _one_of(rng, [digits, b"1e" + digits, b"-" + digits + b".5", b"0." + digits])
    return _post(rng, b'{"setting": "hcvrp/5/2", "seed": %s, "time_limit": %s}' % (number, number))


def unknown_fields(rng: Random) -> bytes:
    """More fields than anybody could name."""
    count = int(rng.choice([1000, 100_000]))
    return _post(rng, json.dumps({f"field{i}": i for i in range(count)}).encode())


def a_longer_length(rng: Random) -> bytes:
    """A body that ends before it should."""
    return _post(rng, b'{"problem"', length=int(rng.choice([11, 10_000, 10**9, 10**18])))


def a_shorter_length(rng: Random) -> bytes:
    """A body after which another request seems to come."""
    return _post(rng, b'{"problem": {}} and more' * 10, length=int(rng.integers(0, 16)))


def two_lengths(rng: Random) -> bytes:
    """Lengths that contradict each other."""
    other = _one_of(rng, [
        b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: -1\r\n",
        b"Content-Length: 0x10\r\n", b"Transfer-Encoding: gzip, chunked\r\n",
    ])  # fmt: skip
    return _post(rng, b"{}", JSON + other)


def bad_chunks(rng: Random) -> bytes:
    """Chunks of a size that is none, or that never comes."""
    size = _one_of(rng, [b"zz", b"-1", b"fffffffffffffffff", b"10000000", b""])
    head = b"POST /solve HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + size + b"\r\n{}\r\n0\r\n\r\n"


def packed(rng: Random) -> bytes:
    """A few bytes that unpack to very many."""
    zeros = zlib.compress(bytes(50_000_000), 9)
    return _post(rng, zeros, JSON + b"Content-Encoding: gzip\r\n")


def a_bomb(rng: Random) -> bytes:
    """An archive of arrays of a problem that unpack to very many bytes, or say so."""
    bomb = BOMBS[int(rng.integers(len(BOMBS)))]
    return _upload("bomb.npz", bomb(KINDS_OF_PROBLEMS[int(rng.integers(len(KINDS_OF_PROBLEMS)))]))


def declared(rng: Random) -> bytes:
    """A file that claims to hold very much."""
    size = int(rng.choice([10**6, 10**9, 10**15]))
    text = f"NAME : x\nTYPE : CVRP\nDIMENSION : {size}\nCAPACITY : 5\nNODE_COORD_SECTION\n1 0 0\n"
    return _upload("x.vrp", text.encode())


def a_spoilt_file(rng: Random) -> bytes:
    """Whatever the campaign of files makes."""
    form, data, _ = fuzzed(int(rng.integers(1 << 30)))
    return _upload(f"file.{'json' if form == 'plan' else form}", data)


def no_text(rng: Random) -> bytes:
    """Bytes that are no text."""
    body = bytes(rng.integers(0, 256, int(rng.choice([10, 10_000])), dtype=np.uint8))
    return _post(rng, _one_of(rng, [b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b'"\\ud800"']) + body)


def many_headers(rng: Random) -> bytes:
    """Headers without an end."""
    lines = b"".join(b"X-%d: %s\r\n" % (i, b"a" * 50) for i in range(3000))
    return b"GET / HTTP/1.1\r\n" + HOST + lines + b"\r\n"


def no_http(rng: Random) -> bytes:
    """Bytes that are no request."""
    return bytes(rng.integers(0, 256, 200, dtype=np.uint8)) + b"\r\n\r\n"


def a_full_body(rng: Random) -> bytes:
    """As much as is allowed, of what takes longest to read: very many small things."""
    thing = _one_of(rng, [b"[],", b"{},", b'"",', b"[0,0],", b"1e9,", b"null,"])
    count = 15_000_000 // len(thing)
    return _post(rng, b'{"problem": {"customers": [' + thing * count + b"0]}}")


def the_same_key(rng: Random) -> bytes:
    """One field, again and again."""
    return _post(rng, b"{" + b'"problem": {},' * 100_000 + b'"problem": 1}')


def long_names(rng: Random) -> bytes:
    """A problem whose ids are as long as a book, all but equal."""
    book = "a" * int(rng.choice([1000, 100_000]))
    problem = {
        "problem": "hcvrp", "depot": [0, 0], "vehicles": [{"capacity": 9, "speed": 1}],
        "customers": [{"id": f"{book}{i}", "x": i, "y": i, "demand": 1} for i in range(50)],
    }  # fmt: skip
    return _post(rng, json.dumps({"problem": problem}).encode())


def not_finite(rng: Random) -> bytes:
    """Numbers that are none."""
    number = _one_of(rng, [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-0", b"true"])
    head = b'{"problem": {"problem": "hcvrp", "depot": [%s, 0], "customers": [[1, %s]], '
    rest = b'"demand": [%s], "capacity": [%s], "speed": [%s]}, "time_limit": %s, "seed": %s}'
    return _post(rng, (head + rest) % ((number,) * 7))


def many_columns(rng: Random) -> bytes:
    """A table that is all header."""
    columns = ",".join(f"column{i}" for i in range(int(rng.choice([1000, 500_000]))))
    return _upload("table.csv", f"x,y,demand,{columns}\n1,2,3\n".encode())


def a_sheet_bomb(rng: Random) -> bytes:
    """A workbook whose one sheet unpacks to very many bytes."""
    file = io.BytesIO()
    rows = b'<row r="1"><c r="A1"><v>1</v></c></row>' * 1_000_000
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (
            ("[Content_Types].xml", b"<Types/>"),
            ("xl/workbook.xml", b"<workbook><sheets/></workbook>"),
            ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData>" + rows),
        ):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return _upload("book.xlsx", file.getvalue())


KINDS: tuple[Callable[[Random], bytes], ...] = (
    nested, huge_numbers, unknown_fields, a_longer_length, a_shorter_length, two_lengths,
    bad_chunks, packed, a_bomb, declared, a_spoilt_file, no_text, many_headers, no_http,
    a_full_body, the_same_key, long_names, not_finite, many_columns, a_sheet_bomb,
)  # fmt: skip

# After these a server may wait for more.
INCOMPLETE = {kind.__name__ for kind in (a_longer_length, two_lengths, bad_chunks)}

# Beginnings after which nothing comes.
HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half",
    b"POST /solve HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 1000\r\n\r\n{",
    b"POST /solve HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n5\r\n",
)
