# SPDX-License-Identifier: GPL-2.0
"""Holds what ioscope wrote as JSON in a guest against its schema. usage: scope-schema.py DIRECTORY"""

import json
import pathlib
import sys

import jsonschema

DOCUMENTS = ["interrupted.json", "all.json"]
LINES = ["line.json", "lines.json", "odd.json"]
# What the elements of the arrays of other commands are.
ELEMENTS = {"lat.json": "lat", "events.json": "event", "areas.json": "area", "snoop.json": "io", "files.json": "files",
            "waits.json": "waits", "kstat.json": "kstat", "why.json": "why", "inflight.json": "flight",
            "inflights.json": "flights", "slow.json": "slow",
            "cgroups.json": "cgroup", "cgroups-sums.json": "cgroup", "sizes.json": "sizes"}


def closed(schema):
    """The schema with only the members, and only the strings, that there are today. Later versions may add some."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        strict.setdefault("additionalProperties", False)
    if "examples" in schema:
        strict["enum"] = schema["examples"]
    return strict


def main():
    directory = pathlib.Path(sys.argv[1])
    with open("Documentation/ioscope.schema.json", encoding="utf-8") as file:
        published = json.load(file)
    jsonschema.Draft202012Validator.check_schema(published)
    schema = closed(published)
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
    for name, kind in ELEMENTS.items():
        elements = json.loads((directory / name).read_text())
        assert elements, f"{name} is empty"
        one = jsonschema.Draft202012Validator({**schema, "type": "object", "$ref": f"#/$defs/{kind}"})
        for element in elements:
            one.validate(element)
            for key in element:
                is_key = key in {"device", "file", "fs", "mount", "pid", "thread", "comm", "uid", "in"}
                less = {name: element[name] for name in element if name != key}
                assert not one.is_valid(less) or (kind in ("files", "waits") and is_key), f"{name}: {key} may be missing"
            assert not one.is_valid({**element, "another": 1}), f"{name}: the schema takes what is wrong"
    # A schema that takes anything would pass all of this.
    report = json.loads((directory / "line.json").read_text().splitlines()[0])
    for wrong in ({**report, "busy_ns": 1.5}, {**report, "device": 7}, {**report, "another": 1},
                  {key: report[key] for key in report if key != "read"}):
        assert not validator.is_valid([wrong]), "the schema takes what is wrong"
    later = {**report, "another": 1, "class": "another"}
    assert jsonschema.Draft202012Validator(published).is_valid([later]), "the schema excludes members of later versions"


main()
