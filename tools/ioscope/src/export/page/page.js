// SPDX-License-Identifier: GPL-2.0
// The page: what is known of devices, the list of them, and the details of one.

import * as figures from "./figures.js";
import { cell, h } from "./figures.js";
import * as n from "./numbers.js";
import { follow, get } from "./source.js";

/** Intervals that are kept and shown. */
const MOST = 300;
/** Reports of all devices together that are asked of a recording. */
const MOST_REPORTS = 3000;

const $ = (id) => document.getElementById(id);

const state = {
	info: null,
	/** By number: name, total (a report), last (a report), busy ([t0, t1, part]). */
	devices: new Map(),
	chosen: null,
	/** Of the chosen device: t0, t1, report. */
	history: [],
	/** t0, t1, areas of the region that is shown. */
	rows: [],
	/** All areas of that region. */
	areas: [],
	/** Its I/Os in flight, and those that were slow. */
	flights: [],
	slow: [],
	class: "all",
	cursor: null,
	sort: { by: "busy", isDown: true },
	isPaused: false,
	isUp: true,
	/** Of a recording, ms. */
	part: null,
	/** How often another part was chosen. */
	parts: 0,
};

const interval = (report) => {
	const t1 = Date.parse(report.time);
	return { t0: t1 - n.number(report.interval_ns) / 1e6, t1, report };
};

const say = (text) => {
	$("said").textContent = text;
};

/** What figures show. */
const view = {
	isLive: true,
	bounds: () => state.info.bounds.map(n.number),
	class: () => state.class,
	name: () => state.chosen?.name ?? "",
	shown: () => state.history,
	rows: () => state.rows,
	areas: () => state.areas,
	flights: () => state.flights,
	slow: () => state.slow,
	total: () => state.chosen?.total,
	span: () => {
		if (!view.isLive) {
			return state.part;
		}
		const each = n.number(state.info.interval_ns) / 1e6;
		const first = state.history[0]?.t0 ?? Infinity;
		return [Math.min(Math.max(first, state.now - MOST * each), state.now - 60 * each), state.now];
	},
	cursor: () => (state.cursor === null ? null : (state.cursor.t0 + state.cursor.t1) / 2),
	at: () => state.cursor ?? state.history[state.history.length - 1],
	point: (x) => {
		const found = x === null ? null : state.history.find(({ t0, t1 }) => x >= t0 && x < t1) ?? null;
		if (found !== state.cursor) {
			state.cursor = found;
			details();
		}
	},
	step: (by) => {
		const all = state.history;
		const last = all.length - 1;
		const now = state.cursor ? all.indexOf(state.cursor) : last;
		state.cursor = by === 0 || last < 0 ? null : all[Math.min(Math.max(now + by, 0), last)];
		details();
	},
	// By name: a line that changes its place could not be followed.
	all: () => listed("name", false).map(({ name, busy }) => ({ name, busy })),
	say,
};

// The list of devices.

const all = (report) => n.operations(report, "all");
const p99 = (report, name) => n.quantile(n.histogram(report, name, "total"), 99);
const time = (report, name) => cell(n.time(p99(report, name)), p99(report, name));

