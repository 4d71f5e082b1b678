// SPDX-License-Identifier: GPL-2.0
// Pictures with their legends, and the table behind each.

import * as draw from "./draw.js";
import * as n from "./numbers.js";

/** An element. Attributes that are functions are listeners; children are elements and text. */
export function h(name, attributes = {}, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (typeof value === "function") {
			element.addEventListener(key, value);
		} else if (value !== undefined && value !== false) {
			element.setAttribute(key, value === true ? "" : value);
		}
	}
	element.append(...children);
	return element;
}

/** A number in a table: as people read it, and as ioscope has it. */
export const cell = (text, value) => h("data", { value: value === Infinity ? "null" : String(value) }, text);

/** A table. The first of each row is its heading. */
export function table({ caption, head, rows }) {
	const heads = head.map((text) => h("th", { scope: "col" }, text));
	const lines = rows.map(([first, ...rest]) =>
		h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((one) => h("td", {}, one))));
	return h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...lines));
}

/**
 * A picture. `what.paint(canvas)` draws it and returns where data are; `what.read()` says in words what is at the cursor;
 * `what.table()` is what the picture shows, as numbers. Without `paint` there is the table alone.
 */
export class Figure {
	constructor(parent, what) {
		this.what = what;
		this.place = h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": `Table: ${what.title}` });
		const parts = [h("figcaption", {}, h("h3", {}, what.title), h("span", { class: "unit" }, what.unit))];
		if (what.paint) {
			this.canvas = h("canvas", { role: "img", tabindex: "0", "aria-describedby": `${what.id}-readout`,
				pointermove: (event) => this.point(event), pointerleave: () => what.point?.(null),
				keydown: (event) => this.key(event) });
			this.readout = h("p", { class: "readout", id: `${what.id}-readout` });
			this.legend = h("div", { class: "legend" }, ...(what.legend ?? []));
			this.details = h("details", { toggle: () => this.details.open && this.fill() }, h("summary", {}, "Table"),
				h("button", { type: "button", click: () => this.fill() }, "Update the table"), this.place);
			parts.push(this.canvas, this.readout, this.legend, this.details);
		} else {
			parts.push(this.place);
		}
		this.element = h("figure", { class: `figure ${what.class ?? ""}`, id: what.id }, ...parts);
		parent.append(this.element);
	}

	/** The picture and its words as they are now. A table that is open does not change while it is read. */
	update() {
		if (!this.canvas) {
			this.fill();
			return;
		}
		if (this.canvas.clientWidth === 0) {
			return;
		}
		this.data = this.what.paint(this.canvas, this);
		this.canvas.setAttribute("aria-label", `${this.what.title}: ${this.what.summary()}`);
		this.readout.textContent = this.what.read();
	}

	fill() {
		this.place.replaceChildren(table(this.what.table()));
	}

	/** The numbers at the ends of a ramp. */
	ends(low, high) {
		for (const [name, text] of [["low", low], ["high", high]]) {
			const element = this.legend.querySelector(`.${name}`);
			if (element && element.textContent !== text) {
				element.textContent = text;
			}
		}
	}

	point(event) {
		if (this.data && this.what.point) {
			const box = this.canvas.getBoundingClientRect();
			this.what.point(...this.data(event.clientX - box.left, event.clientY - box.top));
		}
	}

	key(event) {
		const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity, Escape: 0 }[event.key];
		if (step !== undefined && this.what.step) {
			event.preventDefault();
			this.what.step(step);
			this.what.say(this.what.read());
		}
	}
}

/** The legend of a ramp of colours. */
export const ramp = (text) => [h("span", {}, h("span", { class: "low" }), h("span", { class: "ramp" }), h("span", { class: "high" })),
	h("span", {}, text)];

const key = (name, text) => h("span", {}, h("span", { class: `key ${name}` }), text);

