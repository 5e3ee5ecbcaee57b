// An episode of distributed constraints, stepped through turn by turn and letter by letter: the problem as a drawing,
// curves, the letter that is looked at with the reasons of who wrote it, and one agent from inside.
//
// A source has overview(), turns(first, count), letters(turn, first, count) and agent(seat, turn): what is embedded in
// a file that stands alone, or a server that is asked for as much as is shown.

const WORDS = {
  en: {
    start: "To the start",
    turn_back: "Back a turn",
    letter_back: "Back a letter",
    letter_on: "Next letter",
    turn_on: "Next turn",
    play: "Play",
    pause: "Pause",
    time: "Turn",
    drawing: "The problem after turn {turn}: {broken} constraints broken",
    before: "Before the first turn",
    status: "Turn {turn} of {turns}: {due} agents acted and wrote {letters} letters.",
    figures: "Cost {cost}, quality {quality}, {messages} messages so far, {broken} constraints broken.",
    ended: "The end: {why}.",
    letter: "Letter {number} of {count} of this turn",
    no_letter: "No letter is looked at.",
    none_written: "No letters were written at this turn.",
    from_to: "Agent {one} to agent {other}: {said}",
    why: "Why agent {agent} acted so",
    no_reason: "It told no reason.",
    unknown: "It is none of the built-in agents: only its letters are known.",
    too_many: "Agents are not looked into here, since there are too many for a file; the server shows them.",
    agent: "Agent",
    agent_name: "Agent {agent} ({name})",
    its_value: "Its values: {values}",
    its_neighbors: "Its neighbors and their values",
    neighbor: "agent",
    value: "value",
    broken_with: "broken",
    yes: "yes",
    no: "no",
    read: "Letters that it read at this turn",
    idle: "It did not act at this turn.",
    written: "Letters of this turn",
    more: "More letters",
    curves: "Cost, quality, messages and effort",
    cost: "cost",
    quality: "quality",
    messages: "messages",
    checks: "constraint checks",
    nogood_checks: "checks of nogoods",
    nccc: "non-concurrent checks",
    privacy_loss: "bits told of others",
    distance: "distance travelled",
    its_checks: "Its constraint checks so far: {count}",
    trouble: "The server cannot be reached, or has forgotten this episode: load the page again.",
    table_empty: "nothing",
  },
  es: {
    start: "Al principio",
    turn_back: "Un turno atrás",
    letter_back: "Una carta atrás",
    letter_on: "Carta siguiente",
    turn_on: "Turno siguiente",
    play: "Reproducir",
    pause: "Pausa",
    time: "Turno",
    drawing: "El problema tras el turno {turn}: {broken} restricciones incumplidas",
    before: "Antes del primer turno",
    status: "Turno {turn} de {turns}: actuaron {due} agentes y escribieron {letters} cartas.",
    figures: "Coste {cost}, calidad {quality}, {messages} mensajes hasta ahora, {broken} restricciones incumplidas.",
    ended: "Fin: {why}.",
    letter: "Carta {number} de {count} de este turno",
    no_letter: "No se mira ninguna carta.",
    none_written: "En este turno no se escribió ninguna carta.",
    from_to: "Del agente {one} al agente {other}: {said}",
    why: "Por qué el agente {agent} actuó así",
    no_reason: "No dio ninguna razón.",
    unknown: "No es uno de los agentes incluidos: solo se conocen sus cartas.",
    too_many: "Aquí no se mira dentro de los agentes: son demasiados para un fichero; el servidor los muestra.",
    agent: "Agente",
    agent_name: "Agente {agent} ({name})",
    its_value: "Sus valores: {values}",
    its_neighbors: "Sus vecinos y sus valores",
    neighbor: "agente",
    value: "valor",
    broken_with: "incumplida",
    yes: "sí",
    no: "no",
    read: "Cartas que leyó en este turno",
    idle: "No actuó en este turno.",
    written: "Cartas de este turno",
    more: "Más cartas",
    curves: "Coste, calidad, mensajes y esfuerzo",
    cost: "coste",
    quality: "calidad",
    messages: "mensajes",
    checks: "comprobaciones",
    nogood_checks: "comprobaciones de nogoods",
    nccc: "comprobaciones no concurrentes",
    privacy_loss: "bits revelados",
    distance: "distancia recorrida",
    its_checks: "Sus comprobaciones hasta ahora: {count}",
    trouble: "No se puede hablar con el servidor, o ha olvidado este episodio: recargue la página.",
    table_empty: "nada",
  },
};
const SERIES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const VIRIDIS = ["#440154", "#482878", "#3E4989", "#31688E", "#26828E", "#1F9E89", "#35B779", "#6ECE58", "#B5DE2B", "#FDE725"];
const BAD = "#D55E00";
const NAMED = 60; // so many agents have their values written on them
const PAGE = 40; // turns that are asked for at once
const LISTED = 50; // letters that are listed at once