/** Columns: a key, a heading, what it means, which screens have room for it, what to sort by, and the cell. */
const COLUMNS = [
	["name", "Device", "Its name", "", (d) => d.name, null],
	["busy", "Busy", "Share of the time with an I/O in flight", "", (d, r) => n.busy(r), null],
	["r", "r/s", "Reads completed per second", "", (d, r) => n.perSecond(n.operations(r, "read"), r),
		(r) => cell(n.rate(n.perSecond(n.operations(r, "read"), r)), r.read.ops)],
	["w", "w/s", "Writes completed per second", "", (d, r) => n.perSecond(n.operations(r, "write"), r),
		(r) => cell(n.rate(n.perSecond(n.operations(r, "write"), r)), r.write.ops)],
	["rb", "Read", "Bytes read per second", "less", (d, r) => n.perSecond(n.bytes(r, "read"), r),
		(r) => cell(n.byteRate(n.perSecond(n.bytes(r, "read"), r)), r.read.bytes)],
	["wb", "Written", "Bytes written per second", "less", (d, r) => n.perSecond(n.bytes(r, "write"), r),
		(r) => cell(n.byteRate(n.perSecond(n.bytes(r, "write"), r)), r.write.bytes)],
	["wait", "Waiting", "Mean length of the queue before the device", "less", (d, r) => n.share(r.wait_queue.length_time_ns, r),
		(r) => cell(n.length(n.share(r.wait_queue.length_time_ns, r)), r.wait_queue.length_time_ns)],
	["actv", "At device", "Mean number of I/Os at the device", "less", (d, r) => n.share(r.run_queue.length_time_ns, r),
		(r) => cell(n.length(n.share(r.run_queue.length_time_ns, r)), r.run_queue.length_time_ns)],
	["r99", "r 99 %", "99 % of reads took up to", "", (d, r) => p99(r, "read") ?? -1, (r) => time(r, "read")],
	["w99", "w 99 %", "99 % of writes took up to", "less", (d, r) => p99(r, "write") ?? -1, (r) => time(r, "write")],
	["now", "In flight", "I/Os in flight at the end of the interval", "least", (d, r) => n.inFlight(r), (r) => cell(n.exact(n.inFlight(r)), n.inFlight(r))],
	["tagw", "Tag waits", "How often a task slept because all tags were in use", "least", (d, r) => n.tagWaits(r),
		(r) => cell(n.exact(n.tagWaits(r)), n.tagWaits(r))],
	["errs", "Errors", "Completions with an error, and time-outs", "least", (d, r) => n.errors(r), (r) => cell(n.exact(n.errors(r)), n.errors(r))],
];

const shownReport = (device) => (view.isLive ? device.last : device.total);

/** The devices that are listed, in the order of a column. */
function listed(by = state.sort.by, isDown = state.sort.isDown) {
	const of = COLUMNS.find(([key]) => key === by)[4];
	const word = $("find").value.toLowerCase();
	const isShown = (device) => device.name.toLowerCase().includes(word) && (!$("active").checked || !n.isIdle(shownReport(device)) || device === state.chosen);
	const names = new Intl.Collator("en", { numeric: true });
	const compare = (a, b) => {
		const [x, y] = [of(a, shownReport(a)), of(b, shownReport(b))];
		const order = typeof x === "string" ? names.compare(x, y) : x - y;
		return (isDown ? -order : order) || names.compare(a.name, b.name);
	};
	return [...state.devices.values()].filter(isShown).sort(compare);
}

function headings() {
	const cells = COLUMNS.map(([key, heading, title, kind, ,]) => {
		const sort = () => {
			const isSame = state.sort.by === key;
			state.sort = { by: key, isDown: isSame ? !state.sort.isDown : key !== "name" };
			headings();
			list();
			$("devices").querySelector(`[data-key="${key}"]`).focus();
		};
		const isIt = state.sort.by === key;
		return h("th", { scope: "col", class: kind, title, "aria-sort": isIt ? (state.sort.isDown ? "descending" : "ascending") : undefined },
			h("button", { type: "button", "data-key": key, click: sort }, heading));
	});
	$("devices").tHead.rows[0].replaceChildren(...cells);
}

/** A row, whose cells are filled by [`list`]. */
function row(device) {
	const bar = h("span");
	const text = h("span");
	const cells = COLUMNS.slice(2).map(([, , , kind]) => h("td", { class: kind }));
	const element = h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", click: () => choose(device, true) }, device.name)),
		h("td", {}, h("span", { class: "busy", "aria-hidden": "true" }, bar), text), ...cells);
	return { element, bar, text, cells };
}