const line = (steps, isSecond, isFilled) => ({ steps, colour: isSecond ? draw.colours().second : draw.colours().first,
	dash: isSecond ? [6, 4] : undefined, width: 2, isFilled });

/** On a logarithmic scale, from 0 to 1. */
const part = (count, most) => (most > 1 ? Math.log(count) / Math.log(most) : 0.4);

/** Below and above a bucket, as octaves. */
function sides(bound, bounds) {
	if (bound === Infinity) {
		const last = Math.log2(bounds[bounds.length - 1]);
		return [last, last + 0.5];
	}
	return [Math.log2(bound) - 0.25, Math.log2(bound)];
}

/** `view`: what is shown, as page.js has it: shown() and span() of time, at() the interval at the cursor, and others. */
export function latency(parent, view, phase, title, unit) {
	const columns = () => view.shown().map((one) => ({ ...one, counts: n.histogram(one.report, view.class(), phase) }));
	const steps = (all, percent) => all.map(({ t0, t1, counts }) => {
		const bound = n.quantile(counts, percent);
		return [t0, t1, bound === null ? null : sides(bound, view.bounds())[1]];
	});
	const over = (all, name) => {
		const { text, back } = draw.colours();
		const dash = name === "high" ? [5, 4] : undefined;
		const of = steps(all, name === "high" ? 99 : 50);
		return [{ steps: of, colour: back, width: 4 }, { steps: of, colour: text, width: 1.6, dash }];
	};
	let y = null;
	const bucket = () => view.bounds().concat(Infinity).find((bound) => y <= sides(bound, view.bounds())[1]);
	return new Figure(parent, {
		id: `latency-${phase}`, title, unit,
		legend: [...ramp("I/Os in a cell (logarithmic)"), key("median", "half"), key("high", "99 %")],
		say: view.say, step: view.step,
		point: (x, at) => {
			y = at ?? null;
			view.point(x);
		},
		paint: (canvas, figure) => {
			const all = columns();
			const bounds = view.bounds();
			const every = all.flatMap(({ counts }) => [...counts.keys()]).map((bound) => sides(bound, bounds));
			const low = every.reduce((least, [bottom]) => Math.min(least, bottom), Infinity);
			const high = every.reduce((most, [, top]) => Math.max(most, top), -Infinity);
			const [y0, y1] = low < high ? spread(low - 0.5, high + 0.5, 4) : [Math.log2(1e4), Math.log2(1e8)];
			const most = all.reduce((most, { counts }) => Math.max(most, ...counts.values()), 0);
			const cells = all.flatMap(({ t0, t1, counts }) =>
				[...counts].map(([bound, count]) => [t0, t1, ...sides(bound, bounds), part(count, most)]));
			figure.ends(most ? "1" : "", most > 1 ? n.exact(most) : "");
			const [x0, x1] = view.span();
			return draw.cells(canvas, { range: [x0, x1, y0, y1], xs: draw.times(x0, x1, n.clock), ys: draw.decades(y0, y1, n.time),
				cells, lines: [...over(all, "median"), ...over(all, "high")], cursor: view.cursor() });
		},
		summary: () => {
			const counts = sums(columns());
			return `${n.exact(n.total(counts))} I/Os, half up to ${n.time(n.quantile(counts, 50))}, 99 % up to ${n.time(n.quantile(counts, 99))}`;
		},
		read: () => {
			const one = view.at();
			if (!one) {
				return "No I/O yet";
			}
			const counts = n.histogram(one.report, view.class(), phase);
			const of = y === null || view.cursor() === null ? null : bucket();
			const under = of ? ` · up to ${n.time(of)}: ${n.exact(counts.get(of) ?? 0)}` : "";
			if (n.total(counts) === 0) {
				return `${n.clock(one.t1)} · no I/O was completed`;
			}
			return `${n.clock(one.t1)} · ${n.exact(n.total(counts))} I/Os · half ≤ ${n.time(n.quantile(counts, 50))} · 99 % ≤ ${n.time(n.quantile(counts, 99))}${under}`;
		},
		table: () => {
			const all = columns();
			const sum = sums(all);
			const bounds = [...sum.keys()].sort((a, b) => a - b);
			const row = (first, counts) => [first, cell(n.exact(n.total(counts)), n.total(counts)),
				...[50, 99].map((percent) => cell(n.time(n.quantile(counts, percent)), n.quantile(counts, percent))),
				...bounds.map((bound) => cell(n.exact(counts.get(bound) ?? 0), counts.get(bound) ?? 0))];
			return {
				caption: `${title}, ${n.CLASSES[view.class()].toLowerCase()} of ${view.name()}: how many I/Os of each interval took up to so long. Newest first`,
				head: ["Time", "I/Os", "Half up to", "99 % up to", ...bounds.map((bound) => cell(`≤ ${n.time(bound)}`, bound))],
				rows: [row("All", sum), ...all.reverse().map(({ t1, report, counts }) => row(at(t1, report), counts))],
			};
		},
	});
}

