"""page.py - looks at bench's pages in a real browser.

usage: page.py report PAGE RESULT
       page.py live PORT TEST PID
       page.py servers PORT
       page.py hostile PAGE
Exit status 77: there is no browser.
"""
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading

from browser import Browser, find


def near(a, b, share=1e-4):
    return abs(a - b) <= share * abs(b)


def box(page, title):
    """The frame of a chart on the screen, by its title: left, right, middle."""
    return page.js("""(() => {
      const figure = [...document.querySelectorAll('figure.timed')].find(
        f => f.querySelector('figcaption').firstChild.textContent.startsWith(%s));
      const svg = figure.querySelector(':scope > svg');
      svg.scrollIntoView({block: 'center'});
      const r = svg.getBoundingClientRect(), scale = r.width / 720;
      const [left, top, right, bottom] =
        JSON.parse(figure.querySelector('script').textContent).box;
      return [r.left + left * scale, r.left + right * scale,
              r.top + (top + bottom) / 2 * scale];
    })()""" % json.dumps(title))


def square(page):
    """The middle of a square of the heat map, on the screen."""
    return page.js("""(() => {
      const path = document.querySelector('path.heat[d^=M]'), svg = path.ownerSVGElement;
      const [left, top, right, bottom] = path.getAttribute('d').match(/[0-9.]+/g).map(Number);
      const r = svg.getBoundingClientRect(), scale = r.width / svg.viewBox.baseVal.width;
      return [r.left + (left + right) / 2 * scale, r.top + (top + bottom) / 2 * scale];
    })()""")


def values(page, title):
    """What a chart says beside the names of its lines: numbers, and texts."""
    return page.js("""(() => {
      const figure = [...document.querySelectorAll('figure.timed')].find(
        f => f.querySelector('figcaption').firstChild.textContent.startsWith(%s));
      return [...figure.querySelectorAll('.v')].map(v => [+v.dataset.value, v.textContent]);
    })()""" % json.dumps(title))


def places(page):
    """Where the charts are in the document: the pointer must not move them."""
    return page.js("""[...document.querySelectorAll('figure.timed > svg')]
      .map(s => s.getBoundingClientRect().top + scrollY)""")


def faint(page):
    """Texts whose contrast to what is behind them is below 4.5, and lines and dots below 3; there are others."""
    seen, bad = page.js("""(() => {
      const parts = text => text.match(/[0-9.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 :
        ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = e => {
        for (; e; e = e.parentElement) {
          const c = parts(getComputedStyle(e).backgroundColor);
          if (c.length < 4 || c[3] > 0) return c;
        }
        return [255, 255, 255];
      };
      let seen = 0;
      const bad = new Set();
      const look = (e, colour, least) => {
        const [a, b] = [light(parts(colour)), light(behind(e))].sort((x, y) => x - y);
        seen++;
        if ((b + 0.05) / (a + 0.05) < least) bad.add(e.outerHTML.slice(0, 80));
      };
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const e = texts.currentNode.parentElement;
        if (!texts.currentNode.textContent.trim() || e.closest('script, style, noscript, title')) continue;
        if (!e.getClientRects().length) continue;
        look(e, getComputedStyle(e)[e instanceof SVGElement ? 'fill' : 'color'], 4.5);
      }
      for (const e of document.querySelectorAll('path.line')) look(e, getComputedStyle(e).stroke, 3);
      return [seen, [...bad]];
    })()""")
    assert seen > 20, seen
    return bad


def without_script(page, url):
    """The charts and tables that are there if scripts are switched off, and if they are on."""
    counts = []
    for off in (True, False):
        page.call("Emulation.setScriptExecutionDisabled", value=off)
        page.open(url)
        root = page.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        counts.append([len(page.call("DOM.querySelectorAll", nodeId=root, selector=what)["nodeIds"])
                       for what in ("figure > svg", "path.line", "td")])
    return counts


