"""grafana.py - is a dashboard one that Grafana can load?

usage: grafana.py DASHBOARD
Reads it by the types that Grafana publishes (pip install grafana-foundation-sdk), which have to keep every key, and looks at what types do not say.
Exit status 77: they are not installed.
"""
import json
import re
import sys

try:
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models import dashboard, prometheus, stat, text, timeseries
except ImportError:
    sys.exit(77)

# What the panels of each type have.
TYPES = {"timeseries": timeseries, "stat": stat, "text": text}
# Keys of annotations that Grafana's Prometheus plug-in reads, and those types lack.
OLDER = re.compile(r"\.annotations\.list\[\d+\]\.(titleFormat|textFormat|tagKeys|expr|step)")


def lost(given, kept, path=""):
    """The keys and values that are not kept."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            yield from lost(value, kept[key], f"{path}.{key}") if key in kept else [f"{path}.{key}"]
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for i, pair in enumerate(zip(given, kept)):
            yield from lost(*pair, f"{path}[{i}]")
    elif given != kept:
        yield f"{path}: {given!r} became {kept!r}"


def same(given, kind, path):
    """Everything in `given` is known to the type."""
    kept = json.loads(JSONEncoder().encode(kind.from_json(given)))
    bad = [line for line in lost(given, kept, path) if not OLDER.fullmatch(line)]
    assert bad == [], bad


def main(path):
    with open(path) as f:
        board = json.load(f)
    same(board, dashboard.Dashboard, "")
    variables = {v["name"] for v in board["templating"]["list"]}
    seen, cells = set(), set()
    for panel in board["panels"]:
        where = panel["title"]
        assert panel["id"] not in seen, where
        seen.add(panel["id"])
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24, where
        mine = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])}
        assert not mine & cells, "two panels share a place: " + where
        cells |= mine
        if panel["type"] == "row":
            continue
        kind = TYPES[panel["type"]]
        same(panel.get("options", {}), kind.Options, where + ".options")
        custom = panel.get("fieldConfig", {}).get("defaults", {}).get("custom")
        if custom:
            same(custom, kind.FieldConfig, where + ".custom")
        letters = [t["refId"] for t in panel["targets"]]
        assert len(set(letters)) == len(letters) > 0, where
        for target in panel["targets"]:
            same(target, prometheus.Dataquery, where + ".target")
            for name in re.findall(r"\$\{?(\w+)", target["expr"]):
                assert name in variables or name.startswith("__"), (where, name)
    print(len(seen), "panels")


main(sys.argv[1])
