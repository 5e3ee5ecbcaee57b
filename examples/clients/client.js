// A random agent that speaks Mensura's protocol, with Node alone.
//
//     mensura assess "cmd:node client.js"      it talks over its standard streams
//     node client.js listen 7001               it listens:     mensura assess tcp://127.0.0.1:7001
//     node client.js connect 7001 TOKEN        it connects:    mensura assess --listen 7001 --token TOKEN
const net = require("net"), readline = require("readline");

// Numbers from 0 to 1, the same ones for the same seed (Lehmer, 1951), so that a run can be repeated.
const dice = (seed) => () => ((seed = (seed * 48271) % 2147483647) - 1) / 2147483646;

// An action, drawn evenly; bounds may be the words Infinity and -Infinity.
function sample(space, random) {
  if (space.kind === "discrete") return space.start + Math.floor(random() * space.n);
  if (space.kind === "record")
    return Object.fromEntries(Object.entries(space.fields).map(([name, box]) => [name, sample(box, random)]));
  if (space.shape.length)
    return Array.from({ length: space.shape[0] }, () => sample({ ...space, shape: space.shape.slice(1) }, random));
  const low = Math.max(Number(space.low), -1), high = Math.min(Number(space.high), 1);
  return low + random() * (high - low);
}

// Answer each ask in turn until the sitting is over.
function serve(input, output) {
  const spaces = {};
  const lines = readline.createInterface({ input });
  lines.on("error", () => {}); // whoever asked is gone
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    let value = null;
    if (message.ask === "error") {
      console.error(message.error);
      process.exit(1);
    } else if (message.ask === "hello") value = { version: 1 };
    else if (message.ask === "begin")
      spaces[message.seat] = [message.task.action_space, dice(1 + (message.seed % 2147483646))];
    else if (message.ask === "act") value = sample(...spaces[message.seat]);
    output.write(JSON.stringify({ id: message.id, value }) + "\n");
  });
}

// Once for each sitting, until nobody listens any more.
function connect(port, token) {
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true }, () => {
    socket.write(JSON.stringify({ version: 1, token }) + "\n");
    serve(socket, socket);
  });
  let refused = false;
  socket.on("error", (error) => (refused = error.code === "ECONNREFUSED"));
  socket.on("close", () => refused || connect(port, token));
}

const [how = "streams", port, token = ""] = process.argv.slice(2);
if (how === "streams") serve(process.stdin, process.stdout);
if (how === "connect") connect(Number(port), token);
if (how === "listen")
  net.createServer({ noDelay: true }, (socket) => {
      socket.on("error", () => {});
      serve(socket, socket);
    }).listen(Number(port), "127.0.0.1");
