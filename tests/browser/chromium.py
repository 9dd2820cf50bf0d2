"""A headless Chromium, driven over the pipe of its DevTools protocol; nothing but Python is needed for that.

The protocol: https://chromedevtools.github.io/devtools-protocol/. With --remote-debugging-pipe the browser reads
commands from file 3 and writes answers and events to file 4, each a JSON object with a zero byte behind it.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 120.0  # machines may be busy

# Puts the pipes where the browser expects them, then becomes the browser.
LAUNCHER = """
import fcntl, os, sys
reader, writer = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(reader, 3)
os.dup2(writer, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_chromium() -> str | None:
    """The program; None where there is none. CHROMIUM names another."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Chromium:
    """One browser with one page."""

    def __init__(self, program: str, profile: Path, width: int = 1280, height: int = 900) -> None:
        to_browser, commands = os.pipe()
        answers, from_browser = os.pipe()

        self.process = subprocess.Popen(
            [
                *(sys.executable, "-c", LAUNCHER, str(to_browser), str(from_browser)),
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(to_browser, from_browser),
        )
        os.close(to_browser)
        os.close(from_browser)
        self.commands, self.answers = commands, answers
        self.unread = b""
        self.last_id = 0
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        try:
            self.send("Browser.close")
        except (OSError, RuntimeError, TimeoutError):
            self.process.kill()
        self.process.wait(timeout=SECONDS)
        os.close(self.commands)
        os.close(self.answers)

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Sends a command and waits for its answer; events that come before it are kept."""
        self.last_id += 1
        command: dict[str, Any] = {"id": self.last_id, "method": method, "params": params}
        if self.session is not None:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            message = self.read(deadline)
            if message.get("id") != self.last_id:
                self.events.append(message)
                continue
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            result: dict[str, Any] = message["result"]
            return result

    def read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self.unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.answers, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser is gone")
            self.unread += chunk
        text, self.unread = self.unread.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def open(self, path: Path) -> None:
        """Loads a file and waits until its script ran."""
        self.events.clear()
        self.send("Page.navigate", url=path.resolve().as_uri())
        deadline = time.monotonic() + SECONDS
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read(deadline))

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, which JSON can hold."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def type(self, text: str) -> None:
        """Types into what has the focus."""
        self.send("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Presses a key by its name: "Enter", "ArrowRight", "+"."""
        codes = {
            "Enter": 13,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
            "Home": 36,
        }
        key_code = codes.get(key, ord(key[0]))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                text=text,
                windowsVirtualKeyCode=key_code,
            )

    def troubles(self) -> list[str]:
        """Errors on the console, exceptions, and requests for anything but the page itself."""
        self.send("Runtime.evaluate", expression="0")  # what is on its way arrives before
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(f"exception: {params['exceptionDetails']}")
            elif method == "Runtime.consoleAPICalled" and params["type"] in (
                "error",
                "warning",
                "assert",
            ):
                found.append(f"console: {params['args']}")
            elif method == "Log.entryAdded":
                found.append(f"log: {params['entry']}")
        return found

    def requests(self) -> list[str]:
        """Every address that was asked for, the page's own among them."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def screenshot(self, path: Path, is_whole: bool = False) -> None:
        answer = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        path.write_bytes(base64.b64decode(answer["data"]))
