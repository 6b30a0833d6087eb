"""page.py - looks at bench's pages in a real browser.

usage: page.py report PAGE RESULT
       page.py drawn PAGE
       page.py hour PAGE
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


CHART = """const figure = [...document.querySelectorAll('figure')].find(
        f => f.querySelector('figcaption').textContent.startsWith(%s));
      const svg = figure.querySelector(':scope > svg');"""


def box(page, title):
    """The frame of a chart on the screen, by its title: left, right, middle."""
    return page.js("(() => {" + CHART % json.dumps(title) + """
      svg.scrollIntoView({block: 'center'});
      const r = svg.getBoundingClientRect(), scale = r.width / svg.viewBox.baseVal.width;
      const axis = [...svg.querySelectorAll('line.axis')].at(-1), cursor = svg.querySelector('.cursor');
      return [r.left + axis.getAttribute('x1') * scale, r.left + axis.getAttribute('x2') * scale,
              r.top + (+cursor.getAttribute('y1') + +cursor.getAttribute('y2')) / 2 * scale];
    })()""")


def square(page):
    """The middle of a square of the heat map, on the screen."""
    return page.js("""(() => {
      const path = document.querySelector('path.heat[d^=M]'), svg = path.ownerSVGElement;
      const [left, low, right, high] = path.getAttribute('d').match(/[0-9.]+/g).map(Number);
      const r = svg.getBoundingClientRect(), scale = r.width / svg.viewBox.baseVal.width;
      return [r.left + (left + right) / 2 * scale, r.top + (low + high) / 2 * scale];
    })()""")


def values(page, title):
    """What the legend of a chart has beside the names of its lines: numbers, and texts."""
    return page.js("(() => {" + CHART % json.dumps(title) + """
      return [...figure.querySelectorAll('.v')].map(v => [v.dataset.value === '' ? null : +v.dataset.value, v.textContent]);
    })()""")


def noted(page, title):
    return page.js("(() => {" + CHART % json.dumps(title) + "return figure.querySelector('.at').textContent; })()")


def cards(page):
    """The key figures: names, and texts."""
    return dict(page.js("""[...document.querySelectorAll('.card')].map(c =>
      [c.querySelector('span').textContent, [...c.querySelectorAll('b')].map(b => b.textContent).join('|')])"""))


def titles(page, what="figcaption > span:first-child"):
    return page.js("[...document.querySelectorAll(%s)].map(t => t.textContent)" % json.dumps(what))


def short(x):
    """Three significant digits, as pages have them."""
    return "%.3g" % x if abs(x) < 1000 else format(int(float("%.3g" % x)), ",")


def places(page):
    """Where the charts are in the document: the pointer must not move them."""
    return page.js("""[...document.querySelectorAll('figure.timed > svg')]
      .map(s => Math.round(s.getBoundingClientRect().top + scrollY))""")


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
      for (const e of document.querySelectorAll('figure path.line')) look(e, getComputedStyle(e).stroke, 3);
      return [seen, [...bad]];
    })()""")
    assert seen > 20, seen
    return bad


def opened(page, url):
    """Open a report; its charts are drawn."""
    page.open(url)
    page.until("[...document.querySelectorAll('details[open] figure')].every(f => f.querySelector('.cursor'))")


def without_script(page, url):
    """The charts and cells that are there if scripts are switched off, and if they are on."""
    counts = []
    for off in (True, False):
        page.call("Emulation.setScriptExecutionDisabled", value=off)
        page.open(url)
        root = page.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        counts.append([len(page.call("DOM.querySelectorAll", nodeId=root, selector=what)["nodeIds"])
                       for what in ("figure > svg", "td")])
    return counts


def cursors(page):
    """Where the visible cursors are, on all charts."""
    return page.js("""[...document.querySelectorAll('.cursor')]
      .filter(c => c.getAttribute('visibility') === 'visible')
      .map(c => +c.getAttribute('x1'))""")