def cursors(page):
    """Where the visible cursors are, on all charts."""
    return page.js("""[...document.querySelectorAll('.cursor')]
      .filter(c => c.getAttribute('visibility') === 'visible')
      .map(c => +c.getAttribute('x1'))""")


def report(path, result):
    url = "file://" + os.path.abspath(path)
    with open(result) as f:
        intervals = json.load(f)["intervals"]
    end = intervals[-1]["elapsed_s"]
    with Browser() as page:
        off, on = without_script(page, url)
        assert off == on and min(on) > 5, (off, on)
        assert faint(page) == [], faint(page)
        charts = page.js("document.querySelectorAll('figure.timed').length")
        assert charts >= 5, charts

        # The values under the pointer are those of the document, in all charts.
        before = places(page)
        left, right, y = box(page, "Throughput")
        for i in (9, 25):
            x = left + (right - left) * intervals[i]["elapsed_s"] / end
            page.mouse("Moved", x, y)
            (got, text), = values(page, "Throughput")
            assert got == intervals[i]["events_per_s"], (got, i)
            assert text.replace(",", "") == str(int(got)) and "," in text, text
            p = intervals[i]["latency_ns"]["percentiles"]
            shown = values(page, "Latency over time")
            for (got, text), key in zip(shown, ["50", "95", "99", "99.9"]):
                assert near(got, p[key]), (got, key, p)
                assert text.endswith(" ms") and near(float(text[:-3]), got / 1e6, 1e-3), text
            at = cursors(page)
            assert len(at) == charts and max(at) - min(at) < 1, at

        # So are those of a server.
        page.mouse("Moved", left + (right - left) * intervals[25]["elapsed_s"] / end, y)
        (got, text), = values(page, "server 1: log bytes")
        assert got == float("%.4g" % intervals[25]["servers"][0]["log_bytes"]), got
        assert re.fullmatch(r"[0-9.]+ k(i)?B", text), text

        # The mark, the outage and the dip are said where they are.
        for place, text in ((20.0, "mark: "), (11.5, "no service"), (31.0, "dip")):
            page.mouse("Moved", left + (right - left) * place / end, y)
            at = page.js("document.querySelector('figure.timed .at').textContent")
            assert at.startswith("at %.1f s, %s" % (place, text)), at
        page.mouse("Moved", left + (right - left) * 25 / end, y)
        at = page.js("document.querySelector('figure.timed .at').textContent")
        assert re.fullmatch(r"at [0-9.]+ s", at), at

        # A square of the heat map has the events of its moment and its row.
        # Which rows there are is up to the machine: the pointer goes to one.
        box(page, "Heat map")
        page.mouse("Moved", *square(page))
        (got, text), = values(page, "Heat map")
        assert re.fullmatch(r"[0-9.,]+ \w+ to [0-9.,]+ \w+: %d events" % got, text), text
        assert 0 < got <= intervals[0]["events"], got

        assert places(page) == before, (places(page), before)

        # Dragging enlarges all charts; a double click shows everything again.
        whole = page.js("[...document.querySelectorAll('path.line')].map(p => p.getAttribute('d'))")
        left, right, y = box(page, "Throughput")
        width = right - left
        page.drag(left + width * 0.25, y, left + width * 0.5, y)
        low, high = map(float, page.js("document.querySelector('.tools').dataset.range").split())
        assert near(low, end / 4, 0.02) and near(high, end / 2, 0.02), (low, high)
        page.mouse("Moved", left + width * 0.5, y)
        i = round((low + high) / 2) - 1
        (got, _), = values(page, "Throughput")
        assert got == intervals[i]["events_per_s"], (got, i)
        zoomed = page.js("[...document.querySelectorAll('path.line')].map(p => p.getAttribute('d'))")
        assert whole != zoomed
        page.mouse("Pressed", left + width * 0.5, y, "left", 2)
        page.mouse("Released", left + width * 0.5, y, "left", 2)
        assert page.js("document.querySelector('.tools').dataset.range") == ""
        assert whole == page.js("[...document.querySelectorAll('path.line')]"
                                ".map(p => p.getAttribute('d'))")

        # Without a pointer: the keys move the cursor.
        page.js("document.querySelector('figure.timed > svg').focus()")
        for _ in range(3):
            page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
        assert len(cursors(page)) == charts
        # They enlarge what is around it, and go back; those of the browser are not taken.
        shown = "document.querySelector('.tools').dataset.range"
        for key, modifiers, parts in (("+", 0, 2), ("+", 0, 4), ("+", 2, 4), ("-", 0, 2), ("-", 0, 1)):
            page.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers)
            low, high = map(float, (page.js(shown) or "0 %r" % end).split())
            assert near(high - low, end / parts), (key, low, high)
            assert len(cursors(page)) == charts
        page.call("Input.dispatchKeyEvent", type="keyDown", key="+")
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
        assert page.js(shown) == ""

        # A click on a head sorts by numbers, a second one the other way.
        page.js("document.querySelector('details').open = true")
        column = """[...document.querySelectorAll('table.sort tbody tr')]
          .map(r => +r.cells[1].textContent.replaceAll(',', ''))"""
        rates = [i["events_per_s"] for i in intervals]
        assert page.js(column) == rates
        click = "document.querySelectorAll('table.sort th button')[1].click()"
        page.js(click)
        assert page.js(column) == sorted(rates, reverse=True)
        page.js(click)
        assert page.js(column) == sorted(rates)
        assert page.js("document.querySelector('[aria-sort]').textContent") == "events/s"

        # A phone, in the dark: nothing is wider than the screen, texts can be read.
        page.screen(400, 800, dark=True)
        page.open(url)
        assert page.js("document.documentElement.scrollWidth") <= 400
        assert faint(page) == [], faint(page)
        assert page.js("""(() => {
          const t = document.querySelector('figure.timed svg text');
          return t.getBoundingClientRect().height; })()""") >= 9
        assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        assert page.faults == [], page.faults


