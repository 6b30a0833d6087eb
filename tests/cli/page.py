"""page.py - looks at bench's pages in a real browser.

usage: page.py report PAGE RESULT
Exit status 77: there is no browser.
"""
import json
import os
import sys

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


def values(page, title):
    """What a chart says beside the names of its lines: numbers, and texts."""
    return page.js("""(() => {
      const figure = [...document.querySelectorAll('figure.timed')].find(
        f => f.querySelector('figcaption').firstChild.textContent.startsWith(%s));
      return [...figure.querySelectorAll('.v')].map(v => [+v.dataset.value, v.textContent]);
    })()""" % json.dumps(title))


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
    with Browser(scripts=False) as page:
        page.open(url)
    with Browser() as page:
        page.open(url)
        charts = page.js("document.querySelectorAll('figure.timed').length")
        assert charts >= 5, charts

        # The values under the pointer are those of the document, in all charts.
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

        # A square of the heat map has the events of its moment.
        left, right, y = box(page, "Heat map")
        page.mouse("Moved", left + (right - left) * 0.5, y)
        (got, text), = values(page, "Heat map")
        assert "events" in text and " to " in text, text

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

        assert page.faults == [], page.faults

    # A phone, in the dark: nothing is wider than the screen, texts can be read.
    with Browser(400, 800, dark=True) as page:
        page.open(url)
        assert page.js("document.documentElement.scrollWidth") <= 400
        assert page.js("""(() => {
          const t = document.querySelector('figure.timed svg text');
          return t.getBoundingClientRect().height; })()""") >= 9
        assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        assert page.faults == [], page.faults


if __name__ == "__main__":
    if not find():
        sys.exit(77)
    {"report": report}[sys.argv[1]](*sys.argv[2:])