def report(path, result):
    url = "file://" + os.path.abspath(path)
    with open(result) as f:
        document = json.load(f)
    intervals, totals = document["intervals"], document["totals"]
    end = intervals[-1]["elapsed_s"]
    with Browser() as page:
        page.screen(1400, 900)
        (charts, cells), (drawn, all_cells) = without_script(page, url)
        # Without scripts there are all tables; with them, warnings are in a box.
        assert charts == 0 and drawn > 8 and cells - 8 < all_cells <= cells and cells > 20, (charts, drawn, cells, all_cells)
        assert faint(page) == [], faint(page)

        # The top: the test, its key figures, its warning, and the outage that broke it.
        evil = document["run"]["test"].replace("\x1b", "\\x1b")
        assert page.js("document.querySelector('h1').textContent") == evil
        assert page.js("document.title") == "bench: " + evil
        top = cards(page)
        assert top["Throughput"] == short(totals["events_per_s"]) + "/s", top
        assert re.fullmatch(r"[0-9.]+ (ns|µs|ms|s)", top["Latency p99"]), top
        assert top["Errors"] == "0", top
        assert page.js("document.querySelector('.box.warn').textContent") == "Warning" + evil
        assert titles(page, "nav a") == titles(page, "summary > h2") == [
            "Outages", "Throughput and latency", "Distribution of latencies", "Results of the test", "Statements and operations", "Server",
            "Machine", "Intervals", "Options", "Environment"], titles(page, "nav a")
        page.js("document.querySelectorAll('details').forEach(d => d.open = d.id !== 'intervals')")
        page.until("[...document.querySelectorAll('figure.timed')].every(f => f.querySelector('.cursor'))")
        have = titles(page)
        for title in ("Throughput", "Latency", "Heat map of latency", "Latency by percentile", "Wait events, server 1",
                      "Server 1: log", "Server 2: commits", "Psi io full", "Server 1: cpu", "Disk figure 0"):
            assert title in have, (title, have)
        assert faint(page) == [], faint(page)
        timed = page.js("document.querySelectorAll('figure.timed').length")

        # The values under the pointer are those of the document, in all charts.
        before = places(page)
        left, right, y = box(page, "Throughput")
        for i in (9, 25):
            x = left + (right - left) * intervals[i]["elapsed_s"] / end
            page.mouse("Moved", x, y)
            (got, text), = values(page, "Throughput")
            assert got == intervals[i]["events_per_s"], (got, i)
            assert text == short(got) + "/s" and "," in text, text
            p = intervals[i]["latency_ns"]["percentiles"]
            shown = values(page, "Latency")
            for (got, text), key in zip(shown, ["50", "99", "max", "95", "99.9"]):
                want = intervals[i]["latency_ns"]["max"] if key == "max" else p[key]
                assert near(got, want, 1e-3), (got, key, p)
                assert text.endswith(" ms") and near(float(text[:-3]), want / 1e6, 5e-3), text
            at = cursors(page)
            assert len(at) == timed, (len(at), timed)

        # So are those of a server, per second.
        page.mouse("Moved", left + (right - left) * intervals[25]["elapsed_s"] / end, y)
        (got, text), = values(page, "Server 1: log")
        assert near(got, intervals[25]["servers"][0]["log_bytes"] / 0.99, 1e-3), got
        assert re.fullmatch(r"[0-9.]+ kB/s", text), text

        # What is not in the list of waits of an interval was 0 there, unless the list is full.
        for i, want in ((9, 0.5), (20, 0), (5, None)):
            page.mouse("Moved", left + (right - left) * intervals[i]["elapsed_s"] / end, y)
            (got, _), = values(page, "Wait events, server 2")
            assert got == want, (i, got)

        # The mark, the outage and the dip are told where they are, and drawn as what they are.
        for place, text in ((20.0, "mark: " + evil), (11.5, "no service for 2.00 s; first error: "), (31.0, "dip")):
            page.mouse("Moved", left + (right - left) * place / end, y)
            at = noted(page, "Throughput")
            assert at.startswith("at %.1f s, %s" % (place, text.removeprefix("mark: "))), at
        page.mouse("Moved", left + (right - left) * 25 / end, y)
        assert re.fullmatch(r"at [0-9.]+ s", noted(page, "Throughput"))
        bands = page.js("""[...document.querySelector('figure.timed > svg').querySelectorAll('[data-from]')]
          .map(b => [b.dataset.kind, +b.dataset.from, +b.dataset.to])""")
        assert bands == [["stall", 10.5, 12.5], ["dip", 30, 32]], bands
        legend = titles(page, "figure.timed .legend span.key")
        assert legend[:3] == ["no service", "dip", "mark"], legend

        # A square of the heat map has the events of its moment and its row.
        # Which rows there are is up to the machine: the pointer goes to one.
        box(page, "Heat map")
        page.mouse("Moved", *square(page))
        text = noted(page, "Heat map")
        got = re.search(r": [0-9.,]+ \w+ to [0-9.,]+ \w+: ([0-9,]+) of [0-9,]+ events$", text)
        assert got and 0 < int(got[1].replace(",", "")) <= intervals[0]["events"], text

        assert places(page) == before, (places(page), before)

        # Dragging enlarges all charts; a double click shows everything again.
        paths = "[...document.querySelectorAll('figure.timed path.line')].map(p => p.getAttribute('d'))"
        whole = page.js(paths)
        shown = "document.getElementById('range').textContent"
        span = lambda: [float(n) for n in re.findall(r"[0-9.]+", page.js(shown) or "0 %r" % end)]
        left, right, y = box(page, "Throughput")
        width = right - left
        page.drag(left + width * 0.25, y, left + width * 0.5, y)
        low, high = span()
        assert near(low, end / 4, 0.02) and near(high, end / 2, 0.02), (low, high)
        page.mouse("Moved", left + width * 0.5, y)
        i = round((low + high) / 2) - 1
        (got, _), = values(page, "Throughput")
        assert got == intervals[i]["events_per_s"], (got, i)
        assert whole != page.js(paths)
        page.mouse("Pressed", left + width * 0.5, y, "left", 2)
        page.mouse("Released", left + width * 0.5, y, "left", 2)
        assert page.js(shown) == ""
        assert whole == page.js(paths)

        # Without a pointer: the keys move the cursor.
        page.js("document.querySelector('figure.timed > svg').focus()")
        for _ in range(3):
            page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
        assert len(cursors(page)) == timed
        # They enlarge what is around it, and go back; those of the browser are not taken.
        for key, modifiers, parts in (("+", 0, 2), ("+", 0, 4), ("+", 2, 4), ("-", 0, 2), ("-", 0, 1)):
            page.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers)
            low, high = span()
            assert near(high - low, end / parts, 0.02), (key, low, high)
            assert len(cursors(page)) == timed
        page.call("Input.dispatchKeyEvent", type="keyDown", key="+")
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
        assert page.js(shown) == ""

        # The legend switches a line off, and p95, which is off at first, on.
        lines = "document.querySelectorAll('figure.timed')[1].querySelectorAll('g path.line').length"
        assert page.js(lines) == 3
        key = "document.querySelectorAll('figure.timed')[1].querySelectorAll('button')[%d]"
        page.js((key % 3) + ".click()")
        assert page.js(lines) == 4 and page.js((key % 3) + ".getAttribute('aria-pressed')") == "true"
        page.js((key % 0) + ".click()")
        assert page.js(lines) == 3

        # A row per interval; a click on a head sorts by numbers, a second one the other way.
        page.js("document.getElementById('intervals').open = true")
        page.until("document.querySelectorAll('#intervals td').length")
        column = """[...document.querySelectorAll('#intervals tbody tr')].map(r => r.cells[1].textContent)"""
        rates = [i["events_per_s"] for i in intervals]
        assert page.js(column) == [short(r) + "/s" for r in rates]
        click = "document.querySelectorAll('#intervals th button')[1].click()"
        page.js(click)
        assert page.js(column) == sorted([short(r) + "/s" for r in rates], reverse=True)
        page.js(click)
        assert page.js(column) == sorted([short(r) + "/s" for r in rates])
        assert page.js("document.querySelector('[aria-sort]').textContent") == "events/s"

        # Paper shows everything, and no tools.
        page.js("document.querySelectorAll('details').forEach(d => d.open = false); dispatchEvent(new Event('beforeprint'))")
        page.call("Emulation.setEmulatedMedia", media="print")
        assert page.js("[...document.querySelectorAll('details')].filter(d => !d.open).map(d => d.id)") == ["intervals"]
        assert page.js("getComputedStyle(document.querySelector('nav')).display") == "none"
        page.call("Emulation.setEmulatedMedia", media="")

        # A phone, in the dark: nothing is wider than the screen, texts can be read.
        page.screen(400, 800, dark=True)
        opened(page, url)
        assert page.js("document.documentElement.scrollWidth") <= 400
        assert faint(page) == [], faint(page)
        assert page.js("""(() => {
          const t = document.querySelector('figure.timed svg text');
          return t.getBoundingClientRect().height; })()""") >= 12
        assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        # A wide table shows all its figures, one below the other.
        stacked = page.js("""(() => {
          const cells = [...document.querySelector('section[data-kind=Summary] table').querySelectorAll('td')];
          return cells.map(c => [c.dataset.label, c.getBoundingClientRect().right <= innerWidth]); })()""")
        assert ["p99", True] in stacked and ["errors", True] in stacked, stacked
        assert page.faults == [], page.faults


