// The research view: a world, an environment of it that is drawn, built or loaded, a subject, and the visit.

import { get, post } from "./api.js";
import { attempt, byId, data, element, t, trouble, word } from "./page.js";
import { Fields, field, parameterField } from "./fields.js";
import PlainEditor from "./plain_editor.js";
import { VisitView } from "./visit.js";

const KEPT = "mensura-research"; // what this tab keeps, so that a visit goes on, or begins anew

let choosing = ""; // the world that was chosen last
let form = null; // of the chosen world
let subjects = []; // of the chosen world under the chosen parameters, or of the visit
let parameters = null;
let editor = null;
let own = {}; // parameters from the editor, where they are none of those that can be chosen
let visit = null; // what was begun: the world, its parameters, the description, seed, subject

const view = new VisitView({ gone, edit });

// Worlds

async function chooseWorld(name) {
  choosing = name;
  const found = await attempt(() => get(`/worlds/${name}`));
  if (!found) return;
  const { default: Editor } = found.editor ? await import(found.editor) : { default: PlainEditor };
  if (choosing !== name) return; // another was chosen meanwhile
  form = found;
  own = {};
  const place = byId("editor");
  place.replaceChildren();
  editor = new Editor(place, form, { begin, generate: generateWith });
  byId("world").value = name;
  byId("world-about").textContent = word(`worlds.${form.world}`, form.about);
  byId("world-content").textContent = form.content;
  byId("several").hidden = true;
  byId("preset").replaceChildren(...Object.keys(form.presets).map((one) => element("option", {}, one)));
  byId("presets").hidden = Object.keys(form.presets).length === 0;
  parameters = new Fields(
    byId("parameter-fields"),
    form.parameters.map((one) => {
      const offered = editor.choices?.(one.name);
      return offered ? field(one.name, ["word"], offered.words, null, offered.other) : parameterField(one);
    }),
  );
  writePreset();
  offer(form);
  if (editor.open) editor.open();
  else place.append(element("p", { class: "dim" }, t("build_about")));
}

/** The world of a visit with its parameters, where another was chosen meanwhile; whether it is chosen now. */
async function chooseWorldOf({ world, preset, parameters: given }) {
  if (choosing === world && form?.world === world) return true;
  await chooseWorld(world);
  if (form?.world !== world) return false;
  byId("preset").value = preset;
  writePreset();
  const [known, others] = [{}, {}];
  for (const [name, value] of Object.entries(given)) {
    (editor.choices?.(name)?.words.includes(value) === false ? others : known)[name] = value;
  }
  parameters.write(known);
  writeOwn(others);
  await renew();
  return true;
}

/** What there is under some parameters. */
function offer(found) {
  refill("measure", [
    element("option", { value: "" }, t("any")),
    ...found.measures.map((one) => element("option", { value: one.name, title: one.about }, one.name)),
  ]);
  for (const one of parameters.fields) one.box.hidden = found.idle.includes(one.name);
  offerSubjects(found.subjects);
}

function offerSubjects(found) {
  if (JSON.stringify(found) === JSON.stringify(subjects)) return; // what was typed stays
  subjects = found;
  refill("subject", [
    element("option", { value: "" }, t("hand")),
    ...subjects.map((one) => element("option", { value: one.name }, one.name)),
    element("option", { value: "+" }, t("collective")),
  ]);
  chooseSubject();
}

/** Other options; what was chosen stays so where it is still there. */
function refill(id, options) {
  const before = byId(id).value;
  byId(id).replaceChildren(...options);
  byId(id).value = options.some((one) => one.value === before) ? before : "";
}

/** After another preset, or another value of a parameter. */
async function renew() {
  const world = asked();
  const found = await attempt(() => post("/worlds", world));
  if (found && JSON.stringify(asked()) === JSON.stringify(world)) offer(found); // else something newer was asked
}

function usePreset() {
  writePreset();
  renew();
}

function writePreset() {
  const changes = form.presets[byId("preset").value] ?? {};
  parameters.write({ ...Object.fromEntries(form.parameters.map((one) => [one.name, one.default])), ...changes });
}

