// The rooms of a study: how far each is, and a button that gives it up.

import { ask } from "../dashboard/api.js";

const table = document.getElementById("rooms");
const study = JSON.parse(document.getElementById("study").textContent);
const words = JSON.parse(document.getElementById("words").textContent);
const path = `/api/experimenter/studies/${encodeURIComponent(study)}/rooms`;
const wrong = document.getElementById("wrong");

function cell(text, kind = "") {
  const made = document.createElement("td");
  made.textContent = text;
  made.className = kind;
  return made;
}

function show(rooms) {
  table.tBodies[0].replaceChildren(
    ...rooms.map((room) => {
      const row = document.createElement("tr");
      const closing = document.createElement("td");
      if (room.state === "open" || room.state === "reported") {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "danger";
        button.textContent = table.dataset.close;
        button.addEventListener("click", () => change(`${path}/${room.number}/close`));
        closing.append(button);
      }
      const number = cell(room.number, "number");
      if (table.dataset.watch && room.state !== "void") {
        const link = document.createElement("a");
        link.href = `/experimenter/${encodeURIComponent(study)}/rooms/${room.number}`;
        link.textContent = room.number;
        number.replaceChildren(link);
      }
      row.append(number, cell(words[`room-${room.state}`]), cell(room.people.join(", ")), cell(room.turns, "number"), closing);
      return row;
    }),
  );
}

async function change(where, body = {}) {
  try {
    show(await ask(where, body));
  } catch (error) {
    wrong.textContent = error.message;
  }
}

async function look() {
  try {
    show(await ask(path));
  } catch {
    // the next look may succeed
  }
  setTimeout(look, 3000);
}

look();