function list() {
	const shown = listed();
	for (const device of shown) {
		device.row ??= row(device);
		const report = shownReport(device);
		const { element, bar, text, cells } = device.row;
		const part = n.busy(report);
		bar.style.width = `${part * 100}%`;
		text.replaceChildren(cell(n.percent(part), report.busy_ns));
		element.classList.toggle("chosen", device === state.chosen);
		element.querySelector("button").setAttribute("aria-current", String(device === state.chosen));
		cells.forEach((one, index) => {
			const [key, , , , , of] = COLUMNS[index + 2];
			const content = of(report);
			one.replaceChildren(content);
			one.classList.toggle("zero", content.value === "0" || content.value === "null");
			one.classList.toggle("bad", key === "errs" && content.value !== "0");
		});
	}
	// Only what changed its place is moved: what has the focus keeps it.
	const body = $("devices").tBodies[0];
	const rows = shown.map(({ row }) => row.element);
	if (rows.length !== body.rows.length || rows.some((one, index) => body.rows[index] !== one)) {
		const focus = body.contains(document.activeElement) ? document.activeElement : null;
		body.replaceChildren(...rows);
		focus?.focus({ preventScroll: true });
	}
	sums();
}

function tiles(place, all) {
	const parts = all.map(([name, text, value, kind]) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, cell(text, value))));
	$(place).replaceChildren(...parts);
}

function sums() {
	const reports = [...state.devices.values()].map(shownReport);
	const sum = (of) => reports.reduce((all, report) => all + of(report), 0);
	const active = reports.filter((report) => !n.isIdle(report)).length;
	const errors = sum(n.errors);
	tiles("sums", [
		["Devices", n.exact(reports.length), reports.length],
		["Active", n.exact(active), active],
		["In flight", n.exact(sum(n.inFlight)), sum(n.inFlight)],
		["I/Os per second", n.rate(sum((r) => n.perSecond(all(r), r))), sum(all)],
		["Read", n.byteRate(sum((r) => n.perSecond(n.bytes(r, "read"), r))), sum((r) => n.bytes(r, "read"))],
		["Written", n.byteRate(sum((r) => n.perSecond(n.bytes(r, "write"), r))), sum((r) => n.bytes(r, "write"))],
		["Errors", n.exact(errors), errors, errors ? "bad" : undefined],
	]);
}

// The details of one device.

let overview = null;
let all_figures = [];

function build() {
	const charts = [
		{ id: "queues", title: "Queue lengths", unit: "I/Os, on average", text: n.length, series: [
			{ name: "at the device", of: (r) => n.share(r.run_queue.length_time_ns, r), raw: (r) => r.run_queue.length_time_ns },
			{ name: "waiting", of: (r) => n.share(r.wait_queue.length_time_ns, r), raw: (r) => r.wait_queue.length_time_ns }] },
		{ id: "utilisation", title: "Utilisation", unit: "share of the time", text: n.percent, most: 1, isFilled: true, series: [
			{ name: "an I/O in flight", of: n.busy, raw: (r) => r.busy_ns },
			{ name: "an I/O waiting", of: (r) => Math.min(n.share(r.wait_queue.busy_ns, r), 1), raw: (r) => r.wait_queue.busy_ns }] },
		{ id: "operations", title: "I/Os", unit: "completed per second", text: n.rate, series: ["read", "write", "free", "none"].map((name) =>
			({ name: n.CLASSES[name].toLowerCase(), of: (r) => n.perSecond(n.operations(r, name), r), raw: (r) => r[name].ops })) },
		{ id: "bytes", title: "Bytes", unit: "transferred per second", text: n.byteRate, series: ["read", "write"].map((name) =>
			({ name: n.CLASSES[name].toLowerCase(), of: (r) => n.perSecond(n.bytes(r, name), r), raw: (r) => r[name].bytes })) },
	];
	const place = $("figures");
	overview = figures.utilisation($("all"), view);
	all_figures = [
		figures.latency(place, view, "service", "Service time", "at the device, by time of completion"),
		figures.latency(place, view, "wait", "Wait time", "before the device, by time of completion"),
		...charts.map((one) => figures.chart(place, view, one)),
		figures.map(place, view),
		figures.inFlight(place, view),
		figures.slow(place, view),
		figures.events(place, view),
		figures.totals(place, view),
	];
	const note = h("p", { class: "note", id: "no-map" }, "No map: the device has no region. ",
		h("code", {}, "ioscope region create --areas 64"), " makes one.");
	$("map").after(note);
	for (const [key, name] of Object.entries(n.CLASSES)) {
		const change = () => {
			state.class = key;
			details();
		};
		$("classes").append(h("label", {}, h("input", { type: "radio", name: "class", value: key, checked: key === "all", change }), ` ${name}`));
	}
}

