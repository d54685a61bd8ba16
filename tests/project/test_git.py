"""A pull request is untrusted: no repository in it is used, and no setting of git starts a program."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.versions.git import GitError, open_repository
from lsqlc.project.versions.revisions import default_base, extract
from tests.rooms import modules

GIT = shutil.which("git") or "git"
STARTER = "lsqlc.project.versions.git"

# Every setting of git that can start a program or write a file, as it stands in a file of settings. `{run}` is a script
# that leaves a marker, `{hooks}` a folder in which every hook is that script, `{file}` a file with such settings.
ATTRIBUTES = "* diff=evil filter=evil merge=evil\n"
PROGRAMS = {
    "alias": "[alias]\nrev-parse = !{run}\nls-tree = !{run}\ncat-file = !{run}\nmerge-base = !{run}\nconfig = !{run}",
    "browser.cmd": '[web]\nbrowser = evil\n[browser "evil"]\ncmd = {run}',
    "core.alternateRefsCommand": "[core]\nalternateRefsCommand = {run}",
    "core.askPass": "[core]\naskPass = {run}",
    "core.editor": "[core]\neditor = {run}",
    "core.fsmonitor": "[core]\nfsmonitor = {run}",
    "core.gitProxy": "[core]\ngitProxy = {run}",
    "core.hooksPath": "[core]\nhooksPath = {hooks}",
    "core.pager": "[core]\npager = {run}",
    "core.sshCommand": "[core]\nsshCommand = {run}",
    "credential.helper": "[credential]\nhelper = !{run}\n[credential \"https://example.org\"]\nhelper = !{run}",
    "diff.command": '[diff "evil"]\ncommand = {run}',
    "diff.external": "[diff]\nexternal = {run}",
    "diff.textconv": '[diff "evil"]\ntextconv = {run}\ncachetextconv = true',
    "difftool.cmd": '[diff]\ntool = evil\nguitool = evil\n[difftool "evil"]\ncmd = {run}\npath = {run}',
    "filter.clean": '[filter "evil"]\nclean = {run}\nrequired = true',
    "filter.process": '[filter "evil"]\nprocess = {run}\nrequired = true',
    "filter.smudge": '[filter "evil"]\nsmudge = {run}\nrequired = true',
    "gc.recentObjectsHook": "[gc]\nrecentObjectsHook = {run}\nauto = 1",
    "gpg.program": "[gpg]\nprogram = {run}\n[log]\nshowSignature = true\n[commit]\ngpgSign = true",
    "gpg.ssh": '[gpg]\nformat = ssh\n[gpg "ssh"]\nprogram = {run}\ndefaultKeyCommand = {run}\n[log]\nshowSignature = 1',
    "gpg.x509": '[gpg]\nformat = x509\n[gpg "x509"]\nprogram = {run}\n[log]\nshowSignature = true',
    "guitool.cmd": '[guitool "evil"]\ncmd = {run}',
    "hook.command": '[hook "evil"]\ncommand = {run}\nevent = reference-transaction\nevent = post-checkout',
    "imap.tunnel": "[imap]\ntunnel = {run}",
    "include.path": "[include]\npath = {file}",
    "includeIf.path": '[includeIf "gitdir:/**"]\npath = {file}',
    "instaweb.httpd": "[instaweb]\nhttpd = {run}",
    "interactive.diffFilter": "[interactive]\ndiffFilter = {run}",
    "maintenance": "[maintenance]\nauto = true\n[gc]\nauto = 1\n[fetch]\nwriteCommitGraph = true",
    "man.cmd": '[man]\nviewer = evil\n[man "evil"]\ncmd = {run}',
    "merge.driver": '[merge "evil"]\ndriver = {run}',
    "mergetool.cmd": '[merge]\ntool = evil\n[mergetool "evil"]\ncmd = {run}\npath = {run}',
    "pager.command": "[pager]\nrev-parse = {run}\nls-tree = {run}\ncat-file = {run}\nmerge-base = {run}",
    "receive.procReceiveRefs": "[receive]\nprocReceiveRefs = refs",
    "remote.proxy": '[remote "origin"]\nproxy = {run}\nproxyAuthMethod = basic',
    "remote.receivepack": '[remote "origin"]\nreceivepack = {run}',
    "remote.uploadpack": '[remote "origin"]\nuploadpack = {run}',
    "remote.ext": '[remote "origin"]\nurl = ext::{run}\n[protocol "ext"]\nallow = always',
    "remote.ssh": '[remote "origin"]\nurl = ssh://h\n[core]\nsshCommand = {run}\n[protocol "ssh"]\nallow = always',
    "remote.vcs": '[remote "origin"]\nvcs = ext\nurl = {run}\n[protocol "ext"]\nallow = always',
    "sendemail": "[sendemail]\nsmtpServer = {run}\nsendmailCmd = {run}\ntoCmd = {run}\nheaderCmd = {run}",
    "sequence.editor": "[sequence]\neditor = {run}",
    "submodule.update": '[submodule "evil"]\nupdate = !{run}\nactive = true\n[submodule]\nrecurse = true',
    "svn.authorsProg": "[svn]\nauthorsProg = {run}",
    "tar.command": '[tar "evil"]\ncommand = {run}',
    "trace2": "[trace2]\nnormalTarget = {marker}\neventTarget = {marker}\nperfTarget = {marker}",
    "trailer.command": '[trailer "evil"]\nkey = x\ncommand = {run}\ncmd = {run}',
    "uploadpack.packObjectsHook": "[uploadpack]\npackObjectsHook = {run}",
    "url.insteadOf": '[url "ext::{run} "]\ninsteadOf = /\n[protocol "ext"]\nallow = always',
}  # fmt: skip
# A remote from which git fetches objects that are missing, by a program of the remote's own choice.
PROMISOR = """
[core]
repositoryformatversion = 1
bare = {bare}
[extensions]
partialClone = origin
[remote "origin"]
url = {remote}
promisor = true
uploadpack = {run}
[protocol "file"]
allow = always
"""
HOOKS = ("post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman", "update")


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
    return subprocess.run([GIT, *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


class Attack:
    """A repository with a project in `sub/`, and a program whose every start leaves a marker."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.marker = folder / "marker"
        self.environment = dict(environment) | {"GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder / "home")}
        (folder / "home").mkdir()
        self.run = folder / "run"
        self.run.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{self.marker}'\nexit 1\n")
        self.run.chmod(0o755)
        self.hooks = folder / "hooks"
        self.hooks.mkdir()
        for name in HOOKS:
            (self.hooks / name).symlink_to(self.run)
        self.file = folder / "included"
        self.file.write_text(f"[core]\nfsmonitor = {self.run}\nsshCommand = {self.run}\n")
        self.remote = folder / "remote"
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        self.top = folder / "repository"
        git(folder, "init", "-q", "-b", "main", str(self.top))
        self.project = self.top / "sub"
        self.project.mkdir()
        (self.project / "lsqlc.yml").write_text("name: p\n")
        (self.project / ".gitattributes").write_text(ATTRIBUTES)
        self.commit("first")

    def commit(self, message: str, top: Path | None = None) -> str:
        folder = top or self.top
        git(folder, "add", "-A", "-f")
        git(folder, "commit", "-q", "-m", message)
        return git(folder, "rev-parse", "HEAD").strip()

    def settings(self, text: str) -> str:
        return text.format(run=self.run, hooks=self.hooks, file=self.file, marker=self.marker)

    def promisor(self, bare: str) -> str:
        return PROMISOR.format(bare=bare, remote=self.remote, run=self.run)

    def make_bare(self, folder: Path, settings: str) -> None:
        """Write the files of a bare repository, of which the current commit is missing, and commit them."""
        for path, text in {
            "HEAD": "ref: refs/heads/main\n",
            "config": self.promisor("true") + settings,
            "objects/keep": "",
            "refs/heads/main": "1" * 40 + "\n",
            "info/attributes": ATTRIBUTES,
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        for name in HOOKS:
            (folder / "hooks").mkdir(exist_ok=True)
            shutil.copy(self.run, folder / "hooks" / name)
        self.commit("attack")

    def lose_a_blob(self) -> None:
        """Remove a file of the project from the repository's objects, so that it must be fetched."""
        blob = git(self.top, "rev-parse", "HEAD:sub/lsqlc.yml").strip()
        (self.top / ".git/objects" / blob[:2] / blob[2:]).unlink()

    def look(self, project: Path | None = None, **environment: str) -> str | None:
        """Read the default base, and HEAD, as `diff` does; return the base's commit where there is one."""
        root = project or self.project
        surroundings = self.environment | environment
        base = None
        with suppress(LsqlcError):
            base = default_base(root, surroundings).commit
        folder = self.marker.parent / "files"
        folder.mkdir()
        with suppress(LsqlcError):
            extract(root, base or "HEAD", folder, surroundings)
        shutil.rmtree(folder)
        return base

    @property
    def ran(self) -> str:
        return self.marker.read_text() if self.marker.exists() else ""


@pytest.fixture
def attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Attack:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    environment = {name: value for name, value in os.environ.items() if name != "GIT_CONFIG_GLOBAL"}
    return Attack(tmp_path, environment)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH with a git that does not know GIT_NO_LAZY_FETCH, as older ones, and so starts more."""
    listed = os.environ.get("PATH", os.defpath)
    program = tmp_path / "older" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {GIT} "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{listed}"


def test_one_function_starts_git() -> None:
    """No other module names a program `git`, and in that module one call starts a process."""
    named = {name for name, module in modules().items() if any(_names_git(node) for node in ast.walk(module.tree))}
    assert named == {STARTER}
    calls = [
        node
        for node in ast.walk(modules()[STARTER].tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "subprocess"
    ]
    assert [call.attr for call in calls] == ["run"]


def _names_git(node: ast.AST) -> bool:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return node.value in ("git", "git.exe") or node.value.endswith("/git")


def test_the_attack_works_on_git_itself(attack: Attack) -> None:
    """So that it is lsqlc that prevents it below: git in that folder uses the repository, and starts its program."""
    attack.make_bare(attack.project, "")
    words = [GIT, "rev-parse", "--verify", "HEAD^{commit}"]
    subprocess.run(words, cwd=attack.project, env=attack.environment, capture_output=True, check=False)
    assert str(attack.run) in attack.ran


@pytest.mark.parametrize("setting", [*PROGRAMS, "nothing but the remote"])
def test_no_setting_of_a_clone_starts_a_program(attack: Attack, path: str, setting: str) -> None:
    """Even of the repository that is used, with an object that is missing."""
    with (attack.top / ".git/config").open("a") as file:
        file.write(attack.promisor("false") + attack.settings(PROGRAMS.get(setting, "")) + "\n")
    (attack.top / ".git/info/attributes").write_text(ATTRIBUTES)
    attack.lose_a_blob()
    attack.look(PATH=path)
    assert attack.ran == ""


def test_no_setting_of_the_user_starts_a_program(attack: Attack, path: str) -> None:
    """A pull request can contain a file of settings, and in some jobs the home folder is the work tree."""
    settings = "\n".join(map(attack.settings, PROGRAMS.values()))
    (attack.top / ".gitconfig").write_text(attack.promisor("false") + settings + "\n")
    assert attack.look(PATH=path, HOME=str(attack.top)) is not None
    attack.lose_a_blob()
    attack.look(PATH=path, HOME=str(attack.top))
    assert attack.ran == ""


@pytest.mark.parametrize("revision", ["HEAD@{1}", "main@{upstream}", ":/first", "HEAD^{/first}", "HEAD~0", "HEAD:sub"])
def test_no_form_of_a_revision_fetches(attack: Attack, path: str, tmp_path: Path, revision: str) -> None:
    """Those that git looks for in logs, in messages and in trees."""
    with (attack.top / ".git/config").open("a") as file:
        file.write(attack.promisor("false"))
    attack.lose_a_blob()
    with pytest.raises(LsqlcError):
        extract(attack.project, revision, tmp_path / "home", attack.environment | {"PATH": path})
    assert attack.ran == ""


def _below(attack: Attack) -> Path:
    return attack.project


def _above(attack: Attack) -> Path:
    return attack.project.parent


def _between(attack: Attack) -> Path:
    moved = attack.top / "a" / "sub"
    moved.parent.mkdir()
    git(attack.top, "mv", "sub", "a/sub")
    attack.commit("moved")
    attack.project = moved
    return moved.parent


@pytest.mark.parametrize("place", [_below, _above, _between], ids=["the project", "the top", "a folder between"])
def test_a_bare_repository_in_the_work_tree_is_not_used(
    attack: Attack, path: str, place: Callable[[Attack], Path]
) -> None:
    """The base is that of the outer repository, and no program starts, with all settings at once."""
    folder = place(attack)
    attack.make_bare(folder, "\n".join(map(attack.settings, PROGRAMS.values())))
    assert attack.look(PATH=path) == git(attack.top, "rev-parse", "main").strip()
    assert attack.ran == ""


def test_a_bare_repository_cannot_hide_a_change(attack: Attack) -> None:
    """One that has the pull request's own files as its commit, and is whole."""
    other = attack.top.parent / "other"
    shutil.copytree(attack.project, other)
    git(other, "init", "-q", "-b", "main")
    forged = attack.commit("forged", other)
    for name in ("HEAD", "objects", "refs"):
        source = other / ".git" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, attack.project / name)
    (attack.project / "config").write_text("[core]\nrepositoryformatversion = 0\nbare = true\n")
    attack.commit("attack")
    assert git(attack.project, "rev-parse", "HEAD").strip() == forged
    assert open_repository(attack.project, attack.environment).folder == str(attack.top / ".git")
    assert attack.look() != forged


@pytest.mark.parametrize("kind", ["folder", "line"])
def test_an_inner_repository_of_a_committed_folder_is_not_used(attack: Attack, path: str, kind: str) -> None:
    """Git commits no `.git`, but an unpacked archive may contain one. The outermost repository has the folder."""
    inner = attack.project / ".git" if kind == "folder" else attack.top / "elsewhere"
    git(attack.top, "init", "-q", "--bare", str(inner))
    (inner / "config").write_text(attack.promisor("false") + "\n".join(map(attack.settings, PROGRAMS.values())))
    (inner / "refs/heads/main").write_text("1" * 40 + "\n")
    if kind == "line":
        (attack.project / ".git").write_text("gitdir: ../elsewhere\n")
    assert attack.look(PATH=path) == git(attack.top, "rev-parse", "main").strip()
    assert attack.ran == ""


@pytest.mark.parametrize("entry", ["empty folder", "damaged", "pipe", "loop", "long", "other"])
def test_a_damaged_git_entry_is_no_reason_to_look_further(attack: Attack, path: str, entry: str) -> None:
    """Git then takes the folder itself, which has the shape of a bare repository."""
    shutil.rmtree(attack.top / ".git")
    lone = attack.project
    for name, text in {"HEAD": "ref: refs/heads/main\n", "config": attack.promisor("true"), "objects/x": ""}.items():
        (lone / name).parent.mkdir(parents=True, exist_ok=True)
        (lone / name).write_text(text)
    (lone / "refs/heads").mkdir(parents=True)
    (lone / "refs/heads/main").write_text("1" * 40 + "\n")
    dot = lone / ".git"
    if entry == "empty folder":
        dot.mkdir()
    elif entry == "damaged":
        shutil.copytree(lone / "objects", dot / "objects")
        (dot / "HEAD").write_text("x")
        (dot / "refs").mkdir()
    elif entry == "pipe":
        os.mkfifo(dot)
    elif entry == "loop":
        dot.symlink_to(dot)
    elif entry == "long":
        dot.write_text("gitdir: " + "x" * 100_000)
    else:
        dot.write_text("gitdir: \0\n")
    assert attack.look(PATH=path) is None and attack.ran == ""
    with pytest.raises(GitError):
        open_repository(lone, attack.environment | {"PATH": path})


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_DIR": "{bare}"},
        {"GIT_DIR": "{bare}", "GIT_WORK_TREE": "{bare}"},
        {"GIT_COMMON_DIR": "{bare}"},
        {"GIT_OBJECT_DIRECTORY": "{bare}/objects"},
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES": "{bare}/objects"},
        {"GIT_NAMESPACE": "evil"},
        {"GIT_INDEX_FILE": "{bare}/index"},
        {"GIT_SHALLOW_FILE": "{bare}/shallow"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{run}' 'core.pager'='{run}'"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{run}"},
        {"GIT_CONFIG": "{bare}/config"},
        {"GIT_CONFIG_GLOBAL": "{bare}/config"},
        {"GIT_PAGER": "{run}", "PAGER": "{run}", "GIT_EDITOR": "{run}", "GIT_EXTERNAL_DIFF": "{run}"},
        {"GIT_SSH": "{run}", "GIT_SSH_COMMAND": "{run}", "GIT_ASKPASS": "{run}", "SSH_ASKPASS": "{run}"},
        {"GIT_PROXY_COMMAND": "{run}", "GIT_ALLOW_PROTOCOL": "file:ext:ssh"},
        {"GIT_TRACE": "{marker}", "GIT_TRACE2": "{marker}", "GIT_TRACE2_EVENT": "{marker}"},
        {"GIT_REPLACE_REF_BASE": "refs/evil/"},
        {"GIT_NO_LAZY_FETCH": "0", "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1"},
    ],
    ids=lambda variables: " ".join(variables),
)
def test_variables_of_the_caller_do_not_lead_elsewhere(attack: Attack, path: str, variables: dict[str, str]) -> None:
    """Those of a hook, and those that would start a program."""
    bare = attack.top / "bare"
    attack.make_bare(bare, "\n".join(map(attack.settings, PROGRAMS.values())))
    given = {n: v.format(bare=bare, run=attack.run, marker=attack.marker) for n, v in variables.items()}
    assert attack.look(None, PATH=path, **given) == git(attack.top, "rev-parse", "main").strip()
    assert attack.ran == ""


