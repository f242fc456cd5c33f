from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.submissions import clean, default_cache, load
from niagara_arena.submissions.staging import open_cache, remove_tree, stage, unreachable
from tests.submissions.conftest import MakeBot

DAY = 86_400


def test_a_staged_copy_is_named_by_its_content_and_read_only(
    make_bot: MakeBot, cache: Path
) -> None:
    submission = load(str(make_bot(files={"data/book": "x", ".git/config": "x"})))
    folder = stage(submission, open_cache(cache))
    assert folder == cache / "staged" / submission.id
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*")) == [
        "bot.sh",
        "bot.toml",
        "data",
        "data/book",
    ]
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o222 == 0, path
        assert path.stat().st_mode & 0o444 == 0o444, path


def test_the_modes_do_not_depend_on_the_umask(make_bot: MakeBot, cache: Path) -> None:
    before = os.umask(0o077)
    try:
        folder = stage(load(str(make_bot(files={"data/book": "x"}))), open_cache(cache))
    finally:
        os.umask(before)
    assert {p.stat().st_mode & 0o777 for p in (folder, folder / "data")} == {0o555}
    assert (folder / "data/book").stat().st_mode & 0o777 == 0o444
    assert {p.stat().st_mode & 0o777 for p in cache.iterdir()} == {0o711}


def test_a_copy_is_used_again(make_bot: MakeBot, cache: Path) -> None:
    submission = load(str(make_bot()))
    place = open_cache(cache)
    inode = stage(submission, place).stat().st_ino
    assert stage(submission, place).stat().st_ino == inode


@pytest.mark.parametrize("spoil", ["changed", "more", "less", "link", "mode"])
def test_a_spoilt_copy_is_made_anew(make_bot: MakeBot, cache: Path, spoil: str) -> None:
    submission = load(str(make_bot(files={"run.sh": "#!/bin/sh\n"})))
    place = open_cache(cache)
    folder = stage(submission, place)
    for path in (folder, folder / "bot.sh"):
        path.chmod(0o755)
    match spoil:
        case "changed":
            (folder / "bot.sh").write_text("evil\n")
        case "more":
            (folder / "__pycache__").mkdir()
            (folder / "__pycache__/bot.pyc").write_text("evil\n")
        case "less":
            (folder / "bot.sh").unlink()
        case "link":
            (folder / "bot.sh").unlink()
            (folder / "bot.sh").symlink_to("/etc/passwd")
        case "mode":
            (folder / "run.sh").chmod(0o755)
    assert stage(submission, place) == folder
    assert (folder / "bot.sh").read_text() == "echo hello\n"
    assert not (folder / "__pycache__").exists()
    assert (folder / "run.sh").stat().st_mode & 0o777 == 0o444
    assert [p.name for p in folder.parent.iterdir()] == [submission.id]


def test_a_directory_that_changed_since_it_was_read_is_refused(
    make_bot: MakeBot, cache: Path
) -> None:
    directory = make_bot()
    submission = load(str(directory))
    (directory / "bot.sh").write_text("echo other\n")
    with pytest.raises(InputError, match="the files of `otter` changed"):
        stage(submission, open_cache(cache))
    assert list((cache / "staged").iterdir()) == []


def test_workers_may_stage_the_same_at_the_same_time(make_bot: MakeBot, cache: Path) -> None:
    submission = load(str(make_bot(files={f"f{n}": "x" * n for n in range(100)})))
    place = open_cache(cache)
    start = threading.Barrier(8)
    done: list[Path] = []

    def work() -> None:
        start.wait()
        done.append(stage(submission, place))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [cache / "staged" / submission.id] * 8
    assert [p.name for p in (cache / "staged").iterdir()] == [submission.id]


def test_a_cache_that_others_may_write_to_is_refused(cache: Path) -> None:
    open_cache(cache)
    (cache / "staged").chmod(0o777)
    with pytest.raises(NotPossibleHere, match="is not this user's alone to write"):
        open_cache(cache)


def test_a_cache_that_is_a_link_is_refused(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o711)
    cache.symlink_to(tmp_path / "real")
    with pytest.raises(NotPossibleHere, match="is not this user's alone to write"):
        open_cache(cache)


def test_a_cache_that_can_not_be_made_is_refused_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotPossibleHere) as caught:
        open_cache(tmp_path / "file" / "cache")
    assert "NIAGARA_CACHE" in (caught.value.hint or "")


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIAGARA_CACHE", "/x/y")
    assert default_cache() == Path("/x/y")
    monkeypatch.delenv("NIAGARA_CACHE")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert default_cache() == Path("/xdg/niagara-arena")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert default_cache() == Path("/home/ada/.cache/niagara-arena")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert unreachable(default_cache().parent) is None, "root's bots run as another user"


def test_the_first_closed_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed/open").mkdir(parents=True)
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 1:
            assert unreachable(tmp_path / "closed/open") is not None
            return
    (tmp_path / "closed").chmod(0o700)
    assert unreachable(tmp_path / "closed/open") == tmp_path / "closed"


def test_clean_removes_what_was_not_used_for_long(make_bot: MakeBot, cache: Path) -> None:
    place = open_cache(cache)
    old = stage(load(str(make_bot("old", {"book": "x" * 1000}))), place)
    used = stage(load(str(make_bot("used"))), place)
    left = place / "staged" / ".new-left"
    left.mkdir()
    now = old.stat().st_mtime
    os.utime(old, (now - 31 * DAY, now - 31 * DAY))
    os.utime(left, (now - 2 * DAY, now - 2 * DAY))
    cleaned = clean(place, 30, now)
    assert cleaned.folders == 2
    assert cleaned.bytes > 1000
    assert list((place / "staged").iterdir()) == [used]
    assert clean(place, 30, now).folders == 0


def test_using_a_copy_keeps_it_from_being_cleaned(make_bot: MakeBot, cache: Path) -> None:
    place = open_cache(cache)
    submission = load(str(make_bot()))
    folder = stage(submission, place)
    now = folder.stat().st_mtime
    os.utime(folder, (now - 31 * DAY, now - 31 * DAY))
    stage(submission, place)
    assert clean(place, 30, now).folders == 0


def test_a_tree_deeper_than_any_path_is_removed(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    handle = os.open(tmp_path / "tree", os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("inner-folder", dir_fd=handle)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
        inner = os.open("inner-folder", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    remove_tree(tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_a_tree_without_permissions_is_removed_and_links_are_not_followed(
    tmp_path: Path,
) -> None:
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep/file").touch()
    (tmp_path / "tree/inner/deep").mkdir(parents=True)
    (tmp_path / "tree/inner/deep/file").touch()
    (tmp_path / "tree/link").symlink_to(tmp_path / "keep")
    (tmp_path / "tree/inner/deep").chmod(0)
    (tmp_path / "tree/inner").chmod(0)
    mode = (tmp_path / "keep").stat().st_mode
    remove_tree(tmp_path / "tree")
    assert not (tmp_path / "tree").exists()
    assert (tmp_path / "keep/file").exists()
    assert (tmp_path / "keep").stat().st_mode == mode
    remove_tree(tmp_path / "tree")
