// Free play of PAGI World: the room as it goes on, what a body senses, what is said, and keys that play it.

import { RoomView, drawField } from "./room.js";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const t = (name, values = {}) => (data.words[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
const MOST = 400;
const view = new RoomView(byId("room"));
const held = new Set();
let seat = 0;
let since = 0;


async function ask(path, body) {
  const answer = await fetch(`/api/live${path}`, body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error ?? "");
  return told;
}

async function attempt(work) {
  try {
    const done = await work();
    byId("trouble").textContent = "";
    return done;
  } catch (error) {
    byId("trouble").textContent = error.message || t("lost");
    return null;
  }
}

function say(line) {
  const place = byId(line.way === "console" ? "console" : "messages");
  const one = document.createElement("li");
  one.className = line.way;
  one.textContent = `${line.seat + 1} ${t(`way-${line.way}`)} ${line.text}`;
  place.append(one);
  while (place.children.length > MOST) place.firstChild.remove();
  if (byId("follow").checked) place.scrollTop = place.scrollHeight;
}

function seats(clients) {
  const chosen = byId("seat");
  if (chosen.options.length !== clients.length) {
    chosen.replaceChildren(...clients.map((_, number) => new Option(`${number + 1}`, number)));
    seat = Math.min(seat, clients.length - 1);
    chosen.value = seat;
  }
  byId("client").textContent = clients[seat] ? t("has-client") : t("no-client");
}

function numbers(sensed) {
  const names = ["velocity", "place", "left_hand", "right_hand", "rotation", "endorphins"];
  byId("pose").replaceChildren(...names.flatMap((name) => {
    const term = document.createElement("dt");
    const value = document.createElement("dd");
    term.textContent = t(name);
    value.textContent = [sensed[name]].flat().join(", ");
    return [term, value];
  }));
  const codes = [..."01234567"].map((n) => `B${n}`).concat([..."01234"].map((n) => `L${n}`), [..."01234"].map((n) => `R${n}`));
  byId("touch").replaceChildren(...sensed.touch.map((row, number) => {
    const line = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = codes[number];
    line.append(head, ...row.map((value) => Object.assign(document.createElement("td"), { textContent: value })));
    if (row[0]) line.className = "touches";
    return line;
  }));
}

async function look() {
  const told = await attempt(() => ask(`?seat=${seat}&since=${since}`));
  if (told) {
    for (const line of told.lines) say(line);
    since = told.lines.at(-1)?.number ?? since;
    seats(told.clients);
    view.draw(told.scene, { seat });
    drawField(byId("vision"), told.sensed.vision);
    drawField(byId("periphery"), told.sensed.periphery);
    numbers(told.sensed);
    byId("task").textContent = told.task;
    byId("told").textContent = told.instructions;
    byId("clock").textContent = t("seconds", { seconds: told.scene.seconds.toFixed(1) }) + (told.solved ? ` ${t("solved")}` : "");
    byId("inner").textContent = t("inner", { states: told.states.join(", ") || "-", reflexes: told.reflexes.join(", ") || "-" });
  }
  setTimeout(look, 100);
}

function press(event, down) {
  if (!data.keys.includes(event.code) || event.target.matches("input, select, button, summary, a")) return;
  event.preventDefault();
  if (held.has(event.code) === down) return;
  if (down) held.add(event.code);
  else held.delete(event.code);
  attempt(() => ask("/keys", { seat, keys: [...held] }));
}

function released() {
  if (!held.size) return;
  held.clear();
  attempt(() => ask("/keys", { seat, keys: [] }));
}

if (byId("type")) {
  addEventListener("keydown", (event) => press(event, true));
  addEventListener("keyup", (event) => press(event, false));
  addEventListener("blur", released);
}
byId("seat").addEventListener("change", () => {
  released();
  seat = Number(byId("seat").value);
});
byId("closer").addEventListener("click", () => view.zoom(1.25));
byId("farther").addEventListener("click", () => view.zoom(0.8));
byId("restart")?.addEventListener("click", () => attempt(() => ask("/restart", {})));
for (const [form, path] of [["type", "/typed"], ["command", "/commands"]])
  byId(form)?.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = event.target.elements.text.value;
    if (text) attempt(() => ask(path, { seat, text })).then((done) => done && event.target.reset());
  });
look();