function details() {
	$("detail").hidden = !state.chosen;
	document.querySelector("main").classList.toggle("both", Boolean(state.chosen) && state.devices.size > 1);
	if (!state.chosen) {
		return;
	}
	$("map").hidden = state.areas.length === 0;
	$("no-map").hidden = state.areas.length !== 0;
	const report = view.isLive ? view.at()?.report ?? state.chosen.last : state.chosen.total;
	const times = (phase) => n.quantile(n.histogram(report, state.class, phase), 99);
	tiles("now", [
		["Waiting now", n.exact(report.wait_queue.now), report.wait_queue.now],
		["At device now", n.exact(report.run_queue.now), report.run_queue.now],
		["Busy", n.percent(n.busy(report)), report.busy_ns],
		["I/Os per second", n.rate(n.perSecond(n.operations(report, state.class), report)), n.operations(report, state.class)],
		["Service 99 %", n.time(times("service")), times("service")],
		["Wait 99 %", n.time(times("wait")), times("wait")],
		["Tag waits", n.exact(n.tagWaits(report)), n.tagWaits(report)],
		["Errors", n.exact(n.errors(report)), n.errors(report), n.errors(report) ? "bad" : undefined],
	]);
	all_figures.forEach((figure) => figure.update());
}

/** Opens the details of a device. */
async function choose(device, isByUser) {
	if (state.chosen !== device) {
		state.chosen = device;
		state.cursor = null;
		state.history = [];
		state.rows = [];
		state.areas = [];
		state.flights = [];
		state.slow = [];
		$("detail-heading").textContent = device.name;
		history.replaceState(null, "", `#${encodeURIComponent(device.name)}`);
	}
	render();
	if (isByUser) {
		say(`Details of ${device.name}`);
		$("detail").focus({ preventScroll: true });
		$("detail").scrollIntoView({ block: "start" });
	}
	await load(device);
}

/** The intervals of a device that were before. */
async function load(device) {
	const part = view.isLive ? {} : partOf(1);
	const query = { device: device.name, ...part };
	const parts = state.parts;
	const whole = { ...query, interval: undefined };
	const [reports, lines, regions] = await Promise.all([get("intervals", query), get("areas", query), get("regions", whole), ios(device, whole)]);
	if (state.chosen !== device || state.parts !== parts) {
		return;
	}
	const known = new Set(state.history.map(({ report }) => report.time));
	const before = reports.filter((report) => report.number === device.number && !known.has(report.time)).map(interval);
	state.history = [...before, ...state.history].sort((a, b) => a.t1 - b.t1).slice(-MOST);
	// The region with the most areas.
	const counts = Map.groupBy(regions, ({ region }) => region);
	state.areas = [...counts.values()].reduce((most, areas) => (areas.length > most.length ? areas : most), []);
	state.rows = [];
	addAreas(lines);
	render();
}

/** Its single I/Os. */
async function ios(device, query) {
	const parts = state.parts;
	const [flights, slow] = await Promise.all([get("inflight", query), get("slow", query)]);
	if (state.chosen === device && state.parts === parts) {
		state.flights = flights;
		state.slow = slow;
	}
}

