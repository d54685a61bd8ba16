"""The key by which lsqlc recognizes its own files: no pull request can bring it, and none is created in a work tree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from lsqlc.project.user_cache import mark, sealed, unsealed, user_key


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project in a home folder, where the default folder of caches is."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "clone" / "project"
    folder.mkdir(parents=True)
    return folder


def test_a_key_is_created_once(root: Path, tmp_path: Path) -> None:
    """For all projects of the user, in a file that nobody else can read."""
    key = user_key(root, {})
    assert key is not None and len(key) == 32
    assert user_key(root, {}) == key == user_key(tmp_path / "x", {"LSQLC_CACHE": str(tmp_path / "home/.cache/lsqlc")})
    (file,) = (path for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert file.name == "key" and file.stat().st_mode & 0o777 == 0o600


def test_a_shared_key(root: Path, tmp_path: Path) -> None:
    """That of a variable, of which nothing is written."""
    one, other = ({"LSQLC_SECRET_CACHE_KEY": value} for value in ("a" * 40, "b" * 40))
    assert user_key(root, one) == user_key(tmp_path, one) != user_key(root, other)
    assert not (tmp_path / "home/.cache").exists()


@pytest.mark.parametrize(
    ("top", "variables", "is_key"),
    [
        ("clone", {}, True),
        ("clone", {"LSQLC_CACHE": "{clone}/.cache"}, False),
        ("clone", {"XDG_CACHE_HOME": "{clone}/project/.cache"}, False),
        ("clone", {"XDG_CACHE_HOME": "{clone}/../xdg"}, True),
        (None, {"LSQLC_CACHE": "{clone}/project/cache"}, False),
        (None, {"LSQLC_CACHE": "{clone}/cache"}, True),
        # The home folder is the work tree: a job, or settings of a user in git, without a repository of the project.
        ("", {}, False),
    ],
)  # fmt: skip
def test_a_key_in_the_work_tree_is_none(
    root: Path, top: str | None, variables: Mapping[str, str], is_key: bool
) -> None:
    """A pull request can contain it. Only a `.git` shows where the work tree ends."""
    clone = root.parent
    if top is not None:
        (clone.parent / top / ".git").mkdir()
    before = {*clone.rglob("*")}
    environment = {name: value.format(clone=clone) for name, value in variables.items()}
    assert (user_key(root, environment) is not None) == is_key
    assert is_key or {*clone.rglob("*")} == before


def test_a_home_folder_in_git_has_a_key(root: Path) -> None:
    """Where the project has a repository of its own."""
    (root.parent / ".git").mkdir()
    (root.parents[1] / ".git").mkdir()
    assert user_key(root, {}) is not None


def test_a_folder_of_caches_behind_a_link_is_where_it_leads(root: Path, tmp_path: Path) -> None:
    (tmp_path / "home/.cache").symlink_to(root)
    assert user_key(root, {}) is None


@pytest.mark.parametrize("damage", ["short", "long", "readable", "link", "folder"])
def test_a_file_that_is_not_a_key_is_replaced(root: Path, tmp_path: Path, damage: str) -> None:
    """Git checks out no file that only its owner can read. A link is not followed."""
    key = user_key(root, {})
    assert key is not None
    file = tmp_path / "home/.cache/lsqlc/key"
    if damage in ("short", "long"):
        file.write_bytes(key[:-1] if damage == "short" else key + b"x")
    elif damage == "readable":
        file.chmod(0o644)
    elif damage == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.unlink()
        file.mkdir()
    other = user_key(root, {})
    assert other != key and (other is None) == (damage == "folder")
    assert other == user_key(root, {})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_key_of_another_user_is_replaced(root: Path, tmp_path: Path) -> None:
    key = user_key(root, {})
    os.chown(tmp_path / "home/.cache/lsqlc/key", 12345, 12345)
    assert user_key(root, {}) not in (None, key)


def test_no_place_for_a_key(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the way, and a home folder that does not exist, which is not created."""
    (tmp_path / "file").touch()
    assert user_key(root, {"LSQLC_CACHE": str(tmp_path / "file" / "cache")}) is None
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert user_key(root, {}) is None and not (tmp_path / "nobody").exists()


def test_what_is_sealed() -> None:
    """Another key, kind or content has another mark."""
    key, content = b"k" * 32, b"{}\nx"
    file = sealed(key, "one", content)
    assert unsealed(key, "one", file) == content
    assert unsealed(None, "one", file) is None
    assert unsealed(b"l" * 32, "one", file) is None
    assert unsealed(key, "other", file) is None
    for forged in (b"", b"\n", content, file + b"x", file[1:], b"\n" + file, file.replace(b"{", b"["), b"\xff" + file):
        assert unsealed(key, "one", forged) is None
    assert mark(key, "one", content) != mark(key, "one", content + b"x")
