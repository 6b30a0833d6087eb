"""browser.py - a browser without a window, driven over its debugging protocol.

Only the standard library is needed, and chromium.  The protocol's messages go
through two pipes, so that no port is used.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile


def find():
    """The path of a browser; None: there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """One page.  `faults` has all messages of its console, and all errors of its scripts."""

    def __init__(self, width=1400, height=900, dark=False):
        self.folder = tempfile.mkdtemp(prefix="bench-browser-")
        to_read, self.write = os.pipe()
        self.read, to_write = os.pipe()
        command = [
            find(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
            "--disable-extensions", "--hide-scrollbars", "--user-data-dir=" + self.folder,
            "about:blank",
        ]

        def connect():
            # The browser reads from 3 and writes to 4.
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            command, preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.number = 0
        self.session = None
        self.faults = []
        self.events = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page,
                                 flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log"):
            self.call(part + ".enable")
        # Errors without an exception, such as those of observers, are in no console.
        self.call("Page.addScriptToEvaluateOnNewDocument", source="addEventListener('error', e => console.error(e.message))")
        self.screen(width, height, dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for fd in (self.write, self.read):
            os.close(fd)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.read, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.faults.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.faults.append(str([a.get("value") for a in params["args"]]))
        elif method == "Log.entryAdded":
            self.faults.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        if method:
            self.events.append(method)
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def screen(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.receive()

    def js(self, expression):
        """The value of an expression in the page; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def until(self, expression):
        """Wait until the expression is true, looking at each frame."""
        return self.js(
            "new Promise(done => { const look = () => { let v; try { v = (" + expression +
            "); } catch { v = false; } v ? done(v) : setTimeout(look, 50); }; look(); })")

    def mouse(self, kind, x, y, button="none", clicks=0):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, button=button,
                  buttons=1 if button == "left" else 0, clickCount=clicks)

    def drag(self, x0, y0, x1, y1):
        self.mouse("Moved", x0, y0)
        self.mouse("Pressed", x0, y0, "left", 1)
        self.mouse("Moved", (x0 + x1) / 2, y1, "left")
        self.mouse("Moved", x1, y1, "left")
        self.mouse("Released", x1, y1, "left", 1)

    def picture(self, path, height=None, top=0):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"],
                "height": min(size["height"] - top, height or size["height"]), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip,
                         captureBeyondViewport=True)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
