// Moves of symbols between cells: from where each was to where it is. Nobody waits for them, and who prefers none sees none.

const MILLISECONDS = 200;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Where every symbol of a board is now, by name. */
export function places(board) {
  const found = new Map();
  for (const symbol of board.querySelectorAll("[data-symbol]")) found.set(symbol.dataset.symbol, symbol.getBoundingClientRect());
  return found;
}

/** Let the symbols of a board come from where they were. */
export function move(board, before) {
  if (still.matches) return;
  for (const symbol of board.querySelectorAll("[data-symbol]")) {
    const from = before.get(symbol.dataset.symbol);
    if (!from) continue;
    const to = symbol.getBoundingClientRect();
    const [x, y] = [from.left - to.left, from.top - to.top];
    if (!x && !y) continue;
    symbol.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: MILLISECONDS, easing: "ease-out" });
  }
}
