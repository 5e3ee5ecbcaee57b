// A board of cells: what stands on each, which can be reached, and what a screen reader says of them.

import { move, places } from "./motion.js";
import { drawSymbol } from "./shapes.js";

/** Show a view of cells on a board whose children are the cells; ``text`` gives words, ``newCell`` makes a cell. */
export function showBoard(board, view, text, newCell) {
  const before = places(board);
  while (board.children.length > view.cells) board.lastChild.remove();
  while (board.children.length < view.cells) board.append(newCell(board.children.length));
  board.style.setProperty("--count", view.cells || 1);
  for (const [number, cell] of [...board.children].entries()) showCell(cell, number, view, text);
  if (before.size) move(board, before);
}

function showCell(cell, number, view, text) {
  const reachable = view.reachable.includes(number);
  const there = view.others.filter(([, other]) => other === number).map(([symbol]) => symbol);
  const you = view.you === number;
  cell.className = `cell color-${view.colors[number]}${reachable ? " reachable" : ""}${you ? " here" : ""}`;
  if (reachable) cell.removeAttribute("aria-disabled");
  else cell.setAttribute("aria-disabled", "true");
  const parts = [
    text("cell", { number: number + 1, count: view.cells }),
    ...(you ? [text("you")] : []),
    ...there.map((symbol) => text(symbol)),
    ...(reachable ? [text("reachable")] : []),
  ];
  cell.setAttribute("aria-label", parts.join(", "));
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = String(number + 1);
  cell.replaceChildren(name, ...(you ? [drawSymbol("you")] : []), ...there.map(drawSymbol));
}
