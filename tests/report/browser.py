"""Chromium, told what to do through its debugging pipe; needs nothing but the browser. Its headless shell starts in half the time.

    with Browser() as browser:
        page = browser.open("/tmp/duet-out/report.html")
        page.evaluate("document.title")
        page.problems, page.requests      # what the console complained about; addresses asked for
        page.seconds, page.cpu_seconds    # from the navigation until it is drawn and answers
"""
import json
import os
import shutil
import subprocess
import tempfile
import time

QUICK_SCRIPTS = "--js-flags=--single-threaded --no-opt --no-maglev"


def find():
    return next((found for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Browser:
    def __init__(self, *arguments, optimise=False):  # optimise: compile the pages' scripts as for somebody who stays, which costs as much as they do
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        self.profile = tempfile.mkdtemp()

        def give_pipes():  # it reads from 3 and writes to 4
            os.dup2(to_browser, 63), os.dup2(from_browser, 64)
            os.dup2(63, 3), os.dup2(64, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--window-size=1300,1000", f"--user-data-dir={self.profile}", *([] if optimise else [QUICK_SCRIPTS]), *arguments, "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser), os.close(from_browser)
        self.rest = b""
        self.last = 0
        self.targets, self.pages = [], {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.out)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 16)
            if not more:
                raise RuntimeError("the browser has gone")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message["params"])
        return message

    def call(self, method, session=None, **params):
        self.last += 1
        number = self.last
        request = {"id": number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, path, dark=False, before=""):  # `before`: script that runs before those of the page
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.targets.append(target)
        return Page(self, session, path, dark, before)

    def close_pages(self):
        for target in self.targets:
            self.call("Target.closeTarget", targetId=target)
        self.targets, self.pages = [], {}


class Page:
    def __init__(self, browser, session, path, dark, before):
        self.browser, self.session = browser, session
        self.problems, self.requests, self.loaded = [], [], False
        browser.pages[session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Performance.enable", timeDomain="threadTicks")
        self.address = "file://" + os.path.abspath(path)
        start = time.monotonic()
        self.call("Page.navigate", url=self.address)
        while not self.loaded:
            browser._message()
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        self.seconds = time.monotonic() - start
        # Of the thread that runs the page's script, whatever else the machine does.
        self.cpu_seconds = next(one["value"] for one in self.call("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")

    def event(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def wheel(self, selector, turns, down="r.height / 3"):  # `down`: from its top
        x, y = self.evaluate(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView(); const r = e.getBoundingClientRect();"
                             f" return [r.x + r.width / 2, r.y + {down}]; }})()")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=turns)

    def screenshot(self, path):
        import base64
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
                "x": 0, "y": 0, "width": self.evaluate("document.documentElement.scrollWidth"),
                "height": self.evaluate("document.documentElement.scrollHeight"), "scale": 1})["data"]))