const words = WORDS[document.documentElement.lang] ?? WORDS.en;
const t = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

function element(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside);
  return made;
}

const short = (value) => (Number.isInteger(value) ? String(value) : Number(value).toPrecision(3));

// Sources ---------------------------------------------------------------------------

/** What stands in the page. */
export class Embedded {
  constructor(data) {
    this.data = data;
  }
  overview() {
    return this.data.overview;
  }
  turns(first, count) {
    return this.data.turns.slice(first, first + count);
  }
  letters(turn, first, count) {
    return this.data.letters[turn].slice(first, first + count);
  }
  agent(seat, turn) {
    return this.data.agents?.[turn]?.[seat] ?? null;
  }
}

/** A server that keeps the episode. */
export class Asked {
  constructor(address) {
    this.address = address;
    this.kept = new Map();
  }
  async get(path) {
    if (this.kept.has(path)) return this.kept.get(path);
    const answer = await fetch(`${this.address}${path}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const data = await answer.json();
    if (this.kept.size > 400) this.kept.delete(this.kept.keys().next().value);
    this.kept.set(path, data);
    return data;
  }
  overview() {
    return this.get("");
  }
  turns(first, count) {
    return this.get(`/turns?first=${first}&count=${count}`);
  }
  letters(turn, first, count) {
    return this.get(`/turns/${turn}/letters?first=${first}&count=${count}`);
  }
  agent(seat, turn) {
    return this.get(`/turns/${turn}/agents/${seat}`);
  }
}

// The page ----------------------------------------------------------------------------

export class Episode {
  constructor(place, source) {
    this.place = place;
    this.source = source;
    this.turn = -1; // the turn that is looked at; -1 before the first
    this.letter = -1; // the letter of it; -1 none
    this.listed = LISTED;
    this.pages = new Map();
    this.playing = false;
  }

  async open() {
    this.over = await this.source.overview();
    this.values = [...this.over.values];
    this.broken = new Set(this.over.broken);
    this.own = this.over.agents.map(() => []);
    this.over.owners.forEach((agent, variable) => this.own[agent].push(variable));
    this.at = 0; // values and broken are those after so many turns
    this.chosen = 0;
    this.build();
    const asked = /^#(\d+)(?:\.(\d+))?$/.exec(location.hash);
    await this.go(asked ? Number(asked[1]) - 1 : Math.min(0, this.over.turns - 1), asked?.[2] ? Number(asked[2]) - 1 : -1);
  }

  build() {
    const button = (name, act, more = {}) => element("button", { type: "button", class: "plain", id: `episode-${name}`, onclick: () => this.guard(act), ...more }, t(name));
    this.canvas = element("canvas", { role: "img", tabindex: "0", class: "drawing" });
    this.canvas.addEventListener("click", (event) => this.guard(() => this.point(event)));
    this.plot = element("canvas", { role: "img", class: "curves", "aria-label": t("curves") });
    this.line = element("input", { type: "range", min: 0, max: this.over.turns, value: 0, class: "timeline", "aria-label": t("time") });
    this.line.addEventListener("input", () => this.guard(() => this.go(Number(this.line.value) - 1, -1)));
    this.status = element("p", { role: "status", class: "status" });
    this.trouble = element("p", { role: "alert", class: "warning" });
    this.reading = element("section", { class: "card" });
    this.list = element("section", { class: "card" });
    this.seat = element("input", { type: "number", min: 0, max: this.over.agents.length - 1, value: 0, id: "episode-agent" });
    this.seat.addEventListener("change", () => this.guard(() => this.choose(Number(this.seat.value))));
    this.agent = element("div");
    this.player = button("play", () => this.toggle(), { "aria-pressed": "false" });
    this.place.replaceChildren(
      element(
        "div",
        { class: "episode" },
        element(
          "div",
          { class: "card scene" },
          element("p", { class: "dim small" }, `${this.over.subject} · ${this.over.name}`),
          this.canvas,
          this.line,
          element(
            "div",
            { class: "controls", role: "group" },
            button("start", () => this.go(-1, -1)),
            button("turn_back", () => this.go(this.turn - 1, -1)),
            button("letter_back", () => this.stepLetter(-1)),
            button("letter_on", () => this.stepLetter(1)),
            button("turn_on", () => this.go(this.turn + 1, -1)),
            this.player,
          ),
          this.status,
          this.trouble,
          this.plot,
        ),
        element(
          "div",
          { class: "panels" },
          this.reading,
          element("section", { class: "card" }, element("div", { class: "field" }, element("label", { for: "episode-agent" }, t("agent")), this.seat), this.agent),
          this.list,
        ),
      ),
    );
    addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    addEventListener("keydown", (event) => {
      if (event.target.matches?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = { ArrowRight: () => this.stepLetter(1), ArrowLeft: () => this.stepLetter(-1), ArrowDown: () => this.go(this.turn + 1, -1), ArrowUp: () => this.go(this.turn - 1, -1) }[event.key];
      if (!act || event.target !== this.canvas) return;
      event.preventDefault();
      this.guard(act);
    });
  }

  /** One thing after the other; where the server is away, say so. */
  async guard(act) {
    this.work = (this.work ?? Promise.resolve()).then(async () => {
      try {
        await act();
        this.trouble.textContent = "";
      } catch {
        this.pause();
        this.trouble.textContent = t("trouble");
      }
    });
    await this.work;
  }

  // Forth and back

  async frame(turn) {
    const page = Math.floor(turn / PAGE);
    if (!this.pages.has(page)) {
      if (this.pages.size > 60) this.pages.delete(this.pages.keys().next().value);
      this.pages.set(page, await this.source.turns(page * PAGE, PAGE));
    }
    return this.pages.get(page)[turn - page * PAGE];
  }

  async go(turn, letter) {
    const wanted = Math.max(-1, Math.min(turn, this.over.turns - 1));
    while (this.at < wanted + 1) {
      const one = await this.frame(this.at);
      for (const [variable, , now] of one.values) this.values[variable] = now;
      for (const index of one.broken) this.broken.add(index);
      for (const index of one.mended) this.broken.delete(index);
      this.at += 1;
    }
    while (this.at > wanted + 1) {
      const one = await this.frame(this.at - 1);
      for (const [variable, before] of one.values) this.values[variable] = before;
      for (const index of one.broken) this.broken.delete(index);
      for (const index of one.mended) this.broken.add(index);
      this.at -= 1;
    }
    this.turn = wanted;
    this.now = wanted < 0 ? null : await this.frame(wanted);
    const count = this.now?.letters ?? 0;
    this.letter = letter === Infinity ? count - 1 : Math.min(letter, count - 1);
    this.listed = LISTED;
    await this.show();
  }

  /** To the letter before or after, over the ends of turns. */
  async stepLetter(way) {
    const next = this.letter + way;
    if (next >= 0 && next < (this.now?.letters ?? 0)) {
      this.letter = next;
      await this.show();
      return;
    }
    let turn = this.turn + way;
    while (turn >= 0 && turn < this.over.turns && (await this.frame(turn)).letters === 0) turn += way;
    await this.go(turn, way > 0 ? 0 : Infinity);
  }

  toggle() {
    if (this.playing) this.pause();
    else {
      this.playing = true;
      this.player.textContent = t("pause");
      this.player.setAttribute("aria-pressed", "true");
      this.tick();
    }
  }

  pause() {
    this.playing = false;
    this.player.textContent = t("play");
    this.player.setAttribute("aria-pressed", "false");
  }

  tick() {
    setTimeout(async () => {
      if (!this.playing) return;
      await this.guard(() => this.go(this.turn + 1, -1));
      if (this.turn >= this.over.turns - 1) this.pause();
      else this.tick();
    }, 500);
  }

  async choose(agent) {
    this.chosen = Math.max(0, Math.min(agent || 0, this.over.agents.length - 1));
    this.seat.value = this.chosen;
    await this.show();
  }

  // What is seen

  async show() {
    const looked = this.turn * 1e9 + this.letter;
    this.looked = looked;
    this.line.value = this.turn + 1;
    const { curves, turns, ended } = this.over;
    const at = this.turn + 1;
    const parts = this.now
      ? [t("status", { turn: at, turns, due: this.now.due, letters: this.now.letters })]
      : [t("before")];
    parts.push(t("figures", { cost: short(curves.cost[at]), quality: short(curves.quality[at]), messages: curves.messages[at], broken: this.broken.size }));
    if (at === turns && ended) parts.push(t("ended", { why: ended }));
    this.status.textContent = parts.join(" ");
    history.replaceState(null, "", `#${at}${this.letter >= 0 ? `.${this.letter + 1}` : ""}`);
    this.path = this.letter >= 0 ? (await this.source.letters(this.turn, this.letter, 1))[0] : null;
    this.canvas.setAttribute("aria-label", t("drawing", { turn: at, broken: this.broken.size }));
    this.draw();
    await this.showLetter();
    await this.showAgent();
    await this.showList();
  }

  async showLetter() {
    if (!this.path) {
      this.reading.replaceChildren(element("p", { class: "dim" }, this.now && !this.now.letters ? t("none_written") : t("no_letter")));
      return;
    }
    const [, one, other, said] = this.path;
    const who = await this.source.agent(one, this.turn);
    this.reading.replaceChildren(
      element("h2", {}, t("letter", { number: this.letter + 1, count: this.now.letters })),
      element("p", { class: "said" }, t("from_to", { one, other, said: said.length > 600 ? `${said.slice(0, 600)} …` : said })),
      ...this.reasons(who, one),
    );
  }

  reasons(who, agent) {
    const title = element("h3", {}, t("why", { agent }));
    if (who === null) return [element("p", { class: "dim" }, t("too_many"))];
    if (!who.known) return [element("p", { class: "dim" }, t("unknown"))];
    if (!who.reasons.length) return [title, element("p", { class: "dim" }, who.acted ? t("no_reason") : t("idle"))];
    return [title, element("ul", { class: "plain-list" }, ...who.reasons.map((one) => element("li", {}, one)))];
  }

  async showAgent() {
    const seat = this.chosen;
    const parts = [
      element("h2", {}, t("agent_name", { agent: seat, name: this.over.agents[seat] })),
      element("p", {}, t("its_value", { values: this.named(seat) })),
    ];
    const bad = new Set([...this.broken].filter((index) => this.over.scopes[index].includes(seat)).flatMap((index) => this.over.scopes[index]));
    const around = this.over.links.flatMap(([a, b]) => (a === seat ? [b] : b === seat ? [a] : []));
    parts.push(table(t("its_neighbors"), [t("neighbor"), t("value"), t("broken_with")], around.slice(0, 200).map((one) => [one, this.named(one), bad.has(one) ? t("yes") : t("no")])));
    const who = this.turn >= 0 ? await this.source.agent(seat, this.turn) : undefined;
    if (who !== undefined) {
      parts.push(...this.reasons(who, seat));
      if (who) parts.push(element("p", {}, t("its_checks", { count: who.checks })));
      for (const one of who?.tables ?? []) parts.push(table(one.name, one.columns, one.rows));
      if (who?.read?.length) parts.push(element("details", {}, element("summary", {}, t("read")), element("ul", { class: "letters" }, ...who.read.map((one) => element("li", {}, one)))));
    }
    this.agent.replaceChildren(...parts);
  }

  named(seat) {
    return this.own[seat]
      .map((variable) => (this.over.domains.length === 1 ? this.over.domains[0] : this.over.domains[variable])[this.values[variable]])
      .join(", ");
  }

  async showList() {
    if (!this.now?.letters) {
      this.list.hidden = true;
      return;
    }
    this.list.hidden = false;
    const letters = await this.source.letters(this.turn, 0, this.listed);
    const items = letters.map(([at, one, other, said]) => {
      const open = element("button", { type: "button", class: "quiet letter", "aria-current": at === this.letter ? "true" : null, onclick: () => this.guard(() => this.go(this.turn, at)) }, `${one} → ${other}  ${said.slice(0, 120)}`);
      return element("li", {}, open);
    });
    const more = this.now.letters > letters.length ? [element("button", { type: "button", class: "plain", onclick: () => this.guard(async () => { this.listed += LISTED; await this.showList(); }) }, t("more"))] : [];
    this.list.replaceChildren(element("h2", {}, `${t("written")} (${this.now.letters})`), element("ul", { class: "letters" }, ...items), ...more);
  }

  // The drawing

  color(agent) {
    const variable = this.own[agent][0];
    if (variable === undefined) return "#888888";
    const size = this.over.sizes[variable];
    const value = this.values[variable];
    if (size <= this.over.colors) return SERIES[value];
    return VIRIDIS[Math.round((value / (size - 1)) * (VIRIDIS.length - 1))];
  }

  sheet(canvas, high) {
    const wide = canvas.clientWidth || 600;
    const scale = window.devicePixelRatio || 1;
    canvas.style.height = `${high(wide)}px`;
    canvas.width = wide * scale;
    canvas.height = high(wide) * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(canvas);
    return { context, wide, tall: high(wide), ink: style.color, ground: style.getPropertyValue("--edge").trim() || "#888888" };
  }

  draw() {
    const page = this.sheet(this.canvas, (wide) => Math.min(wide, Math.max(320, innerHeight * 0.6)));
    this.page = page;
    this.spots = this.locate(page);
    ({ board: () => this.drawBoard(page), lattice: () => this.drawLattice(page), map: () => this.drawMap(page), graph: () => this.drawGraph(page) })[this.over.form]();
    this.drawPath(page);
    this.drawCurves();
  }

  /** Where each agent is on the canvas. */
  locate({ wide, tall }) {
    const { form, places, spots, agents } = this.over;
    const side = Math.min(wide, tall) - 40;
    const [left, top] = [(wide - side) / 2, (tall - side) / 2];
    if (form === "board") {
      const cell = side / agents.length;
      this.cell = cell;
      return agents.map((_, row) => [left + (this.values[row] + 0.5) * cell, top + (row + 0.5) * cell]);
    }
    if (form === "lattice") {
      const [xs, ys] = [spots.map((one) => one[0]), spots.map((one) => one[1])];
      const [low, high] = [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
      const span = Math.max(high[0] - low[0], high[1] - low[1], 1);
      this.cell = side / span;
      this.sites = spots.map(([x, y]) => [left + (x - low[0]) * this.cell, top + (y - low[1]) * this.cell]);
      return agents.map((_, one) => this.sites[this.values[one]]);
    }
    return places.map(([x, y]) => [left + x * side, top + y * side]);
  }

  linkedBy(index) {
    const scope = this.over.scopes[index];
    return scope.slice(1).map((one, at) => [scope[at], one]);
  }

  strokes(context, pairs, color, width, alpha = 1) {
    context.globalAlpha = alpha;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    for (const [one, other] of pairs) {
      context.moveTo(...this.spots[one]);
      context.lineTo(...this.spots[other]);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  drawGraph({ context, ground, ink }) {
    const { links, agents } = this.over;
    const few = agents.length <= NAMED;
    this.strokes(context, links, ground, 1, few ? 0.6 : Math.max(0.08, 0.5 - links.length / 10000));
    if (this.chosen !== null) this.strokes(context, links.filter((one) => one.includes(this.chosen)), ink, 1.5);
    this.strokes(context, [...this.broken].flatMap((index) => this.linkedBy(index)), BAD, few ? 3 : 1.5);
    const radius = few ? 13 : Math.max(2.5, 90 / Math.sqrt(agents.length));
    agents.forEach((_, one) => this.disc(context, one, radius, this.color(one), ink));
    if (few) agents.forEach((_, one) => this.write(context, this.named(one).slice(0, 5), this.spots[one], ink));
  }

  disc(context, one, radius, color, ink) {
    const [x, y] = this.spots[one];
    const few = this.over.agents.length <= NAMED && this.over.form === "graph";
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (few) {
      context.fillStyle = getComputedStyle(this.canvas).getPropertyValue("--card").trim() || "#ffffff";
      context.fill();
      context.globalAlpha = 0.4;
    }
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
    const chosen = one === this.chosen;
    if (few || chosen) {
      context.strokeStyle = chosen ? ink : color;
      context.lineWidth = chosen ? 3 : 2;
      context.stroke();
    }
  }

  write(context, text, [x, y], color) {
    context.fillStyle = color;
    context.font = `${text.length > 2 ? 10 : 13}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, x, y);
  }

  drawBoard({ context, wide, tall, ground, ink }) {
    const count = this.over.agents.length;
    const side = this.cell * count;
    const [left, top] = [(wide - side) / 2, (tall - side) / 2];
    context.globalAlpha = 0.3;
    context.fillStyle = ground;
    if (this.cell >= 4) for (let y = 0; y < count; y += 1) for (let x = (y + 1) % 2; x < count; x += 2) context.fillRect(left + x * this.cell, top + y * this.cell, this.cell, this.cell);
    context.globalAlpha = 1;
    context.strokeStyle = ground;
    context.strokeRect(left, top, side, side);
    this.strokes(context, [...this.broken].flatMap((index) => this.linkedBy(index)), BAD, 2);
    const bad = new Set([...this.broken].flatMap((index) => this.over.scopes[index]));
    this.over.agents.forEach((_, one) => this.disc(context, one, Math.max(1.5, this.cell * 0.33), bad.has(one) ? BAD : SERIES[0], ink));
  }

  drawLattice({ context, ground, ink }) {
    context.fillStyle = ground;
    for (const [x, y] of this.sites) context.fillRect(x - 1.5, y - 1.5, 3, 3);
    const chain = this.over.agents.slice(1).map((_, one) => [one, one + 1]);
    this.strokes(context, chain, ink, 3);
    const bad = new Set([...this.broken].flatMap((index) => this.over.scopes[index]));
    const radius = Math.min(14, this.cell * 0.3);
    this.over.agents.forEach((_, one) => {
      this.disc(context, one, radius, this.over.variables[one][0] === "H" ? SERIES[0] : "#999999", ink);
      if (bad.has(one)) {
        context.strokeStyle = BAD;
        context.lineWidth = 3;
        context.stroke();
      }
      if (radius > 7) this.write(context, String(one), this.spots[one], "#ffffff");
    });
  }

  drawMap({ context, ground, ink }) {
    this.strokes(context, this.over.links, ground, 1, 0.5);
    this.strokes(context, [...this.broken].flatMap((index) => this.linkedBy(index)), BAD, 2.5);
    const alone = new Set([...this.broken].filter((index) => this.over.scopes[index].length === 1).flatMap((index) => this.over.scopes[index]));
    const few = this.over.agents.length <= NAMED;
    const radius = few ? 9 : 4;
    this.over.agents.forEach((_, one) => {
      const color = alone.has(one) ? BAD : SERIES[0];
      const [dx, dy] = this.over.spots[this.values[this.own[one][0]]];
      const [x, y] = this.spots[one];
      this.arrow(context, [x, y], [x + dx * radius * 2.4, y + dy * radius * 2.4], color, 2);
      this.disc(context, one, radius, color, ink);
      if (few) this.write(context, String(one), this.spots[one], "#ffffff");
    });
  }

  arrow(context, from, to, color, width) {
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
    context.beginPath();
    context.moveTo(...to);
    for (const turn of [2.7, -2.7]) context.lineTo(to[0] + 9 * Math.cos(angle + turn), to[1] + 9 * Math.sin(angle + turn));
    context.fill();
  }

  /** The letter that is looked at, as an arrow from its writer to its reader. */
  drawPath({ context, ink }) {
    if (!this.path) return;
    const [, one, other] = this.path;
    const [from, to] = [this.spots[one], this.spots[other]];
    const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const rest = Math.max(0, long - 14) / long;
    this.arrow(context, from, [from[0] + (to[0] - from[0]) * rest, from[1] + (to[1] - from[1]) * rest], ink, 3);
  }

  drawCurves() {
    const names = Object.keys(this.over.curves);
    const across = (wide) => (wide < 560 ? 2 : 4);
    const { context, wide, tall, ground, ink } = this.sheet(this.plot, (wide) => 120 * Math.ceil(names.length / across(wide)));
    const count = this.over.turns;
    const part = wide / across(wide);
    names.forEach((name, at) => {
      const values = this.over.curves[name];
      const [column, top] = [at % across(wide), 120 * Math.floor(at / across(wide))];
      const [left, right] = [column * part + 6, (column + 1) * part - 10];
      const [low, high] = [Math.min(0, ...values.slice(0, 10000)), Math.max(...values.slice(0, 10000), 1e-9)];
      const x = (turn) => left + (count ? (turn / count) * (right - left) : 0);
      const y = (value) => top + 104 - ((value - low) / (high - low || 1)) * 80;
      context.strokeStyle = ground;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(left, top + 104);
      context.lineTo(right, top + 104);
      context.moveTo(x(this.turn + 1), top + 20);
      context.lineTo(x(this.turn + 1), top + 104);
      context.stroke();
      context.strokeStyle = SERIES[at % SERIES.length];
      context.lineWidth = 2;
      context.beginPath();
      const step = Math.max(1, Math.floor(values.length / 800));
      for (let i = 0; i < values.length; i += step) context.lineTo(x(i), y(values[i]));
      context.lineTo(x(values.length - 1), y(values.at(-1)));
      context.stroke();
      context.fillStyle = ink;
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "left";
      context.textBaseline = "top";
      context.fillText(`${t(name)} ${short(values[this.turn + 1])}`, left, top + 2, right - left);
    });
    this.plot.setAttribute("aria-label", names.map((name) => `${t(name)} ${short(this.over.curves[name][this.turn + 1])}`).join(", "));
    return tall;
  }

  async point(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    let best = [Infinity, 0];
    this.spots.forEach(([x, y], one) => {
      const far = Math.hypot(x - at[0], y - at[1]);
      if (far < best[0]) best = [far, one];
    });
    if (best[0] < 24) await this.choose(best[1]);
  }
}

function table(name, columns, rows) {
  const shown = rows.length
    ? element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
        element(
          "table",
          {},
          element("thead", {}, element("tr", {}, ...columns.map((one) => element("th", { scope: "col" }, one)))),
          element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((value) => element("td", {}, value === null ? "" : String(value)))))),
        ),
      )
    : element("p", { class: "dim" }, t("table_empty"));
  return element("div", { class: "kept" }, element("h3", {}, name), shown);
}

/** Show the episode that stands in the page, or that the page names. */
export async function openPage() {
  const place = document.getElementById("episode");
  const data = document.getElementById("episode-data");
  const source = data ? new Embedded(JSON.parse(data.textContent)) : new Asked(place.dataset.address);
  const episode = new Episode(place, source);
  try {
    await episode.open();
  } catch {
    place.append(element("p", { class: "warning", role: "alert" }, t("trouble")));
  }
  return episode;
}

if (document.getElementById("episode")) openPage();
