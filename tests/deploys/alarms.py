"""`python -m tests.deploys.alarms --proofs 20`: models whose texts change and whose meaning does not, staged and proved
under live input as often as is asked for. No proof may find a row that differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from random import Random

from tests.deploys.history import PATIENCE, History, Ride, Version, feed, servers, wait_for

# Each edit makes another program, which gives the same records.
_EDITS = (
    ("arrivals", "minutes > 0", "NOT (minutes <= 0)"),
    ("counts", "COUNT(*)", "COUNT(n)"),
    ("busy", "rides > 3", "NOT (rides <= 3)"),
)


def main() -> None:
    """Raises SystemExit with what a proof says that finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proofs", type=int, default=20, help="how many (default: 20)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lsqlc-alarms-") as name:
        _prove(Path(name), asked.proofs)


def _prove(folder: Path, proofs: int) -> None:
    rides: list[Ride] = []
    ended = threading.Event()
    with servers(folder) as (broker, server):
        feeder = threading.Thread(target=feed, args=(broker.bootstrap, ended, rides))
        feeder.start()
        history = History(folder, broker, server, Random(0))
        try:
            history.write(Version())
            history.start()
            wait_for(history.root, "busy")
            for model, old, new in _EDITS:
                path = history.root / "models" / f"{model}.sql"
                path.write_text(path.read_text().replace(old, new))
            history.call("deploy stage --select arrivals counts busy", kill=False)
            for number in range(proofs):
                _without_difference(history.root)
                print(f"  {number + 1} proofs, {len(rides):,} records", flush=True)
            history.stop()
        finally:
            ended.set()
            feeder.join()
    print(f"{proofs} proofs of {len(_EDITS)} models, no false alarm")


def _without_difference(root: Path) -> None:
    proved = subprocess.run(
        [sys.executable, "-m", "lsqlc", "deploy", "prove"],
        cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    if proved.returncode or " equal" not in proved.stdout:
        raise SystemExit(f"`lsqlc deploy prove` ended with {proved.returncode}:\n{proved.stdout}{proved.stderr}")


if __name__ == "__main__":
    main()
