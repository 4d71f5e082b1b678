// SPDX-License-Identifier: GPL-2.0
// Reports as numbers, and numbers as text. As ioscope computes and names them.

export const CLASSES = { all: "All", read: "Reads", write: "Writes", free: "Discards", none: "Others" };

const classes = (name) => (name === "all" ? ["read", "write", "free", "none"] : [name]);

/** A count, which is text above 2^53. */
export const number = (count) => (typeof count === "string" ? Number(count) : count);

const sum = (report, name, of) => classes(name).reduce((all, each) => all + number(of(report[each])), 0);

export const operations = (report, name) => sum(report, name, (one) => one.ops);
export const bytes = (report, name) => sum(report, name, (one) => one.bytes);

/** How many times were in each bucket: by its upper bound, ns; Infinity of the last one. */
export function histogram(report, name, phase) {
	const counts = new Map();
	for (const each of classes(name)) {
		for (const [bound, count] of report[each].latency_ns[phase]?.buckets ?? []) {
			const key = bound === null ? Infinity : number(bound);
			counts.set(key, (counts.get(key) ?? 0) + number(count));
		}
	}
	return counts;
}

export const total = (counts) => [...counts.values()].reduce((all, count) => all + count, 0);

/** The bound of the bucket that `percent` of all are in or below; null of nothing. */
export function quantile(counts, percent) {
	const all = total(counts);
	if (all === 0) {
		return null;
	}
	const rank = Math.min(Math.max(Math.ceil((percent / 100) * all), 1), all);
	let seen = 0;
	for (const bound of [...counts.keys()].sort((a, b) => a - b)) {
		seen += counts.get(bound);
		if (seen >= rank) {
			return bound;
		}
	}
	return null;
}

/** A share of the interval; of a queue's length integrated over time the mean length. */
export const share = (ns, report) => (number(report.interval_ns) ? number(ns) / number(report.interval_ns) : 0);

export const perSecond = (count, report) => (number(report.interval_ns) ? (count * 1e9) / number(report.interval_ns) : 0);

export const busy = (report) => Math.min(share(report.busy_ns, report), 1);

export const event = (report, isCounted) =>
	Object.entries(report.events ?? {}).reduce((all, [name, count]) => all + (isCounted(name) ? number(count) : 0), 0);

export const errors = (report) => event(report, (name) => name.startsWith("errors_") || name === "timeouts");
export const tagWaits = (report) => event(report, (name) => name === "tag_waits");

export const isIdle = (report) =>
	number(report.started) === 0 && number(report.ended) === 0 && inFlight(report) === 0;

export const inFlight = (report) => number(report.wait_queue.now) + number(report.run_queue.now);

/** The report of a device that did nothing in an interval. */
export function idle(like, time, interval_ns) {
	const none = { ops: 0, bytes: 0, duration_ns: 0, latency_ns: {} };
	const queue = { busy_ns: 0, length_time_ns: 0, now: 0 };
	return {
		...like, time, interval_ns, read: none, write: none, free: none, none, wait_queue: queue, run_queue: queue,
		busy_ns: 0, started: 0, ended: 0, merged: 0, refused: 0, abandoned: 0, untracked: 0, events: like.events && {},
	};
}

/** Three digits that say something. */
function digits(value) {
	const rounded = Number(value.toPrecision(3));
	if (rounded >= 1000) {
		return Math.round(value).toLocaleString("en");
	}
	return String(rounded);
}

function scaled(value, units, step) {
	let at = 0;
	while (Number(value.toPrecision(3)) >= step && at < units.length - 1) {
		value /= step;
		at += 1;
	}
	return `${digits(value)} ${units[at]}`;
}

/** A number of ns. */
export function time(ns) {
	if (ns === null || ns === undefined) {
		return "-";
	}
	return ns === Infinity ? "> 32 s" : scaled(ns, ["ns", "µs", "ms", "s"], 1000);
}

export const rate = (value) => digits(value);
export const byteRate = (value) => scaled(value, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"], 1000);
export const size = (value) => scaled(value, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"], 1024);
export const percent = (part) => `${digits(part * 100)} %`;
export const length = (value) => (value === 0 ? "0" : value < 0.01 ? "< 0.01" : digits(value));

/** A count, exactly. */
export const exact = (count) => (typeof count === "string" ? count.replace(/\B(?=(\d{3})+$)/g, ",") : count.toLocaleString("en"));

/** Time of day by the clock of the browser. */
export function clock(ms, isFine = false) {
	const date = new Date(ms);
	const two = (value) => String(value).padStart(2, "0");
	const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
	return isFine ? `${text}.${String(date.getMilliseconds()).padStart(3, "0")}` : text;
}

export function day(ms) {
	const date = new Date(ms);
	const two = (value) => String(value).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(ms)}`;
}