@pytest.mark.parametrize("folder", ["{top}/bin", "bin", ".", ""])
def test_a_git_of_the_work_tree_is_not_started(attack: Attack, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    """A folder of PATH that is relative, or that the pull request can fill."""
    for place in (attack.top / "bin", attack.top, attack.project, attack.project / "bin"):
        place.mkdir(exist_ok=True)
        shutil.copy(attack.run, place / "git")
    monkeypatch.chdir(attack.project)
    first = folder.format(top=attack.top)
    assert attack.look(PATH=f"{first}{os.pathsep}{os.environ['PATH']}") is not None
    assert attack.ran == ""
    with pytest.raises(GitError, match="git cannot be started"):
        open_repository(attack.project, attack.environment | {"PATH": first})


@pytest.mark.parametrize("revision", ["-x", "--all", "--help", "--git-dir=x", "-c", "--exec-path"])
def test_no_revision_is_an_option(attack: Attack, tmp_path: Path, revision: str) -> None:
    with pytest.raises(LsqlcError) as error:
        extract(attack.project, revision, tmp_path, attack.environment)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "LSQ069" and "a revision cannot begin with '-'" in diagnostic.notes


def test_an_inner_clone_is_its_own_repository(attack: Attack) -> None:
    """A work tree whose commit does not have the folder, such as a home folder in git, is not that of the project."""
    inner = attack.top / "clones" / "p"
    inner.mkdir(parents=True)
    git(inner, "init", "-q", "-b", "main")
    (inner / "lsqlc.yml").write_text("name: p\n")
    own = attack.commit("own", inner)
    assert default_base(inner, attack.environment).commit == own
    # An outer one without a commit, and a linked work tree.
    git(attack.top.parent, "init", "-q")
    assert default_base(inner, attack.environment).commit == own
    linked = attack.top.parent / "linked"
    git(attack.top, "worktree", "add", "-q", str(linked), "main", "--force")
    assert open_repository(linked / "sub", attack.environment).inside == "sub"
    assert attack.look(linked / "sub") == git(attack.top, "rev-parse", "main").strip()


def test_a_submodule_is_its_own_repository(attack: Attack) -> None:
    """Git made its `.git`, and the outer repository has only the hash of its commit."""
    source = attack.top.parent / "source"
    source.mkdir()
    git(source, "init", "-q", "-b", "main")
    (source / "lsqlc.yml").write_text("name: p\n")
    own = attack.commit("own", source)
    git(attack.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "module")
    attack.commit("module")
    assert attack.look(attack.top / "module") == own


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_repository_of_another_user_is_refused(attack: Attack) -> None:
    """Git itself checks the owner, with the exceptions in `safe.directory` of the user's settings."""
    os.chown(attack.top / ".git", 12345, 12345)
    os.chown(attack.top, 12345, 12345)
    with pytest.raises(GitError) as error:
        open_repository(attack.project, attack.environment)
    assert "dubious ownership" in error.value.note
    (Path(attack.environment["HOME"]) / ".gitconfig").write_text(f"[safe]\ndirectory = {attack.top}\n")
    assert open_repository(attack.project, attack.environment).top == str(attack.top)


def _trees() -> Iterator[tuple[str, bytes]]:
    link = b"120000 %s\0"
    file = b"100644 %s\0"
    yield "a link and a file below it", link % b"a"
    yield "a file of the same name", file % b"a"
    yield "a name with a slash", file % b"../x"
    yield "a name of git", file % b".git"
    yield "two dots", file % b".."


@pytest.mark.parametrize(("name", "entry"), list(_trees()), ids=[name for name, _ in _trees()])
def test_a_tree_that_git_did_not_make_writes_nothing_outside(attack: Attack, name: str, entry: bytes) -> None:
    """It ends in a diagnostic, or in files below the folder."""
    blob = subprocess.run(
        [GIT, "hash-object", "-w", "--stdin"], cwd=attack.top, input=b"/etc", capture_output=True, check=True
    ).stdout.strip()
    inner = subprocess.run(
        [GIT, "hash-object", "-w", "--literally", "-t", "tree", "--stdin"], cwd=attack.top,
        input=b"100644 passwd\0" + bytes.fromhex(blob.decode()), capture_output=True, check=True,
    ).stdout.strip()  # fmt: skip
    raw = bytes.fromhex(blob.decode())
    tree = subprocess.run(
        [GIT, "hash-object", "-w", "--literally", "-t", "tree", "--stdin"], cwd=attack.top,
        input=entry + raw + b"40000 a\0" + bytes.fromhex(inner.decode()), capture_output=True, check=True,
    ).stdout.strip().decode()  # fmt: skip
    outer = subprocess.run(
        [GIT, "hash-object", "-w", "--literally", "-t", "tree", "--stdin"], cwd=attack.top,
        input=b"40000 sub\0" + bytes.fromhex(tree), capture_output=True, check=True,
    ).stdout.strip().decode()  # fmt: skip
    commit = git(attack.top, "commit-tree", outer, "-m", name).strip()
    folder = attack.top.parent / "files"
    folder.mkdir()
    before = {p for p in attack.top.parent.rglob("*") if folder not in p.parents}
    with suppress(LsqlcError):
        extract(attack.project, commit, folder, attack.environment)
    assert {p for p in attack.top.parent.rglob("*") if folder not in p.parents} == before
    assert not [p for p in folder.rglob("passwd") if not p.resolve().is_relative_to(folder.resolve())]
