// Sounds of rewards, for those who switch them on: short tones made here. Whether they are on is kept in this browser.

const KEY = "mensura-sounds";
const TONES = { 1: [523, 784], 0: [392], "-1": [262, 196] };
const SECONDS = 0.11;

let context = null;

function kept() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false; // a browser that keeps nothing
  }
}

export class Sounds {
  constructor(button, text) {
    this.on = kept();
    this.button = button;
    this.text = text;
    button.hidden = !("AudioContext" in window);
    button.addEventListener("click", () => this.toggle());
    this.show();
  }

  toggle() {
    this.on = !this.on;
    try {
      localStorage.setItem(KEY, this.on ? "on" : "off");
    } catch {
      // then it holds for this page
    }
    this.show();
    if (this.on) this.play(1);
  }

  show() {
    this.button.setAttribute("aria-pressed", String(this.on));
    this.button.textContent = this.text(this.on ? "sounds_on" : "sounds_off");
  }

  /** The sound of a reward: rising, level or falling. */
  play(sign) {
    if (!this.on || sign === null) return;
    context ??= new AudioContext();
    for (const [at, tone] of TONES[sign].entries()) {
      const begin = context.currentTime + at * SECONDS;
      const oscillator = new OscillatorNode(context, { type: "sine", frequency: tone });
      const loudness = new GainNode(context, { gain: 0 });
      loudness.gain.setValueAtTime(0, begin);
      loudness.gain.linearRampToValueAtTime(0.12, begin + 0.015);
      loudness.gain.linearRampToValueAtTime(0, begin + SECONDS);
      oscillator.connect(loudness).connect(context.destination);
      oscillator.start(begin);
      oscillator.stop(begin + SECONDS);
    }
  }
}
