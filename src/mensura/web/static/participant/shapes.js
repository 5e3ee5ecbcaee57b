// The shapes: symbols without a meaning, and the three signs of rewards.

const SPACE = "http://www.w3.org/2000/svg";

const PATHS = {
  you: "M24 6a18 18 0 1 1 0 36 18 18 0 1 1 0-36z",
  arch: "M6 40V24a18 18 0 0 1 36 0v16H31V24a7 7 0 0 0-14 0v16z",
  bars: "M8 6h12v36H8zM28 6h12v36H28z",
  cross: "M18 6h12v12h12v12H30v12H18V30H6V18h12z",
  crescent: "M32 6a18 18 0 1 0 0 36 22 22 0 0 1 0-36z",
  diamond: "M24 4 42 24 24 44 6 24z",
  drop: "M24 4c8 12 14 18 14 26a14 14 0 0 1-28 0c0-8 6-14 14-26z",
  hexagon: "M14 7h20l10 17-10 17H14L4 24z",
  hourglass: "M8 6h32L28 24l12 18H8l12-18z",
  pentagon: "M24 5 43 19 36 42H12L5 19z",
  ring: "M24 5a19 19 0 1 1 0 38 19 19 0 1 1 0-38zm0 10a9 9 0 1 0 0 18 9 9 0 1 0 0-18z",
  star: "M24 4 30 18l15 1-12 10 4 15-13-8-13 8 4-15L3 19l15-1z",
  triangle: "M24 5 44 41H4z",
};

const SIGNS = {
  1: ["#1a7f37", "M24 9 38 25h-9v14H19V25h-9z"],
  0: ["#6b7280", "M18 18h12v12H18z"],
  "-1": ["#c62828", "M24 39 10 23h9V9h10v14h9z"],
};

function element(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function picture(kind, ...parts) {
  const made = element("svg", { class: kind, viewBox: "0 0 48 48", "aria-hidden": "true", focusable: "false" });
  made.append(...parts);
  return made;
}

export function drawSymbol(name) {
  const made = picture("symbol", element("path", { d: PATHS[name], "fill-rule": "evenodd" }));
  made.dataset.symbol = name;
  return made;
}

export function drawSign(sign) {
  const [color, path] = SIGNS[sign];
  return picture("sign", element("circle", { cx: 24, cy: 24, r: 22, fill: color }), element("path", { d: path, fill: "#fff" }));
}
