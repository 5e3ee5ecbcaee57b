// Draws a room of PAGI World on a canvas, and knows where in the room a point of the canvas is.

const BODY = 1.14;
const HAND = 0.65;

export class RoomView {
  constructor(canvas, follow = true) {
    this.canvas = canvas;
    this.follow = follow;
    this.center = [0, 4];
    this.scale = 20; // pixels of a unit
  }

  /** Where a point of the room is on the canvas. */
  at(x, y) {
    const { width, height } = this.canvas;
    return [width / 2 + (x - this.center[0]) * this.scale, height / 2 - (y - this.center[1]) * this.scale];
  }

  /** The point of the room under a point of the canvas. */
  point(px, py) {
    const { width, height } = this.canvas;
    return [this.center[0] + (px - width / 2) / this.scale, this.center[1] - (py - height / 2) / this.scale];
  }

  zoom(factor) {
    this.scale = Math.min(120, Math.max(4, this.scale * factor));
  }

  draw(scene, { seat = 0, chosen = null } = {}) {
    const pen = this.canvas.getContext("2d");
    const style = getComputedStyle(this.canvas);
    const ink = style.getPropertyValue("--ink") || "#222";
    const body = scene.bodies[seat];
    if (this.follow && body) this.center = [body.x, body.y + 2];
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = style.getPropertyValue("--card") || "#fff";
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const item of scene.items) if (!item.solid) this.item(pen, item, ink, item.name === chosen);
    pen.fillStyle = "#3d8ef5aa";
    for (const [x, y] of scene.water) this.disc(pen, x, y, scene.water_radius);
    for (const rope of scene.ropes ?? []) this.rope(pen, rope);
    for (const item of scene.items) if (item.solid) this.item(pen, item, ink, item.name === chosen);
    scene.bodies.forEach((one, number) => this.body(pen, one, number === seat, ink));
    for (const bubble of scene.bubbles) this.bubble(pen, bubble, ink);
  }

  rope(pen, { from, to, color }) {
    pen.save();
    pen.strokeStyle = color;
    pen.lineWidth = 0.2 * this.scale;
    pen.beginPath();
    pen.moveTo(...this.at(...from));
    pen.lineTo(...this.at(...to));
    pen.stroke();
    pen.restore();
  }

  disc(pen, x, y, radius) {
    const [px, py] = this.at(x, y);
    pen.beginPath();
    pen.arc(px, py, radius * this.scale, 0, 2 * Math.PI);
    pen.fill();
  }

  item(pen, item, ink, chosen) {
    const [px, py] = this.at(item.x, item.y);
    const w = (item.width / 2) * this.scale;
    const h = (item.height / 2) * this.scale;
    pen.save();
    pen.translate(px, py);
    pen.rotate(-item.angle);
    pen.globalAlpha = item.solid ? 1 : 0.55;
    pen.beginPath();
    if (item.outline === "disc") {
      pen.arc(0, 0, w, 0, 2 * Math.PI);
      pen.moveTo(0, 0);
      pen.lineTo(w, 0);
    } else if (item.outline === "left ramp") corners(pen, [[-w, h], [w, h], [-w, -h]]);
    else if (item.outline === "right ramp") corners(pen, [[-w, h], [w, h], [w, -h]]);
    else corners(pen, [[-w, h], [w, h], [w, -h], [-w, -h]]);
    if (item.seen) {
      pen.fillStyle = item.color;
      pen.fill();
    }
    pen.lineWidth = chosen ? 4 : item.fixed ? 2 : 1;
    pen.strokeStyle = chosen ? "#d9480f" : ink;
    pen.setLineDash(item.seen ? [] : [6, 4]);
    pen.stroke();
    pen.restore();
  }

  body(pen, body, own, ink) {
    pen.save();
    pen.fillStyle = own ? "#ffd43b" : "#e9c46a";
    pen.strokeStyle = ink;
    this.disc(pen, body.x, body.y, BODY);
    pen.stroke();
    const [px, py] = this.at(body.x, body.y);
    const top = this.at(body.x - Math.sin(body.angle) * BODY, body.y + Math.cos(body.angle) * BODY);
    pen.beginPath();
    pen.moveTo(px, py);
    pen.lineTo(...top);
    pen.stroke();
    body.hands.forEach(([x, y], side) => {
      pen.fillStyle = body.holds[side] ? "#2f9e44" : "#f08c00";
      this.disc(pen, x, y, HAND);
      pen.stroke();
    });
    pen.restore();
  }

  bubble(pen, bubble, ink) {
    const [px, py] = this.at(bubble.x, bubble.y);
    pen.save();
    pen.font = "14px sans-serif";
    const width = Math.min(pen.measureText(bubble.text).width + 12, 320);
    pen.fillStyle = "#ffffffee";
    pen.strokeStyle = ink;
    pen.fillRect(px - width / 2, py - 14, width, 24);
    pen.strokeRect(px - width / 2, py - 14, width, 24);
    pen.fillStyle = "#111";
    pen.fillText(bubble.text, px - width / 2 + 6, py + 3, 308);
    pen.restore();
  }
}

function corners(pen, points) {
  pen.moveTo(...points[0]);
  for (const one of points.slice(1)) pen.lineTo(...one);
  pen.closePath();
}

/** A visual field as small squares, the lowest row at the bottom. */
export function drawField(canvas, rows) {
  const pen = canvas.getContext("2d");
  const w = canvas.width / rows[0].length;
  const h = canvas.height / rows.length;
  rows.forEach((row, y) =>
    row.forEach((color, x) => {
      pen.fillStyle = color;
      pen.fillRect(x * w, canvas.height - (y + 1) * h, w + 1, h + 1);
    }),
  );
}
