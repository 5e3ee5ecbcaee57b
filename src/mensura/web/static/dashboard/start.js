// Starting a study: from a file, from what was pasted, or from a shipped one; checked with the line of what is wrong.

import { ask, fill, ready, words } from "./api.js";

const LARGEST = 200000;
const form = document.getElementById("start");
const text = document.getElementById("text");
const news = document.getElementById("news");
const wrong = document.getElementById("wrong");
const select = document.getElementById("shipped");
const buttons = form.querySelectorAll("button");

async function trying(saying, what) {
  news.textContent = saying;
  wrong.textContent = "";
  for (const button of buttons) button.disabled = true;
  try {
    await what();
  } catch (error) {
    news.textContent = "";
    wrong.textContent = error.message;
  }
  for (const button of buttons) button.disabled = false;
}

document.getElementById("check").addEventListener("click", () => {
  if (!form.reportValidity()) return;
  trying(words.checking, async () => {
    const found = await ask("/api/studies/check", { text: text.value });
    news.textContent = fill("right", { ...found, seconds: Math.max(1, Math.round(found.seconds)) });
  });
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  trying(words.beginning, async () => {
    const name = document.getElementById("name").value.trim();
    const begun = await ask("/api/studies", { text: text.value, name });
    location.assign(`/runs/${encodeURIComponent(begun.run)}`);
  });
});
ready(form);

document.getElementById("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  wrong.textContent = "";
  if (file.size > LARGEST) {
    wrong.textContent = words["too-large"];
    return;
  }
  text.value = await file.text();
});

const shipped = new Map();
for (const one of await ask("/api/studies")) {
  shipped.set(one.name, one.text);
  const option = document.createElement("option");
  option.value = one.name;
  option.textContent = one.title ? `${one.name}: ${one.title}` : one.name;
  select.append(option);
}
select.addEventListener("change", () => {
  if (shipped.has(select.value)) text.value = shipped.get(select.value);
});
