// A conversation: shows what the participant's seat is told, sends what they do, and listens. All texts of others are
// put into the page as text, never as markup.

import { Clock } from "./clock.js";
import { watchDevice } from "./device.js";
import { follow } from "./follow.js";

const at = (id) => document.getElementById(id);
const texts = JSON.parse(at("texts").textContent);
const code = encodeURIComponent(at("talk").dataset.code);
const home = `/p/${code}`;
const api = `/api/talks/${code}`;

const text = (name, values = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

watchDevice(`/api/participants/${code}`);

let view = null; // what is shown
let deciding = false; // whether the judge wants to decide before the time is over
let round = 1; // of the conversation, as the page shows it
const drawn = new Map(); // by channel: what is in the page
const clock = new Clock(at("clock"), at("announced"), text, () => {});

const isOver = (state) => ["void", "alone", "replaced"].includes(state?.phase);

// Doing ----------------------------------------------------------------------------

const drawId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, "0")).join("");

// What is sent may be sent again and again: the server takes it once.
async function send(action) {
  const body = JSON.stringify({ id: drawId(), action });
  for (let wait = 300; ; wait = Math.min(2 * wait, 5000)) {
    try {
      const answer = await fetch(`${api}/doings`, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (answer.ok) {
        at("trouble").textContent = "";
        show(await answer.json());
        return true;
      }
      if (answer.status < 500 && answer.status !== 429) {
        at("trouble").textContent = (await answer.json()).error ?? text("lost");
        return false;
      }
    } catch {
      // the server is away for a moment
    }
    at("trouble").textContent = text("lost");
    await new Promise((done) => setTimeout(done, wait));
  }
}

const record = (kind, more = {}) => ({ kind, channel: "", text: "", choice: "", value: 50, ...more });

// Showing --------------------------------------------------------------------------

function show(state) {
  const before = view;
  if (before?.life && before.life === state.life && state.version < before.version) return;
  view = state;
  const page = state.page ?? null;
  if (page?.round && page.round !== round) {
    round = page.round;
    deciding = false;
    asked = "";
  }
  at("heading").textContent = page ? text(`role_${page.role}`) : text(state.phase === "lobby" ? "waiting_room" : "title");
  at("part").textContent = page ? part(page) : "";
  const told = whatNow(state, page);
  if (told !== at("told").textContent) {
    at("told").textContent = told;
    at("announced").textContent = told;
  }
  clock.show(page && state.seconds !== null ? state.seconds : null, null);
  showChannels(page);
  showJury(page);
  showVerdict(page);
  at("trait").hidden = !(state.phase === "lobby" && state.trait && !state.told);
  if (state.trait) at("trait-asked").textContent = text("trait_asked", { trait: state.trait });
  const over = page?.phase === "over";
  at("truth").hidden = !over;
  at("who").textContent = over ? [page.label ? text("you_were", { label: page.label }) : "", page.truth, verdictOf(page)].filter(Boolean).join(" ") : "";
  at("go").hidden = !(isOver(state) || over);
  at("early").hidden = !(page?.role === "judge" && page.phase === "talk" && !deciding);
  at("report").hidden = !page || over;
}

function part(page) {
  if (page.role === "absent") return "";
  if (page.role === "witness") {
    if (page.trait) return text(page.pretends ? "part_pretends" : "part_has", { trait: page.trait });
    return text("part_witness");
  }
  const kind = page.channels.length === 1 ? "alone" : page.trait ? "trait" : "two";
  return text(`part_judge_${kind}`, { trait: page.trait, jurors: page.jurors ?? 1 });
}

function whatNow(state, page) {
  if (!page) {
    if (state.phase === "lobby") return text("here", { minutes: Math.max(1, Math.ceil(state.seconds / 60)) });
    if (state.phase === "void") return text(`void_${state.why}`);
    return text(state.phase);
  }
  if (page.phase === "over") return text("over");
  if (page.role === "witness") {
    if (page.phase === "closed") return text("closed");
    return page.messages.length ? "" : text("first_judge");
  }
  if (page.phase === "talk") return page.role === "juror" && !page.asks ? text("other_asks") : view.seconds === null ? text("ask_first") : page.rounds > 1 ? text("round", { round: page.round, rounds: page.rounds }) : "";
  if (page.voted) return text("voted");
  return text(page.phase.replace(" ", "_"));
}

function verdictOf(page) {
  if (page.verdict === undefined || page.verdict === null) return "";
  if (page.void) return text("was_void");
  return page.verdict ? text("decided", { choice: choiceName(page.verdict) }) : text("undecided");
}

const choiceName = (choice) => (choice in texts ? texts[choice] : text("witness", { label: choice }));

function showChannels(page) {
  const labels = !page || page.role === "absent" ? [] : page.role === "witness" ? [""] : page.channels;
  for (const [label, one] of drawn) {
    if (!labels.includes(label)) {
      one.section.remove();
      drawn.delete(label);
    }
  }
  for (const label of labels) {
    if (!drawn.has(label)) drawn.set(label, makeChannel(label, page));
    fillChannel(drawn.get(label), label, page);
  }
}

function element(kind, given = {}, ...inside) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(given)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
}

