"""A random agent that speaks Mensura's protocol, with the standard library of Python alone.

mensura assess "cmd:python3 client.py"       it talks over its standard streams
python3 client.py listen 7001                it listens:     mensura assess tcp://127.0.0.1:7001
python3 client.py connect 7001 TOKEN         it connects:    mensura assess --listen 7001 --token TOKEN
"""

import json
import random  # noqa: TID251
import socket
import sys
import threading


def sample(space, rng):
    """An action, drawn evenly; bounds may be the words Infinity and -Infinity."""
    if space["kind"] == "discrete":
        return space["start"] + rng.randrange(space["n"])
    if space["kind"] == "record":
        return {name: sample(box, rng) for name, box in space["fields"].items()}
    for length in space["shape"]:
        return [sample({**space, "shape": space["shape"][1:]}, rng) for _ in range(length)]
    return rng.uniform(max(float(space["low"]), -1.0), min(float(space["high"]), 1.0))


def serve(asks, answers):
    """Answer each ask in turn until the sitting is over."""
    spaces, rngs = {}, {}
    for line in asks:
        message = json.loads(line)
        ask, seat = message["ask"], message.get("seat")
        value = {"version": 1} if ask == "hello" else None
        if ask == "error":
            sys.exit(message["error"])
        if ask == "begin":
            spaces[seat] = message["task"]["action_space"]
            rngs[seat] = random.Random(message["seed"])
        elif ask == "act":
            value = sample(spaces[seat], rngs[seat])
        print(json.dumps({"id": message["id"], "value": value}), file=answers, flush=True)


how, *words = sys.argv[1:] or ["streams"]
place = ("127.0.0.1", int(words[0])) if words else None
if how == "streams":
    serve(sys.stdin, sys.stdout)
elif how == "listen":
    server = socket.create_server(place)
    while connection := server.accept()[0]:
        threading.Thread(target=serve, args=[connection.makefile(m) for m in "rw"]).start()
while how == "connect":  # once for each sitting, until nobody listens any more
    try:
        with socket.create_connection(place) as connection, connection.makefile("rw") as stream:
            print(json.dumps({"version": 1, "token": words[-1]}), file=stream, flush=True)
            serve(stream, stream)
    except ConnectionRefusedError:
        break
    except ConnectionError:
        continue
