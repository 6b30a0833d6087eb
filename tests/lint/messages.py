"""Prints each message of the tables of a document that the sources do not have.

usage: messages.py DOCUMENT SOURCE...
"""
import re
import sys

LITERAL = r'"((?:[^"\\]|\\.)*)"'


def texts(path):
    """The literals of a file, those that follow each other as one."""
    with open(path, encoding="utf-8") as file:
        for match in re.finditer(rf"(?:{LITERAL}(?:\s|\.\.|PRI\w+)*)+", file.read()):
            yield "".join(re.findall(LITERAL, match[0]))


with open(sys.argv[1], encoding="utf-8") as file:
    messages = re.findall(r"^\| `([^`]+)` \|", file.read(), re.M)
known = "\n".join(text for path in sys.argv[2:] for text in texts(path))
print("\n".join(m for m in messages if m not in known) if messages else "no message")
