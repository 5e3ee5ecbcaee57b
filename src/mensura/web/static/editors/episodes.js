// The form that has an episode of distributed constraints played; then the page of the episode.

const form = document.getElementById("play-episode");
const trouble = document.getElementById("play-trouble");
const asked = new URLSearchParams(location.search);
for (const name of ["preset", "set", "subject", "seed"]) if (asked.has(name)) form.elements[name].value = asked.get(name);

/** "n=500 md=4" as parameters; numbers, true and false are read as such. */
function parameters(text) {
  const found = {};
  for (const pair of text.split(/[\s,]+/).filter(Boolean)) {
    const [name, value = ""] = pair.split("=");
    try {
      found[name] = JSON.parse(value);
    } catch {
      found[name] = value;
    }
  }
  return found;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { preset, set, subject, seed, go } = form.elements;
  trouble.textContent = "";
  go.disabled = true;
  try {
    const answer = await fetch("/api/research/episodes", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ preset: preset.value, parameters: parameters(set.value), subject: subject.value, seed: seed.value.trim() }),
    });
    const data = await answer.json();
    if (answer.ok) {
      const query = new URLSearchParams({ preset: preset.value, set: set.value, subject: subject.value, seed: data.seed });
      location.assign(`/research/episodes/${data.name}?${query}`);
    } else trouble.textContent = data.error ?? String(answer.status);
  } catch {
    trouble.textContent = trouble.dataset.lost;
  }
  go.disabled = false;
});
