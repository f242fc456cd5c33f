"""What a stranger's directory may hold, and that its hash is the same everywhere."""

from __future__ import annotations

import hashlib
import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.submissions.tree import Caps, Tree, left_out, read_tree

FILES = {"a.txt": b"one\ntwo\n", "b/c.bin": b"\0\r\n\xff", "b/d/e.py": b"#!/bin/sh\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return fill(tmp_path / "root", FILES)


def fill(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def copy_and_compare(root: Path, into: Path) -> Tree:
    """Read twice, once with a copy; both must agree, and so must the copy itself."""
    into.mkdir()
    tree = read_tree(root, into=into)
    assert tree == read_tree(root)
    assert read_tree(into) == tree
    return tree


# --- The hash ----------------------------------------------------------------------------------


def test_the_hash_is_made_of_kind_digest_and_path_in_order_of_paths(root: Path) -> None:
    lines = "".join(
        f"file {hashlib.sha256(FILES[name]).hexdigest()} {name}\n" for name in sorted(FILES)
    )
    expected = hashlib.sha256(f"niagara-tree 1\n{lines}".encode()).hexdigest()
    assert read_tree(root).digest == expected


def test_the_hash_of_these_files_never_changes(root: Path) -> None:
    known = "abeea8314a5bdf98b7d26261a094dcdef8231bba56dc83fe536571611c86e5ad"
    assert read_tree(root).digest == known


def test_order_of_creation_times_and_place_do_not_matter(root: Path, tmp_path: Path) -> None:
    names = list(FILES)
    random.Random(4).shuffle(names)
    other = fill(tmp_path / "elsewhere" / "deep", {name: FILES[name] for name in names})
    for name in names:
        os.utime(other / name, (5, 5))
    assert read_tree(other).digest == read_tree(root).digest


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o644, 0o666, 0o755, 0o777])
def test_permissions_of_what_is_no_program_do_not_matter(root: Path, mode: int) -> None:
    before = read_tree(root).digest
    (root / "a.txt").chmod(mode)
    assert read_tree(root).digest == before


def test_of_a_programs_permissions_the_owners_executable_bit_counts(root: Path) -> None:
    script = root / "b/d/e.py"
    script.chmod(0o644)
    plain = read_tree(root)
    script.chmod(0o674)
    assert read_tree(root) == plain
    script.chmod(0o755)
    executable = read_tree(root)
    assert executable.digest != plain.digest
    script.chmod(0o500)
    assert read_tree(root) == executable
    found = executable.get("b/d/e.py")
    assert found is not None
    assert found.kind == "program"


def test_line_endings_of_text_do_not_matter(root: Path, tmp_path: Path) -> None:
    windows = FILES | {"a.txt": b"one\r\ntwo\r\n", "b/d/e.py": b"#!/bin/sh\r\n"}
    other = fill(tmp_path / "windows", windows)
    assert read_tree(other).digest == read_tree(root).digest
    copy_and_compare(other, tmp_path / "copy")
    assert (tmp_path / "copy/a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    "data",
    [b"\0\r\n", b"\xff\xfe\r\n", b"lone\rreturn", b"x" * (1 << 20) + b"\r\n"],
    ids=["a NUL byte", "not UTF-8", "a lone CR", "longer than a megabyte"],
)
def test_what_is_no_text_is_taken_as_it_is(data: bytes, tmp_path: Path) -> None:
    root = fill(tmp_path / "root", {"data": data})
    tree = copy_and_compare(root, tmp_path / "copy")
    assert tree.entries[0].digest == hashlib.sha256(data).hexdigest()
    assert (tmp_path / "copy/data").read_bytes() == data


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a.txt").write_bytes(b"one\ntwo"),
        lambda root: (root / "a.txt").rename(root / "A.txt"),
        lambda root: (root / "b/c.bin").unlink(),
        lambda root: (root / "new").touch(),
        lambda root: (root / "b/d/e.py").rename(root / "b/e.py"),
        lambda root: (root / "link").symlink_to("a.txt"),
    ],
    ids=["content", "name", "one less", "one more, empty", "place", "a link"],
)
def test_whatever_else_changes_changes_the_hash(
    root: Path, change: Callable[[Path], object]
) -> None:
    before = read_tree(root).digest
    change(root)
    assert read_tree(root).digest != before


