// Small pictures of scores: a path, and a score with its interval on a scale that several share.

const SPACE = "http://www.w3.org/2000/svg";

export function svg(name, attributes, ...inside) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/** A path through points [x, y] as an SVG; lines at zero and, with ``at``, at a place on the way. */
export function path(points, { width, height, label, at = null, low = null, high = null }) {
  const values = points.map(([, y]) => y);
  const least = Math.min(low ?? 0, ...values);
  const most = Math.max(high ?? 0, ...values);
  const begin = points[0]?.[0] ?? 0;
  const length = (points.at(-1)?.[0] ?? 1) - begin || 1;
  const x = (value) => (4 + ((value - begin) / length) * (width - 8)).toFixed(1);
  const y = (value) => (4 + ((most - value) / (most - least || 1)) * (height - 8)).toFixed(1);
  const drawn = svg("svg", { class: "scale", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  drawn.append(svg("line", { class: "zero", x1: 0, x2: width, y1: y(0), y2: y(0) }));
  if (at !== null) drawn.append(svg("line", { class: "now", x1: x(at), x2: x(at), y1: 0, y2: height }));
  if (points.length > 1) drawn.append(svg("polyline", { class: "course", points: points.map(([a, b]) => `${x(a)},${y(b)}`).join(" ") }));
  const last = points.at(-1);
  if (last) drawn.append(svg("circle", { cx: x(last[0]), cy: y(last[1]), r: 3 }));
  return drawn;
}

/** Scores on one scale: a function that draws one of them, with its interval where there is one. */
export function scaleOf(rows, width = 180) {
  const values = rows.flatMap((one) => [one.score, one.low, one.high]).filter((one) => one !== null);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const at = (value) => (6 + ((value - low) / (high - low || 1)) * (width - 12)).toFixed(1);
  return (one) => {
    const drawn = svg("svg", { class: "scale", width, height: 22, viewBox: `0 0 ${width} 22`, "aria-hidden": "true", focusable: "false" });
    drawn.append(svg("line", { class: "zero", x1: at(0), x2: at(0), y1: 1, y2: 21 }));
    if (one.low !== null && one.high !== null) drawn.append(svg("line", { class: "ends", x1: at(one.low), x2: at(one.high), y1: 11, y2: 11 }));
    if (one.score !== null) drawn.append(svg("circle", { cx: at(one.score), cy: 11, r: 3.5 }));
    return drawn;
  };
}
