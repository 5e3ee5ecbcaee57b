// A conversation as the experimenter watches it: what is said, as text.

import { ask } from "../dashboard/api.js";

const room = JSON.parse(document.getElementById("room").textContent);
const path = `/api/experimenter/studies/${encodeURIComponent(room.study)}/talks/${room.number}`;

function row(message) {
  const line = document.createElement("tr");
  const who = document.createElement("th");
  who.scope = "row";
  const witness = !message.mine && !message.author;
  who.textContent = `${witness ? room.witness : message.author || room.judge}${message.channel && message.channel !== "J" ? (witness ? ` ${message.channel}` : ` → ${message.channel}`) : ""}`;
  const said = document.createElement("td");
  said.textContent = message.text;
  line.append(who, said);
  return line;
}

async function look() {
  try {
    const told = await ask(path);
    document.getElementById("state").textContent = `${room[told.state]}${told.page ? ` (${told.page.phase})` : ""}`;
    document.getElementById("lines").replaceChildren(...(told.page?.messages ?? []).map(row));
    document.getElementById("wrong").textContent = "";
    if (told.state !== "open") return;
  } catch (error) {
    document.getElementById("wrong").textContent = error.message;
  }
  setTimeout(look, 2000);
}

look();
