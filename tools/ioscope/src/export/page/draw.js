// SPDX-License-Identifier: GPL-2.0
// Pictures on a canvas: cells, and lines over time. Coordinates are those of the data.

const RAMP = ["--r0", "--r1", "--r2", "--r3", "--r4", "--r5"];

let theme = null;

/** Colours of the style sheet, which differ by light and dark. */
export function colours() {
	if (!theme) {
		const style = getComputedStyle(document.documentElement);
		const of = (name) => style.getPropertyValue(name).trim();
		theme = { text: of("--text"), dim: of("--dim"), grid: of("--grid"), back: of("--card"), first: of("--first"),
			second: of("--second"), accent: of("--accent"), ramp: steps(RAMP.map(of)) };
	}
	return theme;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	theme = null;
	dispatchEvent(new Event("themechange"));
});

/** 64 colours between those of the ramp. */
function steps(ends) {
	const parts = ends.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
	return Array.from({ length: 64 }, (_, index) => {
		const at = (index / 63) * (parts.length - 1);
		const low = Math.min(Math.floor(at), parts.length - 2);
		const mix = parts[low].map((value, i) => Math.round(value + (parts[low + 1][i] - value) * (at - low)));
		return `rgb(${mix.join(" ")})`;
	});
}

/** A colour of the ramp, of a part from 0 to 1. */
const ramp = (part) => colours().ramp[Math.min(63, Math.max(0, Math.round(part * 63)))];

/** Prepares a canvas, and says where data are on it. `range`: x0, x1, y0, y1 of the data; y1 is at the top. */
function surface(canvas, range, left) {
	const ratio = devicePixelRatio || 1;
	const [width, height] = [canvas.clientWidth, canvas.clientHeight];
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const pen = canvas.getContext("2d");
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.clearRect(0, 0, width, height);
	const size = parseFloat(getComputedStyle(canvas).fontSize) * 0.75;
	pen.font = `${size}px ${getComputedStyle(canvas).fontFamily}`;
	const box = { left: Math.ceil(left(pen)) + 10, top: 6, right: width - 10, bottom: height - size - 10 };
	const [x0, x1, y0, y1] = range;
	const x = (at) => box.left + ((at - x0) / (x1 - x0 || 1)) * (box.right - box.left);
	const y = (at) => box.bottom - ((at - y0) / (y1 - y0 || 1)) * (box.bottom - box.top);
	const data = (px, py) => [x0 + ((px - box.left) / (box.right - box.left)) * (x1 - x0),
		y0 + ((box.bottom - py) / (box.bottom - box.top)) * (y1 - y0)];
	return { pen, box, x, y, data, size, width };
}

function axes(on, xs, ys, hasGrid) {
	const { pen, box, x, y, size } = on;
	const { dim, grid } = colours();
	pen.fillStyle = dim;
	pen.strokeStyle = grid;
	pen.lineWidth = 1;
	pen.textAlign = "right";
	pen.textBaseline = "middle";
	for (const { at, label } of ys) {
		const to = Math.round(y(at)) + 0.5;
		pen.fillText(label, box.left - 6, Math.min(Math.max(to, box.top + size / 2), box.bottom));
		if (hasGrid) {
			pen.beginPath();
			pen.moveTo(box.left, to);
			pen.lineTo(box.right, to);
			pen.stroke();
		}
	}
	pen.textBaseline = "top";
	let end = -Infinity;
	for (const { at, label } of xs) {
		const half = pen.measureText(label).width / 2;
		const middle = Math.min(Math.max(x(at), box.left + half - 4), box.right - half + 8);
		if (middle - half < end + 10) {
			continue;
		}
		end = middle + half;
		pen.textAlign = "center";
		pen.fillText(label, middle, box.bottom + 6);
	}
	pen.strokeStyle = dim;
	pen.strokeRect(box.left + 0.5, box.top + 0.5, box.right - box.left - 1, box.bottom - box.top - 1);
}

