// The clock of an exercise and of the test: counts down from what the server told, and says when time is over.

const HURRY = 10; // seconds before the end at which a screen reader is told

function minutes(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export class Clock {
  constructor(place, announced, text, over) {
    Object.assign(this, { place, announced, text, over });
    this.ends = [];
    this.timer = 0;
    this.hurried = false;
  }

  // What is left of the exercise and of the test, in seconds; null where there is no limit.
  show(exercise, test) {
    const now = performance.now() / 1000;
    this.ends = [
      ["time_exercise", exercise],
      ["time_test", test],
    ].flatMap(([name, left]) => (left === null ? [] : [[name, now + left]]));
    this.hurried = false;
    clearInterval(this.timer);
    if (this.ends.length) this.timer = setInterval(() => this.tick(), 250);
    this.tick();
  }

  tick() {
    const now = performance.now() / 1000;
    this.place.hidden = !this.ends.length;
    this.place.textContent = this.ends.map(([name, end]) => this.text(name, { time: minutes(end - now) })).join(" · ");
    if (!this.ends.length) return;
    const left = Math.min(...this.ends.map(([, end]) => end)) - now;
    if (left <= HURRY && left > 0 && !this.hurried) {
      this.hurried = true;
      this.announced.textContent = this.place.textContent;
    }
    if (left <= 0) {
      clearInterval(this.timer);
      this.over();
    }
  }
}
