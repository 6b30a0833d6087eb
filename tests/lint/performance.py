"""Numbers about the speed of bench are those of the tables that tests/bench printed.

usage: performance.py FOLDER

Prints each number of docs/performance.md (outside of its method), and of a paragraph of
another document that links to it, for which docs/performance-raw.md has no such number and
no quotient of two costs or rates of one of its tables, and a line if the chart is old.
"""
import os
import re
import subprocess
import sys

os.chdir(sys.argv[1])
NUMBER = r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w]*[.]\d)"


def numbers(text):
    """Those with a fraction or a thousand, which nobody gives by chance."""
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", text)
    return [n.rstrip(",") for n in re.findall(NUMBER, text) if re.search(r"\.|,\d", n)]


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def quotients(page):
    """The ratio that a row of the page has of two numbers of that row or of the next one."""
    found = set()
    rows = [[float(n.replace(",", "")) for n in re.findall(NUMBER, re.sub(r"\d+ (?:threads?|connections)|depth \d+", "", line))]
            for line in page.splitlines() if line.startswith("|")]
    for i, row in enumerate(rows):
        both = row + (rows[i + 1] if i + 1 < len(rows) else [])
        found.update(f"{a / b:.{digits}f}" for a in both for b in both if b for digits in (1, 2))
    return found


page, raw = read("docs/performance.md"), read("docs/performance-raw.md")
measured = set(numbers(raw))
missing = [f"docs/performance.md: {n}" for n in numbers(page.split("\n## Machine, versions", 1)[0])
           if n not in measured | quotients(page)]
for name in ["README.md", "NEWS.md", "QUIRKS.md"] + ["docs/" + f for f in sorted(os.listdir("docs")) if f.endswith(".md")]:
    for paragraph in re.split(r"\n\s*\n|\n(?=[|*-])", read(name)):
        if "performance.md" in paragraph and not name.startswith("docs/performance"):
            missing += [f"{name}: {n}" for n in numbers(paragraph) if n not in numbers(page)]
if subprocess.run([sys.executable, "tests/bench/chart.py"], capture_output=True, text=True, check=True).stdout != read("docs/performance.svg"):
    missing.append("docs/performance.svg: tests/bench/chart.py prints another one")
print("\n".join(missing))
