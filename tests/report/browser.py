"""A headless Chromium that opens a page of the docs site and runs steps in it.

The steps stand in a script that is added to a copy of the page, so that nothing but a browser is needed: it acts as a
reader does, by events, and leaves what it saw in the page, which the browser prints when its (virtual) time is up.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from threading import Thread
from typing import Any

from lsqlc.report.site.server import site_server

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_BEGIN, _END = '<pre id="seen">', "</pre>"

# Waits for the page, runs the steps, and tells whatever went wrong on the way.
_PROBE = """
"use strict";
const wrong = [];
addEventListener("error", (event) => wrong.push(String(event.message)), true);
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) => wrong.push(event.violatedDirective));
const rest = (ms = 30) => new Promise((done) => setTimeout(done, ms));
// To a page, until all that it loads is there.
const go = async (...names) => {
  location.hash = lsqlc.path(...names);
  await rest(60);
  for (let i = 0; i < 2000 && document.querySelector(".waiting"); i++) await rest(10);
};
const all = (selector) => [...document.querySelectorAll(selector)];
const texts = (selector) => all(selector).map((element) => element.textContent);
const node = (name) => document.querySelector(`[data-node=${JSON.stringify(name)}]`);
const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
const type = (element, text) => { element.value = text; element.dispatchEvent(new Event("input", { bubbles: true })); };
const press = (element, key) =>
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
(async () => {
  let seen = null;
  try {
    for (let i = 0; i < 2000 && !lsqlc.site; i++) await rest(10);
    seen = await (async () => { STEPS })();
  } catch (error) { wrong.push(String(error && error.stack || error)); }
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify({ seen, wrong });
  document.body.append(out);
})();
"""


def browser() -> str | None:
    """The browser of this machine, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """The files of a site below a folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def chromium(profile: Path, *words: str, size: tuple[int, int] = (1200, 800)) -> subprocess.CompletedProcess[str]:
    """Run the browser without a window, with a profile of its own."""
    found = browser()
    assert found is not None
    always = (
        *(found, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"),
        *(f"--window-size={size[0]},{size[1]}", f"--user-data-dir={profile}", "--virtual-time-budget=60000"),
    )
    return subprocess.run((*always, *words), capture_output=True, text=True, timeout=120, check=True)


def visit(
    files: Mapping[str, bytes], folder: Path, steps: str, *, status: Callable[[], Mapping[str, Any]] | None = None
) -> Any:
    """What the steps return, a piece of JavaScript that may `await` and use the words of `_PROBE`, in a page that is
    opened from the disk; with `status` in one that is served, with that status of a run. Fails if the page reports an
    error.
    """
    page = files["index.html"].decode().replace("</body>", '<script src="probe.js"></script></body>')
    probe = _PROBE.replace("STEPS", steps).encode()
    probed = {**files, "index.html": page.encode(), "probe.js": probe}
    if status is None:
        write(folder, probed)
        ran = chromium(folder / "profile", "--dump-dom", (folder / "index.html").as_uri())
    else:
        with site_server(probed, 0, status) as server:
            thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            ran = chromium(folder / "profile", "--dump-dom", f"http://127.0.0.1:{server.server_address[1]}/")
            server.shutdown()
            thread.join()
    assert _BEGIN in ran.stdout, ran.stderr[-2000:]
    told = json.loads(unescape(ran.stdout.rpartition(_BEGIN)[2].partition(_END)[0]))
    assert not told["wrong"], told["wrong"]
    return told["seen"]
