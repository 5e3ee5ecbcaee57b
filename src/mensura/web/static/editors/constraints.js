// The editor of distributed constraints: a field for each part, and the way to the letters of the episode.

import PlainEditor from "../research/plain_editor.js";
import { post } from "../research/api.js";
import { attempt, button, element, t } from "../research/page.js";

export default class ConstraintsEditor extends PlainEditor {
  /** The page on which all letters of this very episode can be stepped through, agents from inside. */
  further(place, { state, about }) {
    const open = async () => {
      const { subject, seed } = state;
      const wanted = { description: about.description, subject, seed };
      const played = subject ? await attempt(() => post("/episodes", wanted)) : null;
      if (played) location.assign(`/research/episodes/${played.name}`);
      else if (!subject) location.assign("/research/episodes");
    };
    const leading = button(t("letters_open"), open);
    leading.id = "letters";
    place.append(element("h3", {}, t("letters")), element("p", {}, t("letters_about")), leading);
  }
}
