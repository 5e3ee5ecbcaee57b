// The editor of distributed constraints: a field for each part, and the way to the letters of the episode.

import PlainEditor from "../research/plain_editor.js";
import { element, t } from "../research/page.js";

export default class ConstraintsEditor extends PlainEditor {
  /** The page on which all letters of an episode can be stepped through, agents from inside. */
  further(place, { about }) {
    const { family, task } = about.description;
    const query = new URLSearchParams(task ? {} : { preset: family });
    place.append(
      element("h3", {}, t("letters")),
      element("p", {}, t("letters_about")),
      element("p", {}, element("a", { href: `/research/episodes?${query}`, class: "button plain", id: "letters" }, t("letters_open"))),
    );
  }
}
