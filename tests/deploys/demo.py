"""`make demo-deploy`: in a new project a query is changed, staged beside the live one, compared, promoted, and rolled
back. Topics are folders, and the Spark server is an embedded one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = Path("models", "bikes_at_station.sql")
COUNT = "  , COUNT(*) AS bikes\n"
MORE = COUNT + "  , SUM(minutes) AS minutes\n"


def main() -> None:
    """Run the commands one after the other. Raises SystemExit with what went wrong."""
    with tempfile.TemporaryDirectory(prefix="lsqlc-deploy-") as folder:
        project = Path(folder)
        for words in ("init .", "seed", "run --quiet", "show bikes_at_station"):
            lsqlc(project, words)
        before = rows(project)
        change(project, COUNT, MORE)
        lsqlc(project, "plan")
        lsqlc(project, "deploy stage --quiet")
        lsqlc(project, "deploy prove", expected=1)
        for words in ("deploy promote", "run --verify --quiet", "show bikes_at_station"):
            lsqlc(project, words)
        change(project, MORE, COUNT)
        for words in ("deploy rollback", "run --verify --quiet", "show bikes_at_station"):
            lsqlc(project, words)
        if rows(project) != before:
            raise SystemExit("the rows after the rollback are not those of before the promotion")
        print("\nThe rows after the rollback are those of before the promotion.")


def lsqlc(project: Path, words: str, expected: int = 0) -> None:
    """Run a command, and show it. Raises SystemExit if it ends with another code than expected."""
    print(f"\n$ lsqlc {words}", flush=True)
    code = subprocess.run([sys.executable, "-m", "lsqlc", *words.split()], cwd=project).returncode
    if code != expected:
        raise SystemExit(f"`lsqlc {words}` ended with {code}, not {expected}")


def change(project: Path, old: str, new: str) -> None:
    """Edit the model, and show the edit."""
    path = project / MODEL
    text = path.read_text("utf-8")
    if text.count(old) != 1:
        raise SystemExit(f"{MODEL} is another one")
    path.write_text(text.replace(old, new), "utf-8")
    print(f"\n# {MODEL}: {' '.join(old.split())} becomes {' '.join(new.split())}", flush=True)


def rows(project: Path) -> str:
    """The rows of the TABLE, as `lsqlc show` prints them."""
    command = [sys.executable, "-m", "lsqlc", "show", "bikes_at_station", "--output", "json"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
