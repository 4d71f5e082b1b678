// SPDX-License-Identifier: GPL-2.0
// Where numbers come from: Documentation/ioscope.rst describes each of these addresses.

/** JSON of an address. `parameters` that are undefined are left out. */
export async function get(name, parameters = {}) {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(parameters)) {
		if (value !== undefined) {
			query.set(key, value);
		}
	}
	const text = query.toString();
	const response = await fetch(`api/${name}${text ? `?${text}` : ""}`);
	if (!response.ok) {
		throw new Error((await response.text()).trim());
	}
	return response.json();
}

/** Calls `on.interval`, `on.devices`, `on.down` as events come, and `on.lost` when the connection is lost. */
export function follow(on) {
	const source = new EventSource("api/live");
	source.addEventListener("interval", (event) => on.interval(JSON.parse(event.data)));
	source.addEventListener("devices", () => on.devices());
	source.addEventListener("down", () => on.down());
	source.addEventListener("error", () => {
		on.lost();
		// A browser gives up after a response that is not a stream, as when too many pages are open.
		if (source.readyState === EventSource.CLOSED) {
			setTimeout(() => follow(on), 5000);
		}
	});
}