/** The parameters that differ from those of the preset. */
function asked() {
  const changes = form.presets[byId("preset").value] ?? {};
  const given = {};
  for (const one of form.parameters) {
    const value = parameters.at(one.name).read();
    if (JSON.stringify(value) !== JSON.stringify(changes[one.name] ?? one.default)) given[one.name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (parameters.at(name).read() === "") given[name] = value;
  return { world: form.world, preset: byId("preset").value, parameters: given };
}

/** Draw with parameters that are none of those that can be chosen. */
async function generateWith(changes) {
  writeOwn(changes);
  await generate();
}

function writeOwn(changes) {
  own = changes;
  for (const name of Object.keys(changes)) {
    const select = parameters.at(name).input;
    if (!select.querySelector('option[value=\'""\']')) select.append(element("option", { value: '""' }, editor.choices(name).other));
    select.value = '""';
  }
}

// Environments

async function generate() {
  const measure = byId("measure").value;
  const within = measure ? { measure, low: Number(byId("low").value), high: Number(byId("high").value || byId("low").value) } : null;
  const world = asked();
  const drawn = await attempt(() => post("/environments", { ...world, within, seed: byId("environment-seed").value.trim() }));
  if (drawn) await begin(drawn.description, drawn.seed, world);
}

async function load(file) {
  if (!file) return;
  const read = await attempt(async () => {
    let content;
    try {
      content = JSON.parse(await file.text());
    } catch (error) {
      throw new Error(t("no_json", { why: error.message }));
    }
    return post("/files", { data: content });
  });
  byId("file").value = "";
  if (!read) return;
  await chooseWorld(read.world);
  const many = read.descriptions.length > 1;
  byId("several").hidden = !many;
  byId("which").replaceChildren(...read.descriptions.map((_, at) => element("option", { value: at }, String(at + 1))));
  byId("which").onchange = () => begin(read.descriptions[Number(byId("which").value)]);
  await begin(read.descriptions[0]);
}

/** Into the editor with it: that of its own world, whichever was chosen since. */
async function edit(about) {
  if (!(await chooseWorldOf(visit))) return;
  byId("build").open = true;
  if (editor.edit) editor.edit(about.description);
  else editor.show(about.description);
  byId("json").value = JSON.stringify(about.description, null, 1);
  byId("build").scrollIntoView();
  byId("build").querySelector("summary").focus();
}

// Subjects

function chooseSubject() {
  const name = byId("subject").value;
  const found = subjects.find((one) => one.name === name);
  byId("subject-about").textContent = found?.about ?? "";
  byId("collective").hidden = name !== "+";
  byId("training").disabled = name === "";
  const place = byId("subject-fields");
  chooseSubject.fields = new Fields(
    place,
    Object.entries(found?.parameters ?? {})
      .filter(([one]) => one !== "training")
      .map(([one]) => field(one, ["number"])),
  );
  chooseSubject.fields.write(found?.parameters ?? {});
  byId("subject-parameters").hidden = chooseSubject.fields.fields.length === 0;
}

function address() {
  const name = byId("subject").value;
  if (name === "+") return byId("address").value.trim();
  const usual = subjects.find((one) => one.name === name)?.parameters ?? {};
  const changed = Object.entries(chooseSubject.fields.read()).filter(([one, value]) => value !== null && value !== usual[one]);
  return changed.length ? `${name}?${changed.map(([one, value]) => `${one}=${value}`).join("&")}` : name;
}

function seated() {
  const training = byId("training").value;
  const limit = byId("limit").value;
  return { subject: address(), training: training === "" ? null : Number(training), limit: limit === "" ? null : Number(limit) };
}

// Visits

async function begin(description, seed = "", world = asked()) {
  const wanted = { ...world, description, seed, ...seated() };
  const begun = await attempt(() => post("/visits", wanted));
  if (begun) await shown(begun, wanted);
}

async function shown(begun, wanted) {
  if (!(await chooseWorldOf(wanted))) return;
  visit = { ...wanted, description: begun.about.description, seed: begun.state.seed, visit: begun.state.visit };
  keep();
  byId("gone").hidden = true;
  byId("seat").disabled = false;
  view.show(begun);
  offerSubjects(begun.about.subjects);
  editor.show(begun.about.description);
  byId("further").replaceChildren();
  editor.further?.(byId("further"), begun);
  byId("json").value = JSON.stringify(begun.about.description, null, 1);
  byId("visit-title").focus();
}

/** Another episode: another seed, or another subject. */
async function again(seed) {
  const wanted = { seed, ...seated() };
  const begun = await attempt(async () => {
    try {
      return await post(`/visits/${visit.visit}/episodes`, wanted);
    } catch (error) {
      if (error.status === 404) gone();
      throw error;
    }
  });
  if (begun) await shown(begun, { ...visit, ...wanted });
}

function gone() {
  byId("gone").hidden = false;
}

async function anew() {
  const { visit: _, ...wanted } = visit;
  const begun = await attempt(() => post("/visits", wanted));
  if (begun) await shown(begun, wanted);
}

/** The visit goes beside, and its environment is begun anew in its place. */
async function keepBeside() {
  const { visit: name, world, subject, seed } = visit;
  const title = [world, subject || t("hand"), `${t("seed")} ${seed}`].join(", ");
  await anew();
  if (visit.visit !== name) await view.beside.hold(name, title);
}

function keep() {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(visit));
  } catch {
    // A browser that keeps nothing, or an environment that is too large: the visit goes on all the same.
  }
}

/** A page that is opened again goes on with its visit. */
async function resume() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    kept = null;
  }
  await chooseWorld(kept?.world ?? data.worlds.find((one) => one.startsWith("lambda-v")) ?? data.worlds[0]);
  if (!kept?.visit) return;
  visit = kept;
  try {
    await shown(await get(`/visits/${kept.visit}`), kept);
    if (subjects.some((one) => one.name === kept.subject)) byId("subject").value = kept.subject;
    chooseSubject();
  } catch (error) {
    trouble(error);
    if (error.status === 404) gone();
  }
}

byId("world").replaceChildren(...data.worlds.map((one) => element("option", { value: one }, one)));
byId("world").addEventListener("change", () => chooseWorld(byId("world").value));
byId("preset").addEventListener("change", usePreset);
byId("parameter-fields").addEventListener("change", renew);
byId("generator").addEventListener("submit", (event) => {
  event.preventDefault();
  generate();
});
byId("file").addEventListener("change", () => load(byId("file").files[0]));
byId("use-json").addEventListener("click", () =>
  attempt(async () => {
    let description;
    try {
      description = JSON.parse(byId("json").value);
    } catch (error) {
      throw new Error(t("no_json", { why: error.message }));
    }
    await begin(description);
  }),
);
byId("subject").addEventListener("change", chooseSubject);
byId("seat").addEventListener("click", () => again(visit.seed));
byId("again").addEventListener("submit", (event) => {
  event.preventDefault();
  again(byId("seed").value.trim());
});
byId("another").addEventListener("click", () => again(""));
byId("anew").addEventListener("click", anew);
byId("beside").addEventListener("click", keepBeside);
// The buttons of a form that only a module can send are off until it is there to do so, and knows the world.
resume().then(() => {
  for (const button of document.querySelectorAll("#generator button, #again button")) button.disabled = false;
  document.documentElement.dataset.ready = "yes";
});