def drawn(path):
    """Print what a reader sees of a report, as JSON."""
    with Browser() as page:
        page.screen(1400, 900)
        page.open("file://" + os.path.abspath(path))
        page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.until("[...document.querySelectorAll('figure')].every(f => f.querySelector('.cursor'))")
        assert faint(page) == [], faint(page)
        # No label is over another one, and no figure is wider than its card.
        assert page.js("""[...document.querySelectorAll('svg')].flatMap(svg => {
          const all = [...svg.querySelectorAll('text.strong')].map(t => [t.textContent, t.getBoundingClientRect()]);
          return all.flatMap(([a, r], i) => all.slice(i + 1).filter(([, o]) => r.left < o.right && o.left < r.right &&
            r.top + 2 < o.bottom && o.top + 2 < r.bottom).map(([b]) => a + ' and ' + b));
        })""") == []
        assert page.js("[...document.querySelectorAll('.card b')].filter(b => b.scrollWidth > b.clientWidth).map(b => b.textContent)") == []
        seen = {"title": page.js("document.querySelector('h1').textContent"), "facts": titles(page, ".facts"),
                "cards": cards(page), "box": titles(page, ".box li"), "contents": titles(page, "nav a"),
                "heads": titles(page, "h2"), "charts": titles(page), "cells": titles(page, "td"), "paragraphs": titles(page, "p")}
        seen["lines"] = page.js("""Object.fromEntries([...document.querySelectorAll('figure')].map(f => [
          f.querySelector('figcaption').firstChild.textContent,
          [...f.querySelectorAll('.legend button > span')].map(s => s.textContent)]))""")
        seen["texts"] = titles(page, "svg text.strong")
        seen["changes"] = page.js("""[...document.querySelectorAll('.card > span:last-child')].map(s =>
          [s.textContent, s.className])""")
        seen["dots"] = page.js("document.querySelectorAll('figure g circle.dot').length")
        page.screen(400, 800, dark=True)
        assert page.js("document.documentElement.scrollWidth") <= 400
        assert faint(page) == [], faint(page)
        assert page.faults == [], page.faults
        json.dump(seen, sys.stdout)