def live(port, test, pid):
    with Browser() as page:
        page.open(f"http://127.0.0.1:{port}/")
        page.until("document.getElementById('now-rate').textContent !== '-'")
        # The page knows nothing but what the stream says.
        page.until("document.querySelectorAll('path.line').length >= 2")
        assert page.js("document.getElementById('title').textContent").startswith(test + ", ")
        assert page.js("document.title") == "bench: " + test
        assert page.js("document.querySelectorAll('img').length") == 0
        rate = page.js("document.getElementById('now-rate').textContent").replace(",", "")
        assert float(rate) > 0, rate
        assert " left" in page.js("document.getElementById('state').textContent")
        assert faint(page) == [], faint(page)
        # A viewer that comes late gets the past; this one has a small screen.
        page.screen(400, 800, dark=True)
        page.open(f"http://127.0.0.1:{port}/")
        page.until("document.querySelector('path.line').getAttribute('d').includes('L')")
        assert page.js("document.documentElement.scrollWidth") <= 400
        assert faint(page) == [], faint(page)
        # A mark comes while somebody watches, as text, on each chart and in the list.
        text = "<img src=y onerror=console.error(2)>"
        subprocess.run([os.environ["BENCH"], "mark", pid, text], check=True)
        page.until("document.querySelectorAll('#marks li').length")
        said = page.js("document.querySelector('#marks li').textContent")
        assert re.fullmatch(r"at [0-9]+\.[0-9]{3} s: " + re.escape(text), said), said
        page.until("document.querySelector('svg .moment title')")
        assert page.js("document.querySelector('svg .moment title').textContent") == text
        os.kill(int(pid), signal.SIGINT)
        page.until("document.getElementById('save')")
        assert text in page.js("document.querySelector('rect.moment title').textContent")
        assert text in page.js("""[...document.querySelectorAll('td')].map(
          t => t.textContent)"""), "the table of marks"
        assert page.js("document.querySelector('h1').textContent") == "bench report: " + test
        assert page.js("document.querySelectorAll('figure.timed').length") >= 3
        # What is saved is the page, and works: its script has run here.
        assert page.js("document.querySelector('.tools span').textContent").startswith("drag")
        assert page.js("document.getElementById('save').href").startswith("blob:")
        assert page.js("document.getElementById('save').download") == "report.html"
        assert page.faults == [], page.faults