const widest = (ys) => (pen) => Math.max(20, ...ys.map(({ label }) => pen.measureText(label).width));

/** Marks of the time, each with its label. */
export function times(x0, x1, clock) {
	const all = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
	const step = (all.find((seconds) => (x1 - x0) / (seconds * 1000) <= 6) ?? 86400 * Math.ceil((x1 - x0) / 6e8)) * 1000;
	const marks = [];
	for (let at = Math.ceil(x0 / step) * step; at <= x1; at += step) {
		marks.push({ at, label: clock(at) });
	}
	return marks;
}

/** Marks from 0 to `most`, at numbers that people like. */
export function marks(most, text) {
	const power = 10 ** Math.floor(Math.log10(most / 4 || 1));
	const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((step) => most / step <= 5);
	return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => ({ at: index * step, label: text(index * step) }));
}

/** Marks of a logarithmic axis of ns, whose unit is an octave. */
export function decades(y0, y1, text) {
	const parts = (y1 - y0) / Math.log2(10) > 2.2 ? [1] : [1, 2, 5];
	const found = [];
	for (let power = 0; power <= 11; power += 1) {
		for (const part of parts) {
			const at = Math.log2(part * 10 ** power);
			if (at >= y0 && at <= y1) {
				found.push({ at, label: text(part * 10 ** power) });
			}
		}
	}
	return found;
}

function cursor(on, range, at) {
	if (at === null || at < range[0] || at > range[1]) {
		return;
	}
	const { pen, box, x } = on;
	pen.fillStyle = colours().accent;
	pen.fillRect(Math.round(x(at)) - 1, box.top, 2, box.bottom - box.top);
}

/** `picture`: range, xs, ys, cells [x0, x1, y0, y1, part], lines, and the cursor's x. */
export function cells(canvas, picture) {
	const on = surface(canvas, picture.range, widest(picture.ys));
	const { pen, box, x, y } = on;
	for (const [x0, x1, y0, y1, part] of picture.cells) {
		const left = Math.max(Math.floor(x(x0)), box.left);
		const right = Math.min(Math.max(Math.floor(x(x1)), left + 1), box.right);
		const top = Math.round(y(y1));
		pen.fillStyle = ramp(part);
		pen.fillRect(left, top, right - left, Math.max(1, Math.round(y(y0)) - top));
	}
	lines(on, picture.lines ?? []);
	axes(on, picture.xs, picture.ys, false);
	cursor(on, picture.range, picture.cursor ?? null);
	return on.data;
}

/** `lines`: steps [x0, x1, y], where y is null if there is nothing. */
function lines({ pen, x, y }, all) {
	for (const { steps, colour, dash, width, isFilled } of all) {
		pen.strokeStyle = colour;
		pen.lineWidth = width;
		pen.lineJoin = "round";
		pen.setLineDash(dash ?? []);
		if (isFilled) {
			pen.fillStyle = colour;
			pen.globalAlpha = 0.18;
			for (const [x0, x1, at] of steps) {
				pen.fillRect(x(x0), y(at), x(x1) - x(x0) + 0.3, y(0) - y(at));
			}
			pen.globalAlpha = 1;
		}
		pen.beginPath();
		let end = null;
		for (const [x0, x1, at] of steps) {
			if (at === null) {
				end = null;
				continue;
			}
			// What follows at once is connected; a gap is a gap.
			if (end !== null && x0 - end <= (x1 - x0) * 0.6) {
				pen.lineTo(x(x0), y(at));
			} else {
				pen.moveTo(x(x0), y(at));
			}
			pen.lineTo(x(x1), y(at));
			end = x1;
		}
		pen.stroke();
		pen.setLineDash([]);
	}
}

export function chart(canvas, picture) {
	const on = surface(canvas, picture.range, widest(picture.ys));
	axes(on, picture.xs, picture.ys, true);
	lines(on, picture.lines);
	cursor(on, picture.range, picture.cursor ?? null);
	return on.data;
}
