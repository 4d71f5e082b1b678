# SPDX-License-Identifier: GPL-2.0
"""Checks that Documentation/troubleshooting.rst explains each message that the module writes to the kernel log.

There, words in capitals and "..." stand for what differs. Prints the messages that it lacks.
usage: log_messages.py FILE..."""

import re
import sys
from pathlib import Path

PAGE = Path("Documentation/troubleshooting.rst")
NAME = r"\bpr_(?:emerg|alert|crit|err|warn|notice|info)(?:_once|_ratelimited)?!?\("
CALL = re.compile(NAME + r'\s*"((?:[^"\\]|\\.)*)"', re.S)
PREFIX = re.compile(r'#define pr_fmt\(fmt\) "iostat: ([^"]*)" fmt')
# What a message has in place of its arguments, in Rust and in C.
ARGUMENT = re.compile(r"\{[^}]*\}|%(?:p\w+|[-0-9.*]*(?:ll|l|z|h)?[a-z])")


def messages(files):
    for file in files:
        text = Path(file).read_text()
        prefix = "".join(PREFIX.findall(text))
        found = CALL.findall(text)
        if len(found) != len(re.findall(NAME, text)):
            print(f"{file}: the text of a message was not found")
        for message in found:
            # In Rust a line that ends with a backslash is continued.
            message = re.sub(r"\\\n\s*", "", message).removesuffix("\\n")
            yield file, prefix + ARGUMENT.sub("X", message)


def explained():
    """The texts of the page, as patterns."""
    for text in re.findall(r"``([^`]+)``", PAGE.read_text()):
        parts = re.split(r"\.\.\.|\b[A-Z]+\b", text)
        # More than the name of a part of the module.
        if re.search("[a-z]", "".join(parts).partition(": ")[2] or parts[0]):
            yield re.compile(".+".join(re.escape(part) for part in parts))


def main():
    patterns = list(explained())
    count = 0
    for file, message in messages(sys.argv[1:]):
        count += 1
        if not any(pattern.fullmatch(message) for pattern in patterns):
            print(f"{PAGE} does not explain a message of {file}: {message}")
    if count < 20:
        print(f"only {count} messages were found")


main()
