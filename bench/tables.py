# SPDX-License-Identifier: GPL-2.0
"""Figures as tables: for the terminal, and their rows for pages.py."""

import figures


def aligned(rows):
    """Columns as wide as they need be; the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "".join(
        "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(row, widths))).rstrip() + "\n"
        for row in rows)


def costs(results, baselines, before):
    best = figures.best_peers(results)
    rows = [["statistics", "engine", "CPUs", "insn/IO more", "spread %", "x best peer", "kept",
             "difference"]]
    for item in results:
        peer = best.get(figures.conditions(item))
        delta = item["delta_insn_per_io"]
        was = before.get((item["name"], item["engine"], item["cpus"]))
        rows.append([item["name"], item["engine"], str(item["cpus"]), f"{delta:+.1f}",
                     f"{item['spread_pct']:.3f}",
                     f"{delta / peer['delta_insn_per_io']:.2f}" if peer else "-",
                     f"{was:+.1f}" if was is not None else "-",
                     f"{delta - was:+.1f}" if was is not None else "-"])
    text = aligned(rows)
    for item in baselines:
        text += (f"baseline {item['name']} {item['engine']}, {item['cpus']} CPU: "
                 f"{item['insn_per_io']} instructions an I/O, spread {item['spread_pct']} %; "
                 f"above it the run before all rows by {item['before']}")
        # A baseline whose rows are not asked for has none.
        if item["behind"]:
            text += f", those behind rows by {min(item['behind'])} to {max(item['behind'])}"
        text += "\n"
    return text


def several(count, what):
    return f"{count} {what}{'s' * (count > 1)}"


def reads_rows(reads):
    columns = sorted({(item["cpus"], item["disks"]) for item in reads})
    rows = [["a read of all statistics, instructions"] +
            [f"{several(disks, 'disk')}, {several(cpus, 'CPU')}" for cpus, disks in columns]]
    for name in dict.fromkeys(item["name"] for item in reads):
        at = {(item["cpus"], item["disks"]): item["insn"]
              for item in reads if item["name"] == name}
        rows.append([name] + [f"{at[column]:,}" for column in columns])
    return rows


def standing_rows(standing):
    at = {item["disks"]: item["us"] for item in standing if item["what"] == "insmod"}
    return [["loading"] + [several(disks, "disk") for disks in at],
            ["insmod, microseconds"] + [f"{us:,}" for us in at.values()]]


def memory_line(standing):
    return "Memory in bytes: " + ", ".join(
        f"{item['name']} {item['bytes']:,}" for item in standing if item["what"] == "memory") + ".\n"


def reads(reads):
    return aligned(reads_rows(reads))


def loads(loads):
    return aligned(standing_rows(loads))


def standing(standing):
    return aligned(standing_rows(standing)) + memory_line(standing)


def accuracy_rows(accuracy):
    rows = [["case", "busy ms to rq_complete", "iostat", "busy ms to io_done", "iostat",
             "field 10", "queue: iostat", "iostat to io_done", "field 11"]]
    for item in accuracy:
        def error(name, item=item):
            return f"{item[name + '_err_pct']:+.2f} %"

        rows.append([item["case"], f"{item['exact_busy_to_complete_ms']:.3f}", error("iostat_busy"),
                     f"{item['exact_busy_to_done_ms']:.3f}", error("iostat_busy_to_done"),
                     error("field10"), error("iostat_queue"), error("iostat_queue_to_done"),
                     error("field11")])
    return rows


def accuracy(accuracy):
    return aligned(accuracy_rows(accuracy))