/** Areas of intervals, of which each has those that I/O went to. */
function addAreas(lines) {
	const region = state.areas[0]?.region;
	const ours = lines.filter((line) => line.region === region && line.device === state.chosen.name && line.interval_ns !== null);
	for (const [, areas] of Map.groupBy(ours, ({ time }) => time)) {
		const { t0, t1 } = interval(areas[0]);
		if (!state.rows.some((row) => row.t1 === t1)) {
			state.rows.push({ t0, t1, areas });
		}
	}
	state.rows = state.rows.slice(-MOST);
}

function render() {
	if (state.isPaused || state.devices.size === 0) {
		return;
	}
	list();
	overview.element.hidden = state.devices.size < 2;
	overview.update();
	details();
}

/** The devices there are, with what they have counted. */
async function devices() {
	const parts = state.parts;
	const reports = await get("devices", view.isLive ? {} : partOf(1, true));
	if (state.parts !== parts) {
		return;
	}
	const before = state.devices;
	state.devices = new Map();
	for (const report of reports) {
		const known = before.get(report.number);
		const device = known?.name === report.device ? known : { number: report.number, name: report.device, busy: [] };
		device.total = report;
		device.last ??= n.idle(report, report.time, 0);
		state.devices.set(report.number, device);
	}
	const word = state.chosen?.name ?? decodeURIComponent(location.hash.slice(1));
	const named = [...state.devices.values()].find(({ name }) => name === word);
	const only = state.devices.size === 1 ? [...state.devices.values()][0] : undefined;
	if (state.chosen && !state.devices.has(state.chosen.number)) {
		say(`${state.chosen.name} has left`);
		state.chosen = null;
	}
	render();
	const next = state.chosen ? undefined : named ?? only;
	if (next) {
		await choose(next, false);
	}
}

// As it happens.

function status(text, isBad) {
	if ($("status").textContent !== text) {
		$("status").textContent = text;
		$("status").classList.toggle("bad", Boolean(isBad));
		say(text);
	}
}

function live() {
	const every = n.time(n.number(state.info.interval_ns));
	let last = 0;
	follow({
		interval: ({ time, interval_ns, reports, areas }) => {
			status(`Live, every ${every}`);
			state.now = Date.parse(time);
			const news = new Map(reports.map((report) => [report.number, report]));
			for (const device of state.devices.values()) {
				device.last = news.get(device.number) ?? n.idle(device.total, time, interval_ns);
				const { t0, t1 } = interval(device.last);
				device.busy.push([t0, t1, n.busy(device.last)]);
				device.busy.splice(0, device.busy.length - MOST);
			}
			if (state.chosen) {
				state.history = [...state.history, interval(state.chosen.last)].slice(-MOST);
				if (areas.length) {
					addAreas(areas);
				}
				const device = state.chosen;
				ios(device, { device: device.name }).then(() => state.chosen === device && render()).catch(failed);
			}
			render();
			// Totals are not part of events.
			if (Date.now() - last > 5000) {
				last = Date.now();
				totals();
			}
		},
		devices: () => {
			last = Date.now();
			devices().then(() => state.info.bounds.length || start()).catch(failed);
		},
		down: () => {
			status("The module is not loaded", true);
			state.devices.clear();
			state.chosen = null;
			$("devices").tBodies[0].replaceChildren();
			sums();
			details();
		},
		lost: () => status("The connection is lost: trying again", true),
	});
}

async function totals() {
	const device = state.chosen;
	const query = device ? { device: device.name } : {};
	const [reports, regions] = await Promise.all([get("devices"), device ? get("regions", query) : []]);
	for (const report of reports) {
		const known = state.devices.get(report.number);
		if (known) {
			known.total = report;
		}
	}
	const now = regions.filter(({ region }) => region === state.areas[0]?.region);
	if (device && device === state.chosen && now.length) {
		state.areas = now;
	}
}

