// Follows what a server tells of a room: by a stream of events, and by asking how things are where that was cut off.

const LONGEST_WAIT = 5000; // ms

// A stream ends after a while, and when the server does: look how things are, and listen again.
// `isOver` says whether what is shown is the end.
export function follow({ api, home, event, show, isOver, trouble, lost }) {
  let source = null;

  function listen() {
    source?.close();
    source = new EventSource(`${api}/events`);
    source.addEventListener(event, (told) => {
      trouble.textContent = "";
      show(JSON.parse(told.data));
      if (isOver()) source.close();
    });
    source.addEventListener("error", () => {
      source.close();
      if (!isOver()) look();
    });
  }

  async function look() {
    for (let wait = 300; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const answer = await fetch(`${api}/state`, { cache: "no-store" });
        if (answer.ok) {
          show(await answer.json());
          trouble.textContent = "";
          if (!isOver()) listen();
          return;
        }
        if (answer.status < 500 && answer.status !== 429) return location.replace(home);
      } catch {
        // the server is away for a moment
      }
      trouble.textContent = lost;
      await new Promise((done) => setTimeout(done, wait));
    }
  }

  look();
}