// What an end of a slider means.
const end = (page, person) => text(page.trait ? (person ? "surely_has" : "surely_pretends") : person ? "surely_person" : "surely_machine", { trait: page.trait });

function makeChannel(label, page) {
  const id = `channel-${label || "own"}`;
  const title = element("h2", { id: `${id}-title`, textContent: label ? text("witness", { label }) : text("judge") });
  const log = element("div", { id: `${id}-log`, className: "log", role: "log", tabIndex: 0 });
  log.setAttribute("aria-labelledby", title.id);
  const input = element("input", { id: `${id}-text`, type: "text", autocomplete: "off", maxLength: page.longest });
  const form = element("form", { className: "say" });
  form.append(
    element("label", { htmlFor: input.id, textContent: label ? text("to_witness", { label }) : text("to_judge") }),
    element("div", { className: "row" }, input, element("button", { type: "submit", textContent: text("send") })),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = input.value.trim();
    if (!said || input.disabled) return;
    input.value = "";
    const taken = await send(label ? record("say", { channel: label, text: said }) : said);
    if (!taken) input.value = said;
    input.focus();
  });
  const section = element("section", { className: "card channel" }, title, log, form);
  section.setAttribute("aria-labelledby", title.id);
  const made = { section, log, input, form, shown: new Map(), slider: null };
  if (label) {
    const slider = element("input", { id: `${id}-slider`, type: "range", min: 0, max: 100, step: 1, value: 50 });
    slider.addEventListener("change", () => send(record("slider", { channel: label, value: Number(slider.value) })));
    made.slider = slider;
    section.insertBefore(
      element(
        "div",
        { className: "slider" },
        element("label", { htmlFor: slider.id, textContent: text("slider", { label }) }),
        slider,
        element("div", { className: "ends" }, element("span", { textContent: end(page, false) }), element("span", { textContent: end(page, true) })),
      ),
      form,
    );
  }
  at("channels").append(section);
  return made;
}

function fillChannel(one, label, page) {
  const own = label ? page.messages.filter((message) => message.channel === label) : page.messages;
  fillLog(one, own, page, (message) => (message.mine ? "" : label ? text("witness", { label }) : ""));
  const waiting = one.log.querySelector(".waiting");
  waiting?.remove();
  if (page.on_the_way && (!label || one.input === last || !last)) {
    one.log.append(element("div", { className: "mine waiting", textContent: page.on_the_way }, element("span", { className: "who", textContent: text("on_the_way") })));
    one.log.scrollTop = one.log.scrollHeight;
  }
  const talking = page.phase === "talk";
  one.form.hidden = !talking || (page.role === "juror" && !page.asks);
  one.input.disabled = !page.says;
  one.form.querySelector("button").disabled = !page.says;
  if (one.slider) {
    if (document.activeElement !== one.slider) one.slider.value = page.sliders[label];
    one.slider.disabled = page.phase === "over";
    one.slider.setAttribute("aria-valuetext", one.slider.value < 50 ? end(page, false) : one.slider.value > 50 ? end(page, true) : text("middle"));
  }
}

let last = null; // the field in which something was written last
document.addEventListener("input", (event) => {
  if (event.target.closest?.(".channel")) last = event.target;
});

function fillLog(one, messages, page, name) {
  let added = false;
  for (const message of messages) {
    const known = one.shown.get(message.number);
    if (known) {
      mark(known, message, page);
      continue;
    }
    const item = element("div", { className: message.mine ? "mine" : "" });
    const who = message.mine ? text("you") : message.author ? jurorName(message.author) : name(message);
    if (who) item.append(element("span", { className: "who", textContent: who }));
    item.append(element("span", { textContent: message.text || text("held_back") }));
    one.shown.set(message.number, item);
    one.log.append(item);
    mark(item, message, page);
    added = true;
  }
  if (added) one.log.scrollTop = one.log.scrollHeight;
}

const jurorName = (author) => text("juror_number", { number: author.replace(/\D/g, "") });

