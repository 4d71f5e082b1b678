# SPDX-License-Identifier: GPL-2.0
"""Holds what ioscope wrote as JSON in a guest against its schema. usage: scope-schema.py DIRECTORY"""

import json
import pathlib
import sys

import jsonschema

DOCUMENTS = ["interrupted.json", "all.json"]
LINES = ["line.json", "lines.json"]


def main():
    directory = pathlib.Path(sys.argv[1])
    with open("Documentation/ioscope.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in DOCUMENTS:
        reports = json.loads((directory / name).read_text())
        assert reports, f"{name} is empty"
        validator.validate(reports)
    for name in LINES:
        lines = (directory / name).read_text().splitlines()
        assert lines, f"{name} is empty"
        for line in lines:
            validator.validate([json.loads(line)])
    # What is not described by the schema is JSON at least, and has something.
    for name in ["kstat.json", "events.json", "snoop.json", "waits.json"]:
        assert json.loads((directory / name).read_text()), f"{name} is empty"
    # A schema that takes anything would pass all of this.
    report = json.loads((directory / "line.json").read_text().splitlines()[0])
    for wrong in ({**report, "busy_ns": 1.5}, {**report, "device": 7}, {**report, "another": 1},
                  {key: report[key] for key in report if key != "read"}):
        assert not validator.is_valid([wrong]), "the schema takes what is wrong"


main()
