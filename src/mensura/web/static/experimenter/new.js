// Making a study for people: what was left empty is left as it is.

import { ask, ready } from "../dashboard/api.js";

const form = document.getElementById("new");
const wrong = document.getElementById("wrong");
const assessment = document.getElementById("assessment");
const world = document.getElementById("world");

function value(id) {
  return document.getElementById(id).value.trim();
}

// Numbers, lists, true and false as they are written; everything else is text.
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parameters(within) {
  const found = {};
  for (const input of within?.querySelectorAll("[data-parameter]") ?? []) {
    if (input.value.trim()) found[input.dataset.parameter] = read(input.value.trim());
  }
  return found;
}

// What is said of people, by the names that a study file has for it: "completed.url" is url within completed.
function people() {
  const found = {};
  for (const input of form.querySelectorAll("[data-people]")) {
    const ticked = input.type === "checkbox";
    const text = ticked ? String(input.checked) : input.value.trim();
    if (!text || (ticked && !input.checked)) continue;
    const path = input.dataset.people.split(".");
    const last = path.pop();
    let within = found;
    for (const step of path) within = within[step] ??= {};
    within[last] = ticked ? {} : "number" in input.dataset ? Number(text) : text;
  }
  return found;
}

function chosen() {
  return form.querySelector(`[data-assessment="${assessment.value}"]`);
}

function place() {
  return [...form.querySelectorAll("[data-world]")].find((one) => one.dataset.world === world.value);
}

// Only worlds in which people can take the assessment are offered; the usual one is there until they are known.
async function offerWorlds() {
  const [name, wanted] = [assessment.value, world.value];
  fill([form.querySelector("[data-world]").dataset.world]);
  const found = await ask(`/api/experimenter/worlds?assessment=${name}`);
  if (assessment.value === name) fill(found, wanted); // else another was chosen meanwhile
}

function fill(names, wanted) {
  world.replaceChildren(...names.map((name) => new Option(name)));
  world.value = names.includes(wanted) ? wanted : names[0];
  showParameters();
}

function showParameters() {
  for (const one of form.querySelectorAll("[data-world]")) one.hidden = one !== place();
  if (!place()) offerParameters(world.value).catch(tell);
}

// The fields of a world, asked for when it is chosen for the first time.
async function offerParameters(name) {
  const usual = form.querySelector("[data-world]");
  const made = usual.cloneNode(true);
  const fields = made.querySelector("div");
  for (const one of fields.querySelectorAll("label, input")) one.remove();
  made.dataset.world = name;
  usual.parentNode.insertBefore(made, usual.nextSibling);
  showParameters();
  const found = await ask(`/api/experimenter/worlds/${encodeURIComponent(name)}/parameters`);
  for (const one of found) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const type = document.createElement("span");
    input.id = label.htmlFor = `${name}-${one.name}`;
    type.className = "dim";
    type.textContent = `(${one.type})`;
    label.append(`${one.name} `, type);
    Object.assign(input, { placeholder: one.default, autocomplete: "off", maxLength: 5000 });
    input.dataset.parameter = one.name;
    fields.append(label, input);
  }
}

assessment.addEventListener("change", () => {
  for (const one of form.querySelectorAll("[data-assessment]")) one.hidden = one !== chosen();
  offerWorlds().catch(tell);
});
world.addEventListener("change", showParameters);

function tell(error) {
  wrong.textContent = error.message;
}

const file = document.getElementById("from-file");

file.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wrongFile = document.getElementById("wrong-file");
  wrongFile.textContent = "";
  const button = file.querySelector("button");
  button.disabled = true;
  try {
    const made = await ask("/api/experimenter/study-files", { text: document.getElementById("file-text").value });
    location.assign(`/experimenter/${encodeURIComponent(made.name)}`);
  } catch (error) {
    wrongFile.textContent = error.message;
  }
  button.disabled = false;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  wrong.textContent = "";
  const button = form.querySelector("button");
  button.disabled = true;
  const study = {
    name: value("name"),
    title: value("heading"),
    places: Number(value("places")),
    theme: value("theme"),
    language: value("language"),
    assessment: assessment.value,
    parameters: parameters(chosen()),
    world: world.value,
    world_parameters: parameters(place()),
    people: people(),
    people_text: document.getElementById("people-text").value,
    conditions_text: document.getElementById("conditions-text").value,
    seed: value("seed"),
  };
  try {
    const made = await ask("/api/experimenter/studies", study);
    location.assign(`/experimenter/${encodeURIComponent(made.name)}`);
  } catch (error) {
    tell(error);
  }
  button.disabled = false;
});
offerWorlds().catch(tell).then(() => ready(form));
ready(file);
