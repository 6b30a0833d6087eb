"""Lists the keys that a schema of results names, one per line.

usage: result_keys.py SCHEMA...
"""
import json
import sys


def keys(schema):
    """All names of properties below a part of a schema."""
    if isinstance(schema, dict):
        for name, part in schema.get("properties", {}).items():
            yield name
            yield from keys(part)
        for word, part in schema.items():
            if word == "definitions":
                for definition in part.values():
                    yield from keys(definition)
            elif word != "properties":
                yield from keys(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys(part)


found = set()
for path in sys.argv[1:]:
    with open(path) as f:
        found.update(keys(json.load(f)))
print("\n".join(sorted(found)))