@settings(deadline=None, derandomize=True, database=None, max_examples=60)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=3), st.binary(max_size=8), max_size=4),
    st.dictionaries(st.text("ab", min_size=1, max_size=3), st.binary(max_size=8), max_size=4),
)
def test_different_files_have_different_hashes(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, bytes], two: dict[str, bytes]
) -> None:
    top = tmp_path_factory.mktemp("pair")
    for name, files in (("one", one), ("two", two)):
        (top / name).mkdir()
        fill(top / name, files)
    canonical = [
        {n: d.replace(b"\r\n", b"\n") if _utf8(d) else d for n, d in f.items()} for f in (one, two)
    ]
    same = read_tree(top / "one").digest == read_tree(top / "two").digest
    assert same == (canonical[0] == canonical[1])


def _utf8(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def test_empty_directories_do_not_matter(root: Path, tmp_path: Path) -> None:
    before = read_tree(root).digest
    (root / "x/y/z").mkdir(parents=True)
    assert copy_and_compare(root, tmp_path / "copy").digest == before
    assert not (tmp_path / "copy/x").exists()


@pytest.mark.parametrize(
    "junk",
    [".git/config", "__pycache__/a.pyc", "b/__pycache__/x", "m.pyc", ".venv/bin/python", "a.txt~"],
)
def test_what_tools_leave_behind_does_not_matter(root: Path, junk: str, tmp_path: Path) -> None:
    before = read_tree(root).digest
    fill(root, {junk: b"junk"})
    assert copy_and_compare(root, tmp_path / "copy").digest == before
    assert not (tmp_path / "copy" / junk).exists()


@pytest.mark.parametrize(
    ("path", "pattern", "out"),
    [
        ("bot", "bot", True),
        ("sub/bot", "bot", True),
        ("sub/bot", "./bot", True),
        ("sub/bot", "sub/bot", True),
        ("sub/bot", "other/bot", False),
        ("bot.c", "bot", False),
        ("Bot", "bot", False),
        ("logs", "logs/", True),
        ("x.log", "*.log", True),
    ],
)
def test_patterns(path: str, pattern: str, out: bool) -> None:
    assert left_out(path, [pattern]) is out


# --- What is copied ----------------------------------------------------------------------------


def test_a_copy_has_the_files_and_no_write_permission(root: Path, tmp_path: Path) -> None:
    (root / "b/d/e.py").chmod(0o700)
    (root / "link").symlink_to("b/d/../c.bin")
    copy_and_compare(root, tmp_path / "copy")
    for name, data in FILES.items():
        assert (tmp_path / "copy" / name).read_bytes() == data
    assert (tmp_path / "copy/a.txt").stat().st_mode & 0o777 == 0o444
    assert (tmp_path / "copy/b/d/e.py").stat().st_mode & 0o777 == 0o555
    assert os.readlink(tmp_path / "copy/link") == "b/d/../c.bin"


def test_a_large_file_is_copied_piece_by_piece(tmp_path: Path) -> None:
    data = random.Random(1).randbytes((2 << 20) + 17)
    root = fill(tmp_path / "root", {"book": data})
    copy_and_compare(root, tmp_path / "copy")
    assert (tmp_path / "copy/book").read_bytes() == data


# --- What is refused ---------------------------------------------------------------------------


def refusal(root: Path, caps: Caps | None = None) -> str:
    with pytest.raises((InputError, NotPossibleHere)) as caught:
        read_tree(root, caps=caps)
    assert caught.value.message.isprintable()
    return caught.value.message


@pytest.mark.parametrize(
    ("target", "trouble"),
    [
        ("/etc/passwd", "leads out of the submission"),
        ("../secret", "leads out of the submission"),
        ("b/../../secret", "leads out of the submission"),
        ("b/d/../../../root/a.txt", "leads out of the submission"),
        ("nowhere", "leads to nothing"),
        (".git/config", "leads to nothing"),
        ("link", "leads in a circle"),
        ("hop", "leads out of the submission"),
    ],
)
def test_a_link_that_does_not_stay_inside_is_refused(root: Path, target: str, trouble: str) -> None:
    fill(root.parent, {"secret": b"x"})
    fill(root, {".git/config": b"x"})
    (root / "link").symlink_to(target)
    if target == "hop":
        (root / "hop").symlink_to("..")
    message = refusal(root)
    assert trouble in message
    assert "symbolic link" in message


def test_links_to_files_and_directories_inside_are_kept(root: Path) -> None:
    (root / "file").symlink_to("./a.txt")
    (root / "folder").symlink_to("b")
    (root / "b/up").symlink_to("../file")
    (root / "through").symlink_to("folder/d/e.py")
    kinds = {entry.path: entry.kind for entry in read_tree(root).entries}
    assert [path for path, kind in kinds.items() if kind == "link"] == [
        "b/up",
        "file",
        "folder",
        "through",
    ]


def test_a_fifo_is_refused_without_waiting_for_a_writer(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert refusal(root) == "`pipe` is a named pipe (FIFO)"


def test_a_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # a socket's path may be no longer than 107 bytes
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("s")
        assert refusal(root) == "`s` is a socket"


def test_a_device_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only root can make a device; so /dev/null is shown in place of a file."""
    real = os.lstat
    null = real("/dev/null")
    monkeypatch.setattr(
        os,
        "lstat",
        lambda name, *, dir_fd: null if name == "a.txt" else real(name, dir_fd=dir_fd),
    )
    assert refusal(root) == "`a.txt` is a device"


def test_a_sparse_file_of_10_gb_is_refused_without_being_read(root: Path) -> None:
    with open(root / "huge", "wb") as file:
        file.truncate(10 << 30)
    assert refusal(root) == "`huge` has 10,240 MB, and 64 MB are allowed for one file"


def test_many_sparse_files_are_refused_by_their_sum(root: Path) -> None:
    for n in range(3):
        with open(root / f"large{n}", "wb") as file:
            file.truncate(1000)
    message = refusal(root, Caps(file_bytes=1000, total_bytes=2500))
    assert "more than 0 MB together" in message


def test_too_many_files_are_refused(root: Path) -> None:
    assert refusal(root, Caps(files=2)) == "there are more than 2 files"
    assert len(read_tree(root, caps=Caps(files=3)).entries) == 3


def test_deep_nesting_is_refused(root: Path) -> None:
    (root / "/".join("x" * 40)).mkdir(parents=True)
    assert "is nested more than 32 deep" in refusal(root)


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        (b"a\nb", "`a\\x0ab` contains a control character, \\x0a"),
        (b"a\x1b[2Jb", "`a\\x1b[2Jb` contains a control character, \\x1b"),
        ("a\u202eb".encode(), "`a\\u202eb` contains an invisible character, \\u202e"),
        (b"a\xffb", "is not UTF-8"),
        (b"a\\b", "contains a backslash"),
        ("e\u0301".encode(), "not in Unicode's form NFC"),
    ],
)
def test_a_file_name_that_can_not_be_shown_is_refused(
    root: Path, name: bytes, trouble: str
) -> None:
    (root / os.fsdecode(name)).touch()
    assert trouble in refusal(root)


def test_a_missing_directory_and_a_file_are_no_trees(tmp_path: Path) -> None:
    assert "there is no directory" in refusal(tmp_path / "none")
    (tmp_path / "file").touch()
    assert "is no directory" in refusal(tmp_path / "file")


@pytest.mark.parametrize("trick", ["link", "fifo", "gone", "shorter"])
def test_a_file_that_is_swapped_while_it_is_read_is_noticed(
    root: Path, trick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The swap happens after the file was looked at and before it is opened or read."""
    secret = fill(root.parent, {"secret": b"not yours"}) / "secret"
    real = os.open

    def swap(name: str, flags: int, *, dir_fd: int | None = None) -> int:
        if name == "a.txt":
            if trick != "shorter":
                (root / name).unlink()
            if trick == "link":
                (root / name).symlink_to(secret)
            elif trick == "fifo":
                os.mkfifo(root / name)
        handle = real(name, flags, dir_fd=dir_fd)
        return handle

    if trick == "shorter":
        whole = os.fstat
        seen = root / "a.txt"

        def shrink(handle: int) -> os.stat_result:
            status = whole(handle)
            if status.st_ino == seen.stat().st_ino:
                os.truncate(seen, 1)
            return status

        monkeypatch.setattr(os, "fstat", shrink)
    monkeypatch.setattr(os, "open", swap)
    assert refusal(root) == "`a.txt` changed while it was read"