const failed = (error) => status(error.message, true);

async function start() {
	state.info = await get("info");
	state.now = Date.parse(state.info.time);
}

// A recording.

/** The part that is chosen, in intervals of which a page has room for those of so many devices. */
function partOf(count, isWhole) {
	const [first, last] = [Date.parse(state.info.from), Date.parse(state.info.to)];
	const [from, to] = state.part;
	const each = n.number(state.info.interval_ns) / 1e6;
	const room = Math.max(1, Math.min(MOST, Math.floor(MOST_REPORTS / count)));
	// Intervals as they were recorded, if there is room for them.
	const seconds = (to - from) / each > room ? (to - from) / room / 1000 : undefined;
	return { from: from > first ? new Date(from).toISOString() : undefined, to: to < last ? new Date(to).toISOString() : undefined,
		interval: isWhole ? undefined : seconds };
}

async function part() {
	// Another part may be chosen while this one is read.
	const chosen = ++state.parts;
	status(`${state.info.file}: ${n.day(state.part[0])} to ${n.day(state.part[1])}`);
	await devices();
	const reports = await get("intervals", partOf(state.devices.size || 1));
	if (state.parts !== chosen) {
		return;
	}
	for (const device of state.devices.values()) {
		device.busy = [];
	}
	for (const report of reports) {
		const { t0, t1 } = interval(report);
		state.devices.get(report.number)?.busy.push([t0, t1, n.busy(report)]);
	}
	if (state.chosen) {
		state.history = [];
		await load(state.chosen);
	}
	render();
}

function sliders() {
	const [first, last] = [Date.parse(state.info.from), Date.parse(state.info.to)];
	const each = Math.max(1, Math.round(n.number(state.info.interval_ns) / 1e6));
	let wait;
	const show = () => {
		for (const [id, at] of [["from", state.part[0]], ["to", state.part[1]]]) {
			$(`${id}-text`).textContent = n.day(at);
			$(id).setAttribute("aria-valuetext", n.day(at));
		}
	};
	const change = (event) => {
		let [from, to] = [first + Number($("from").value), first + Number($("to").value)];
		// At least an interval lies between both.
		if (to - from < each) {
			[from, to] = event.target.id === "from" ? [Math.max(first, to - each), to] : [from, Math.min(last, from + each)];
		}
		$("from").value = from - first;
		$("to").value = to - first;
		state.part = [from, to];
		show();
		clearTimeout(wait);
		wait = setTimeout(() => part().catch(failed), 150);
	};
	state.part = [first, last];
	for (const id of ["from", "to"]) {
		$(id).max = last - first;
		$(id).step = 1;
		$(id).value = id === "from" ? 0 : last - first;
		$(id).addEventListener("input", change);
		// Arrow keys move by an interval.
		$(id).addEventListener("keydown", (event) => {
			const by = { ArrowLeft: -each, ArrowDown: -each, ArrowRight: each, ArrowUp: each }[event.key];
			if (by) {
				event.preventDefault();
				$(id).value = Number($(id).value) + by;
				change({ target: $(id) });
			}
		});
	}
	show();
	$("recording").hidden = false;
}

async function main() {
	headings();
	await start();
	view.isLive = state.info.live;
	build();
	$("find").addEventListener("input", render);
	$("active").addEventListener("change", render);
	for (const event of ["resize", "themechange"]) {
		addEventListener(event, render);
	}
	$("pause").addEventListener("click", () => {
		state.isPaused = !state.isPaused;
		$("pause").setAttribute("aria-pressed", String(state.isPaused));
		render();
	});
	if (view.isLive) {
		if (!state.info.up) {
			status("The module is not loaded", true);
		}
		live();
	} else {
		$("pause").hidden = true;
		$("metrics").hidden = true;
		sliders();
		await part();
	}
}

main().catch(failed);