// A judge may mark a message of a witness as one that gives it away.
function mark(item, message, page) {
  if (!("marks" in page) || message.mine || message.author || message.channel === "J") return;
  const marked = page.marks.includes(message.number);
  item.classList.toggle("marked", marked);
  let button = item.querySelector("button");
  if (!button) {
    button = element("button", { type: "button", className: "plain mark" });
    button.addEventListener("click", () => send(record("mark", { value: message.number })));
    item.append(button);
  }
  button.textContent = text(marked ? "marked" : "mark");
  button.disabled = marked || page.phase === "over";
}

const jury = { log: at("jury-log"), shown: new Map() };

function showJury(page) {
  const has = page?.role === "juror" && page.phase !== "talk" && page.phase !== "vote";
  at("jury").hidden = !has;
  if (!has) return;
  fillLog(jury, page.messages.filter((one) => one.channel === "J"), page, () => "");
  const open = page.phase === "deliberate";
  at("jury-form").hidden = !open || !page.says;
  at("ready").hidden = !open;
  at("ready").disabled = page.ready;
  at("jury-text").maxLength = page.longest;
}

at("jury-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = at("jury-text").value.trim();
  if (!said) return;
  at("jury-text").value = "";
  if (!(await send(record("say", { channel: "J", text: said })))) at("jury-text").value = said;
});
at("ready").addEventListener("click", () => send(record("silence")));

let asked = ""; // for which vote the form is shown

function showVerdict(page) {
  const votes = page && ["vote", "second vote"].includes(page.phase) && !page.voted;
  const early = page?.role === "judge" && page.phase === "talk" && deciding;
  at("verdict").hidden = !(votes || early);
  if (!votes && !early) return;
  const now = `${page.phase} ${page.choices}`;
  if (asked !== now) {
    asked = now;
    at("asked").textContent = text(page.trait ? "which_trait" : page.choices.length === 2 && page.channels.length === 1 ? "which_alone" : "which", { trait: page.trait });
    at("choices").replaceChildren(
      ...[...page.choices, ""].map((choice, i) =>
        element("label", {}, element("input", { type: "radio", name: "choice", value: choice, required: true, id: `choice-${i}` }), choice ? choiceName(choice) : text("cannot_tell")),
      ),
    );
  }
  const chosen = at("decisive").value;
  const messages = page.messages.filter((one) => !one.mine && !one.author && one.channel !== "J");
  at("decisive").replaceChildren(
    element("option", { value: "", textContent: text("no_decisive") }),
    ...messages.map((one) => element("option", { value: one.number, textContent: `${one.channel}: ${one.text}`.slice(0, 90) })),
  );
  at("decisive").value = chosen;
}

at("confidence").addEventListener("input", () => {
  at("confidence-now").textContent = at("confidence").value;
});
at("early").addEventListener("click", () => {
  deciding = true;
  show(view);
  at("verdict").querySelector("input").focus();
});
at("verdict").addEventListener("submit", async (event) => {
  event.preventDefault();
  const chosen = at("choices").querySelector("input:checked");
  if (!chosen) return;
  const button = at("verdict").querySelector("button[type=submit]");
  button.disabled = true;
  const decisive = at("decisive").value;
  if (decisive !== "" && !view.page.marks.includes(Number(decisive))) await send(record("mark", { value: Number(decisive) }));
  const why = `${at("reason").value}: ${at("why").value.trim()}`.slice(0, view.page.longest);
  await send(record("verdict", { choice: chosen.value, value: Number(at("confidence").value), text: why }));
  button.disabled = false;
});
for (const [id, has] of [["trait-yes", true], ["trait-no", false]]) {
  at(id).addEventListener("click", async () => {
    try {
      const answer = await fetch(`${api}/trait`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ has }) });
      if (answer.ok) show(await answer.json());
    } catch {
      at("trouble").textContent = text("lost");
    }
  });
}
at("report-send").addEventListener("click", async () => {
  at("report-send").disabled = true;
  try {
    await fetch(`${api}/report`, { method: "POST" });
  } catch {
    at("trouble").textContent = text("lost");
  }
  at("report-send").disabled = false;
});
at("go").addEventListener("click", async () => {
  let there = view.phase === "void" ? `${home}/exercises` : home;
  if (view.page?.phase === "over") {
    try {
      const answer = await fetch(`${api}/next`, { method: "POST" });
      if (answer.ok && (await answer.json()).more) there = `${home}/exercises`;
    } catch {
      at("trouble").textContent = text("lost");
      return;
    }
  }
  location.assign(there);
});

follow({ api, home, event: "talk", show, isOver: () => isOver(view), trouble: at("trouble"), lost: text("lost") });