const at = (t1, report) => h("time", { datetime: report.time }, n.clock(t1, true));

function sums(columns) {
	const sum = new Map();
	for (const { counts } of columns) {
		for (const [bound, count] of counts) {
			sum.set(bound, (sum.get(bound) ?? 0) + count);
		}
	}
	return sum;
}

/** A range of at least `least`. */
function spread(low, high, least) {
	const more = Math.max(0, least - (high - low)) / 2;
	return [low - more, high + more];
}

/** Lines over time. Of each series `of(report)` is the number, `raw(report)` what ioscope has, `text` how people read it. */
export function chart(parent, view, { id, title, unit, series, text, most, isFilled }) {
	return new Figure(parent, {
		id, title, unit, class: "low",
		legend: series.slice(0, 2).map(({ name }, index) => key(index ? "second" : "", name)),
		say: view.say, step: view.step, point: view.point,
		paint: (canvas) => {
			const all = view.shown();
			const lines = series.slice(0, 2).map(({ of }, index) =>
				line(all.map(({ t0, t1, report }) => [t0, t1, of(report)]), index === 1, isFilled && index === 0));
			const top = most ?? lines.flatMap(({ steps }) => steps).reduce((top, [, , y]) => Math.max(top, y), 0);
			const end = most ?? (top > 0 ? top * 1.1 : 1);
			const [x0, x1] = view.span();
			return draw.chart(canvas, { range: [x0, x1, 0, end], xs: draw.times(x0, x1, n.clock), ys: draw.marks(end, text), lines,
				cursor: view.cursor() });
		},
		summary: () => (view.at() ? series.map(({ name, of }) => `${name} ${text(of(view.at().report))}`).join(", ") : "nothing yet"),
		read: () => {
			const one = view.at();
			return one ? [n.clock(one.t1), ...series.map(({ name, of }) => `${name} ${text(of(one.report))}`)].join(" · ") : "Nothing yet";
		},
		table: () => ({
			caption: `${title} of ${view.name()}, ${unit}. Newest first`,
			head: ["Time", ...series.map(({ name }) => name)],
			rows: view.shown().slice().reverse().map(({ t1, report }) =>
				[at(t1, report), ...series.map(({ of, raw }) => cell(text(of(report)), raw(report)))]),
		}),
	});
}

