// What the browser tells of itself: kind of device, size of the page, what one acts with, how often one looks away.

const page = [...crypto.getRandomValues(new Uint8Array(12))].map((one) => one.toString(16).padStart(2, "0")).join("");

let losses = 0;
let input = "";

function device() {
  if (!matchMedia("(pointer: coarse)").matches) return "desktop";
  return Math.min(screen.width, screen.height) < 600 ? "phone" : "tablet";
}

// The count so far is sent each time, so that a message that is lost costs nothing.
export function watchDevice(api) {
  const tell = () => {
    const viewport = `${Math.round(innerWidth)}x${Math.round(innerHeight)}`;
    const body = JSON.stringify({ page, focus_losses: losses, device: device(), viewport, input });
    const headers = { "content-type": "application/json" };
    fetch(`${api}/device`, { method: "POST", headers, body, keepalive: true }).catch(() => {});
  };
  let away = false;
  const leave = () => {
    if (away) return; // hiding a page takes its focus, too
    away = true;
    losses += 1;
    tell();
  };
  const acted = (kind) => {
    if (!["mouse", "touch", "pen", "keyboard"].includes(kind) || input === kind) return;
    input = kind;
    tell();
  };
  addEventListener("blur", leave);
  addEventListener("focus", () => (away = false));
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : (away = false)));
  document.addEventListener("pointerup", (event) => acted(event.pointerType));
  document.addEventListener("keydown", () => acted("keyboard"));
  tell();
}