def hour(path):
    """A long run: all its intervals are there, drawn within the frame and listed."""
    with Browser() as page:
        opened(page, "file://" + os.path.abspath(path))
        d = page.js("document.querySelector('figure.timed g path.line').getAttribute('d')")
        assert 500 < d.count("L") < 3600, d.count("L")
        assert page.js("document.getElementById('intervals').querySelector('.dim').textContent") == "3,600"
        page.js("document.getElementById('intervals').open = true")
        page.until("document.querySelectorAll('#intervals tbody tr').length === 3600")
        rows = "document.querySelectorAll('section[data-kind=Operations] tbody tr').length"
        assert page.js(rows) == 64, page.js(rows)
        assert page.faults == [], page.faults


def live(port, test, pid):
    with Browser() as page:
        page.open(f"http://127.0.0.1:{port}/")
        # The page knows nothing but what the stream says.
        page.until("parseFloat(document.getElementById('now-rate').textContent) > 0")
        page.until("document.querySelectorAll('figure:not([hidden]) g path.line').length >= 2")
        assert page.js("document.getElementById('title').textContent") == test
        assert page.js("document.querySelector('.facts').textContent").startswith("1 thread")
        assert page.js("document.title") == "bench: " + test
        assert page.js("document.querySelectorAll('img').length") == 0
        rate = page.js("document.getElementById('now-rate').textContent").replace(",", "")
        assert float(rate.removesuffix("/s")) > 0, rate
        assert " left" in page.js("document.getElementById('state').textContent")
        assert faint(page) == [], faint(page)
        # A viewer that comes late gets the past; this one has a small screen.
        page.screen(400, 800, dark=True)
        page.open(f"http://127.0.0.1:{port}/")
        page.until("document.querySelector('figure g path.line').getAttribute('d').includes('L')")
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
        # The button marks as well, and the header names the machine.
        page.js("document.getElementById('mark-text').value = 'two % \u00e4& more', document.getElementById('mark').click()")
        page.until("document.querySelectorAll('#marks li').length > 1")
        assert page.js("document.querySelectorAll('#marks li')[1].textContent").endswith(" s: two % \u00e4& more")
        page.until("document.getElementById('mark-text').value === ''")
        assert "on " + os.uname().nodename in page.js("document.querySelector('.facts').textContent")
        assert page.js("document.getElementById('mark').parentNode.hidden") is False
        # A pause stops the drawing, and what came meanwhile is drawn afterwards; what is saved has all of it.
        state, pause = "document.getElementById('state').textContent", "document.getElementById('pause')"
        page.js(pause + ".click()")
        still = page.js(state)
        page.js("""(window.other = new EventSource('/events')).addEventListener('look', e => window.seen = JSON.parse(e.data).t)""")
        page.until("Math.floor(window.seen) > %d" % float(re.match(r"[0-9.]+", still)[0]))
        assert page.js(state) == still and page.js(pause + ".textContent") == "Continue"
        page.js(pause + ".click()")
        assert page.js(state) != still
        name, saved = page.js("""(async () => {
          other.close();
          const {createObjectURL} = URL, {click} = HTMLAnchorElement.prototype;
          URL.createObjectURL = blob => (window.blob = blob, '');
          HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };
          document.getElementById('save-data').click();
          URL.createObjectURL = createObjectURL, HTMLAnchorElement.prototype.click = click;
          return [saved, await blob.text()];
        })()""")
        saved = json.loads(saved)
        assert name == "live.json" and saved["run"]["test"] == test, name
        assert saved["marks"][0]["text"] == text and saved["looks"][-1]["t"] > float(re.match(r"[0-9.]+", still)[0])
        # The report has charts over time if the run had five intervals, of a second each.
        page.until("document.querySelector('figure g path.line').getAttribute('d').split('L').length >= 6")
        os.kill(int(pid), signal.SIGINT)
        page.until("document.getElementById('save')")
        assert text in titles(page, "td"), "the table of marks"
        assert page.js("document.querySelector('h1').textContent") == test
        assert titles(page)[:2] == ["Throughput", "Latency"], titles(page)
        # What is saved is the page, and works: its script has run here.
        assert "Throughput and latency" in titles(page, "nav a")
        assert page.js("document.getElementById('save').href").startswith("blob:")
        assert page.js("document.getElementById('save').download") == "report.html"
        assert page.faults == [], page.faults


