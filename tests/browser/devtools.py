"""Drives a Chromium without a window over the DevTools protocol, through a pipe: no port, no driver program, no package beyond the browser."""
import json
import os
import shutil
import subprocess
import tempfile


class BrowserError(Exception):
    pass


class Browser:
    """One browser process with one page; a context manager that ends the process and removes its profile."""

    def __init__(self, executable):
        self._profile = tempfile.mkdtemp(prefix="orrery-browser-")
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        high = 200  # out of the way of the two numbers that the browser expects, 3 and 4

        def place_pipes():
            os.dup2(to_browser, high)
            os.dup2(from_browser, high + 1)
            os.dup2(high, 3)
            os.dup2(high + 1, 4)

        # The sandbox needs rights that containers do not give; the page shown is a local file.
        self._process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1400,900",
             f"--user-data-dir={self._profile}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._calls = 0
        self._session = None

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method, **params):
        """Sends one command and returns its result; events that arrive meanwhile are not of interest here."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") != self._calls:
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def _next_message(self):
        while b"\0" not in self._buffer:
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise BrowserError("the browser ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)
