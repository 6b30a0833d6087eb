"""Prints docs/result-keys.md, a row for each key of the schemas of results.

usage: result_keys.py SCHEMA... >docs/result-keys.md
"""
import json
import re
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


def reference(part):
    """The definition that a value or the items of a list have, if it has keys."""
    for at in (part, part.get("items", {}), *part.get("oneOf", [])):
        name = at.get("$ref", "").rsplit("/", 1)[-1] if isinstance(at, dict) else ""
        if name and name not in ("count", "number", "ratio", "texts", "properties"):
            return name
    return ""


def meaning(part, definitions):
    """The cell of a key: its description, the words that it can be, a link."""
    words = part.get("enum") or definitions.get(reference(part), {}).get("enum", [])
    texts = [", ".join(f"`{word}`" for word in words if isinstance(word, str)),
             part.get("description", "")]
    if part.get("const") and isinstance(part["const"], str):
        texts.insert(0, f"`{part['const']}`")
    name = reference(part)
    if list(keys(definitions.get(name, {}))):
        texts.append(f"see [{name}](#{name})")
    return "; ".join(text for text in texts if text).replace("|", "\\|")


def rows(part, path, definitions):
    """(path, cell) of each key below a part."""
    if isinstance(part, list):
        for item in part:
            yield from rows(item, path, definitions)
    elif isinstance(part, dict):
        for name, value in part.get("properties", {}).items():
            below = f"{path}.{name}" if path else name
            inner = list(rows(value, below, definitions))
            text = meaning(value, definitions)
            if text or not inner:
                yield below, text
            yield from inner
        for word, mark in (("items", "[]"), ("additionalProperties", ".NAME"), ("oneOf", ""), ("allOf", "")):
            if isinstance(part.get(word), (dict, list)):
                yield from rows(part[word], path + mark, definitions)


def section(title, level, part, definitions):
    listed = dict(rows(part, "", definitions))
    if not listed:
        return ""
    text = f"\n{level} {title}\n\n"
    if part.get("description"):
        text += f"{part['description'][0].upper()}{part['description'][1:].rstrip('.')}.\n\n"
    return text + "| Key | Meaning |\n|---|---|\n" + "".join(f"| `{path}` | {cell} |\n" for path, cell in listed.items())


def page(paths):
    text = ("# Keys of the JSON files\n\nGenerated from `share/schema` by `tests/lint/result_keys.py`. "
            "[results.md](results.md#the-document) explains the parts.\n"
            "`[]` stands for each item of a list, `NAME` for a name that a run gives.\n")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        definitions = schema.get("definitions", {})
        text += section(schema["title"], "##", schema, definitions)
        for name, part in definitions.items():
            text += section(name, "###", part, definitions)
        for key in keys(schema):
            if not re.search(rf"[`.\]]{key}[`.[]", text):
                sys.exit(f"{path}: no row of the page has the key {key}")
    return text


print(page(sys.argv[1:]), end="")
