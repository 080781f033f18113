"""Drives a Chromium without a window over the DevTools protocol, through a pipe: no port, no driver program, no package beyond the browser."""
import json
import os
import shutil
import subprocess
import tempfile

KEY_CODES = {"PageUp": 33, "PageDown": 34, "Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "[": 219, "]": 221, "/": 191}
# A page of orrery report shows everything: after so many milliseconds. A page that was only just asked for has no document yet.
READY = "new Promise(go => { const look = () => document.documentElement && document.documentElement.dataset.ready === 'true' ? go(performance.now()) : setTimeout(look, 5); look(); })"


class BrowserError(Exception):
    pass


class Browser:
    """One browser process with one page; a context manager that ends the process and removes its profile."""

    def __init__(self, executable, flags=()):
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
             f"--user-data-dir={self._profile}", *flags, "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._calls = 0
        self._session = None
        self.events = []  # what the browser reported meanwhile, of the domains that were enabled

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method, **params):
        """Sends one command and returns its result; events that arrive meanwhile are kept."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if "method" in answer:
                self.events.append(answer)
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

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def key(self, key, times=1, shift=False):
        """Presses and releases a key as a keyboard does."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        base = {"key": key, "windowsVirtualKeyCode": KEY_CODES.get(key) or ord(key.upper()), "modifiers": 8 if shift else 0}
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", **base, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **base)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, y0, x1, y1, shift=False):
        modifiers = 8 if shift else 0
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1, modifiers=modifiers)
        self.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseMoved", x1, y1, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1, modifiers=modifiers)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def _next_message(self):
        while b"\0" not in self._buffer:
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise BrowserError("the browser ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)
