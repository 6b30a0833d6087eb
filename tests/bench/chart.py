#!/usr/bin/env python3
"""chart.py - prints docs/performance.svg: CPU time of client programs per query.

usage: chart.py [FILE]     FILE, docs/performance-raw.md by default, has the table
                           that `clients.sh separate` prints
"""
import os
import sys

DEFAULT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/performance-raw.md")
TITLE = "Server on CPU"
LEFT, TOP, BAR, GAP, SCALE = 190, 34, 18, 12, 5.0


def rows(path):
    """(server, clients, program, microseconds) of each row of the table."""
    with open(path, encoding="utf-8") as file:
        section = file.read().split(TITLE, 1)[1].split("\n## ", 1)[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if len(cells) > 3 and cells[1].isdigit():
            program = "bench" if cells[2] == "clients" else cells[2].split()[0]
            yield cells[0], cells[1], program, float(cells[3])


def chart(bars):
    parts, y, group = [], TOP, None
    for server, clients, program, cost in bars:
        if group not in (None, (server, clients)):
            y += GAP
        if group != (server, clients):
            parts.append(f'<text x="{LEFT - 70}" y="{y + BAR + 4}" text-anchor="end">{server}, {clients}</text>')
        group = (server, clients)
        kind = "ours" if program == "bench" else "theirs"
        parts.append(f'<text x="{LEFT - 6}" y="{y + 13}" text-anchor="end">{program}</text>')
        parts.append(f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{cost * SCALE:.0f}" height="{BAR - 2}"/>')
        parts.append(f'<text x="{LEFT + cost * SCALE + 6:.0f}" y="{y + 13}">{cost:g}</text>')
        y += BAR
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {y + 10}" role="img" font-family="sans-serif" font-size="13">
<title>CPU time of the client program per query, in microseconds</title>
<style>text{{fill:#222}}.ours{{fill:#0072b2}}.theirs{{fill:#999}}@media(prefers-color-scheme:dark){{text{{fill:#ddd}}.ours{{fill:#56b4e9}}}}</style>
<text x="6" y="18" font-weight="bold">CPU time of the client program per query, µs (connections; less is better)</text>
{chr(10).join(parts)}
</svg>"""


if __name__ == "__main__":
    print(chart(list(rows(sys.argv[1] if len(sys.argv) > 1 else DEFAULT))))