def servers(port):
    with Browser() as page:
        page.open(f"http://127.0.0.1:{port}/")
        # A row for a figure of the server, with the value that it has now.
        row = "document.querySelector('figure[data-server=data_bytes]')"
        page.until(row + " && !" + row + ".hidden && " + row + ".querySelector('g path.line')")
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
        page.until(figure + " && " + figure + ".querySelectorAll('g path.line').length === 7")
        assert page.js(figure + ".querySelector('figcaption').textContent") == "Server: wait events"
        said = page.js("[..." + figure + ".querySelectorAll('.legend button')].map(s => s.textContent)")
        shown = evil.replace("\x1b", "\\x1b")
        assert said == [shown + "2.25", "__proto__1", "IO:log6", "LWLock:10.500", "LWLock:21", "LWLock:31.50",
                        "others4.50"], said
        # A wait that begins had nothing before: its line rises from there.
        # Where nobody knows, it has a gap.
        drawn = page.js("[..." + figure + ".querySelectorAll('g path.line')].map(p => p.getAttribute('d'))")
        assert [(d.count("M"), d.count("L")) for d in drawn] == [(2, 3)] * 3 + [(1, 1)] * 4, drawn
        assert page.js("document.querySelectorAll('img').length") == 0
        assert page.js("document.getElementById('title').textContent") == shown
        assert page.faults == [], page.faults
        over.set()
        server.shutdown()


if __name__ == "__main__":
    if not find():
        sys.exit(77)
    {"report": report, "hour": hour, "drawn": drawn, "live": live, "servers": servers, "hostile": hostile}[sys.argv[1]](*sys.argv[2:])
