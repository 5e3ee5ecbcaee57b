// A second visit beside the first: it goes forth and back together with it, by its own subject.

import { get, post } from "./api.js";
import { attempt, byId, number, t } from "./page.js";

export class Beside {
  constructor() {
    this.state = null;
    byId("drop").addEventListener("click", () => this.drop());
  }

  get there() {
    return this.state !== null;
  }

  /** Hold a visit, at its beginning. */
  async hold(visit, title) {
    const state = await attempt(() => post(`/visits/${visit}/back`, { to: 0 }));
    if (!state) return;
    this.state = state;
    byId("other-title").textContent = title;
    byId("other").hidden = false;
    this.show();
  }

  drop() {
    this.state = null;
    byId("other").hidden = true;
  }

  /** Come to where the other one is. */
  async follow(interaction) {
    if (!this.there) return;
    try {
      const { visit, interaction: here } = this.state;
      if (interaction < here) this.state = await post(`/visits/${visit}/back`, { to: interaction });
      while (this.there && this.state.interaction < interaction && !this.state.ended) {
        const count = Math.min(interaction - this.state.interaction, 1000);
        this.state = await post(`/visits/${visit}/steps`, { count, after: this.state.interaction });
      }
    } catch (error) {
      if (error.status === 404) return this.drop();
      if (error.status === 409) this.state = (await get(`/visits/${this.state.visit}`)).state;
      else throw error;
    }
    if (this.there) this.show();
  }

  show() {
    const { svg, interaction, horizon, seats, ended } = this.state;
    const read = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    byId("other-picture").replaceChildren(document.importNode(read, true));
    for (const shape of byId("other-picture").querySelectorAll("[data-action]")) shape.removeAttribute("tabindex"); // only to look at
    const total = seats.reduce((sum, one) => sum + one.total, 0);
    const parts = [t("interaction", { number: interaction, count: horizon ?? "∞" }), t("total_so_far", { total: number(total) })];
    if (ended) parts.push(t(`ended.${ended}`));
    byId("other-status").textContent = parts.join(" ");
  }
}