/** Where on the device I/O went: a row of areas for each interval. */
export function map(parent, view) {
	const ios = (area) => n.number(area.reads) + n.number(area.writes);
	const end = () => view.areas().reduce((end, area) => Math.max(end, n.number(area.start) + n.number(area.sectors)), 0);
	const row = () => view.rows().find(({ t1 }) => t1 === view.at()?.t1)?.areas ?? [];
	const busiest = (areas) => areas.reduce((best, area) => (best && ios(best) >= ios(area) ? best : area), null);
	const of = (area) => `${n.size(n.number(area.start) * 512)} + ${n.size(n.number(area.sectors) * 512)}`;
	return new Figure(parent, {
		id: "map", title: "Where on the device", unit: "I/Os by area and time",
		legend: ramp("I/Os in an area (logarithmic)"), say: view.say, step: view.step,
		paint: (canvas, figure) => {
			const [t0, t1] = view.span();
			const rows = view.rows();
			const most = rows.reduce((most, { areas }) => areas.reduce((most, area) => Math.max(most, ios(area)), most), 0);
			const cells = rows.flatMap(({ t0, t1, areas }) => areas.map((area) =>
				[n.number(area.start), n.number(area.start) + n.number(area.sectors), t1, t0, part(ios(area), most)]));
			figure.ends(most ? "1" : "", most > 1 ? n.exact(most) : "");
			const unit = 2 ** Math.ceil(Math.log2(end() / 5 || 1));
			const xs = Array.from({ length: Math.floor(end() / unit) + 1 }, (_, at) => ({ at: at * unit, label: n.size(at * unit * 512) }));
			return draw.cells(canvas, { range: [0, end(), t1, t0], xs, ys: draw.times(t0, t1, n.clock), cells });
		},
		summary: () => `${view.areas().length} areas`,
		read: () => {
			const best = busiest(row());
			const when = view.at() ? `${n.clock(view.at().t1)} · ` : "";
			return best ? `${when}most at ${of(best)}: ${n.exact(ios(best))} I/Os` : `${when}no I/O in an area`;
		},
		table: () => ({
			caption: `Areas of ${view.name()}: ${view.isLive ? "since its region began" : "in this part of the recording"}`,
			head: ["Area", "Start", "Size", "Reads", "Writes", "Bytes read", "Bytes written"],
			rows: view.areas().map((area) => [cell(String(area.area), area.area), cell(n.size(n.number(area.start) * 512), area.start),
				cell(n.size(n.number(area.sectors) * 512), area.sectors), cell(n.exact(area.reads), area.reads),
				cell(n.exact(area.writes), area.writes), cell(n.size(n.number(area.read_sectors) * 512), area.read_sectors),
				cell(n.size(n.number(area.write_sectors) * 512), area.write_sectors)]),
		}),
	});
}

/** What happened to the device. */
export function events(parent, view) {
	return new Figure(parent, {
		id: "events", title: "Events and tag waits", unit: "how often",
		table: () => {
			const all = new Map([["tag_waits", 0]]);
			for (const { report } of view.shown()) {
				for (const [name, count] of Object.entries(report.events ?? {})) {
					all.set(name, (all.get(name) ?? 0) + n.number(count));
				}
			}
			const last = view.at()?.report.events ?? {};
			return {
				caption: `Events of ${view.name()} in the last interval, and in all that the pictures show`,
				head: ["Event", "Last interval", "Shown"],
				rows: [...all].sort().map(([name, count]) => [name, cell(n.exact(last[name] ?? 0), last[name] ?? 0), cell(n.exact(count), count)]),
			};
		},
	});
}

/** What is in flight: the oldest first. */
export function inFlight(parent, view) {
	return new Figure(parent, {
		id: "inflight", title: "In flight", unit: view.isLive ? "the oldest 64 I/Os" : "the oldest 64 I/Os, at the end of the part",
		table: () => ({
			caption: `I/Os in flight of ${view.name()}, the oldest first`,
			head: ["Device", "Phase", "Age", "At the device for"],
			rows: view.flights().map((io) => [cell(io.device, io.number), io.phase === "running" ? "at the device" : "waiting",
				cell(n.time(n.number(io.age_ns)), io.age_ns), cell(n.time(n.number(io.service_ns)), io.service_ns)]),
		}),
	});
}