def servers(port):
    with Browser() as page:
        page.open(f"http://127.0.0.1:{port}/")
        # A row for a figure of the server, with the value that it has now.
        row = "document.querySelector('figure[data-server=data_bytes]')"
        page.until(row + " && !" + row + ".hidden && " + row + ".querySelector('path.line')")
        assert page.js(row + ".querySelector('figcaption').textContent") == "Server: data bytes"
        said = page.js(row + ".querySelector('.legend b').textContent")
        assert re.fullmatch(r"[0-9.,]+ [kMG]?B", said), said
        assert page.faults == [], page.faults


def hostile(path):
    """The live page of a run whose server has markup in the names of its waits."""
    evil = "Lock:<img src=x onerror=console.error(1)>\x1b[31m"
    over = threading.Event()
    run = {"test": evil, "version": evil, "threads": 1, "start": 0}
    looks = [{"t": t, "events": 9, "rate": 9.0, "queries": 9.0, "errors": 0, "reconnects": 0, "warnings": [evil],
              "servers": [{"target": evil, "rates": {evil: 1.5}, "levels": {"connections": 3},
                           "waits": {evil: 2.25, "__proto__": 1, "IO:log": t} if t > 1 else {}}]}
             for t in (1, 2, 3, 4, 5, 6)]
    del looks[3]["servers"][0]["waits"]  # nobody knows
    looks[5]["servers"][0]["waits"].update({"LWLock:%d" % k: k / 2 for k in range(1, 6)})

    class Run(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if self.path == "/" else "text/event-stream")
            self.end_headers()
            if self.path == "/":
                with open(path, "rb") as f:
                    self.wfile.write(f.read())
                return
            for name, value in [("run", run)] + [("look", look) for look in looks]:
                self.wfile.write(f"event: {name}\ndata: {json.dumps(value)}\n\n".encode())
            over.wait()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Run) as server, Browser() as page:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.open(f"http://127.0.0.1:{server.server_port}/")
        figure = "document.querySelector('figure[data-waits]')"
        page.until(figure + " && " + figure + ".querySelectorAll('path.line').length === 7")
        assert page.js(figure + ".querySelector('figcaption').textContent") == "Server: what sessions wait for"
        said = page.js("[..." + figure + ".querySelectorAll('.legend span')].map(s => s.textContent)")
        assert said == [evil + " 2.25", "__proto__ 1", "IO:log 6", "LWLock:1 0.5", "LWLock:2 1", "LWLock:3 1.5",
                        "others 4.5"], said
        # A wait that begins had nothing before: its line rises from there.
        # Where nobody knows, it has a gap.
        drawn = page.js("[..." + figure + ".querySelectorAll('path.line')].map(p => p.getAttribute('d'))")
        assert [(d.count("M"), d.count("L")) for d in drawn] == [(2, 3)] * 3 + [(1, 1)] * 4, drawn
        assert page.js("document.querySelectorAll('img').length") == 0
        assert evil in page.js("document.getElementById('title').textContent")
        assert page.faults == [], page.faults
        over.set()
        server.shutdown()


if __name__ == "__main__":
    if not find():
        sys.exit(77)
    {"report": report, "live": live, "servers": servers, "hostile": hostile}[sys.argv[1]](*sys.argv[2:])