/** Slow I/Os: the newest first. */
export function slow(parent, view) {
	return new Figure(parent, {
		id: "slow", title: "Slow I/Os", unit: view.isLive ? "the latest 64" : "that ended in the part",
		table: () => ({
			caption: `I/Os of ${view.name()} that took longer than the threshold of slow I/Os, the newest first`,
			head: ["Ended", "Device", "Waited", "At the device for", "Error", "Waiting then", "At the device then"],
			rows: view.slow().slice().reverse().map((io) => [h("time", { datetime: io.time }, n.day(Date.parse(io.time))),
				cell(io.device ?? "has left", io.number), cell(n.time(n.number(io.wait_ns)), io.wait_ns), cell(n.time(n.number(io.service_ns)), io.service_ns),
				cell(io.error ? String(io.error) : "none", io.error), cell(n.exact(io.wcnt), io.wcnt), cell(n.exact(io.rcnt), io.rcnt)]),
		}),
	});
}

/** All that was counted. */
export function totals(parent, view) {
	return new Figure(parent, {
		id: "totals", title: view.isLive ? "Since counting began" : "In this part of the recording", unit: "counts",
		table: () => {
			const report = view.total();
			const row = (name, count, text) => [name, cell(text ?? n.exact(count), count)];
			const rows = !report ? [] : ["read", "write", "free", "none"].flatMap((name) => [
				row(`${n.CLASSES[name]}: I/Os`, report[name].ops),
				row(`${n.CLASSES[name]}: bytes`, report[name].bytes),
			]).concat(["started", "ended", "merged", "refused", "abandoned"].map((name) => row(name, report[name])),
				report.untracked === null ? [] : [row("untracked", report.untracked)],
				Object.entries(report.events ?? {}).sort().map(([name, count]) => row(name, count)));
			return { caption: `What ${view.name()} has counted`, head: ["Counter", "Count"], rows };
		},
	});
}

/** The utilisation of all devices, a line for each. */
export function utilisation(parent, view) {
	return new Figure(parent, {
		id: "busy", title: "Utilisation of all devices", unit: "share of the time with an I/O in flight", say: view.say,
		legend: [h("span", {}, h("span", { class: "low" }, "0 %"), h("span", { class: "ramp" }), h("span", { class: "high" }, "100 %"))],
		paint: (canvas) => {
			const all = view.all();
			// Of many devices a line is thin, and some have no label.
			const each = Math.min(22, Math.max(3, 720 / (all.length || 1)));
			canvas.style.height = `${Math.max(each * all.length, 22) + 30}px`;
			const every = Math.ceil(16 / each);
			const [t0, t1] = view.span();
			const cells = all.flatMap(({ busy }, index) => busy.filter(([, , part]) => part > 0).map(([x0, x1, part]) =>
				[Math.max(x0, t0), x1, all.length - index - 0.96, all.length - index - 0.04, part]).filter(([x0, x1]) => x1 > x0));
			const ys = all.map(({ name }, index) => ({ at: all.length - index - 0.5, label: name.length > 14 ? `${name.slice(0, 13)}…` : name }))
				.filter((_, index) => index % every === 0);
			return draw.cells(canvas, { range: [t0, t1, 0, all.length || 1], xs: draw.times(t0, t1, n.clock), ys, cells });
		},
		summary: () => `${view.all().length} devices`,
		read: () => "",
		table: () => ({
			caption: "Utilisation of each device: mean and maximum of the intervals that the picture shows",
			head: ["Device", "Mean", "Maximum", "Intervals"],
			rows: view.all().map(({ name, busy }) => {
				const parts = busy.map(([, , part]) => part);
				const mean = parts.reduce((sum, part) => sum + part, 0) / (parts.length || 1);
				const most = parts.reduce((most, part) => Math.max(most, part), 0);
				return [name, cell(n.percent(mean), mean), cell(n.percent(most), most), cell(String(parts.length), parts.length)];
			}),
		}),
	});
}
