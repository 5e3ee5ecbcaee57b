"""A Ray cluster: one that is running, by its address, or a local one that is started for the run.

Ray's own retries are off: whether a sitting is played again is the coordinator's decision alone.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

from mensura.agent.errors import MensuraError
from mensura.core.devices import playing_on
from mensura.core.interpreter import import_path
from mensura.core.ray_paths import found_here, ray_job_config
from mensura.records.cell import Cell
from mensura.studies.desk import Desk, Job
from mensura.studies.executors.crew import SECONDS_TO_PREPARE, Crew, Hand
from mensura.studies.executors.executor import Lost, Outcome
from mensura.studies.place import Place

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Which accelerators its workers see is not Ray's to change; said here, it does not warn.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # What it prints of workers that died would be told twice, and on the standard output.
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
"""What Ray reads from the environment when it is imported."""

LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Set to 0, a local Ray listens to this machine only, on every system; else on all interfaces."""

RETRIES = "RAY_NUM_REDIS_GET_RETRIES"
"""How often Ray tries to reach a cluster that listens but does not answer; each time takes up to 40 seconds."""

SECONDS_TO_REACH = 5.0
"""How long a cluster may take to take a connection, before Ray is asked to join it."""


SECONDS_WITHOUT_HEAD = 30.0
"""How long the head of a cluster may be gone, to be restarted; Ray ends this process after 60 seconds."""


class Cluster(Crew["Actor"]):
    """Plays jobs in actors, one processor each; an actor that died with its node or alone is replaced.

    With the device "gpu" as many of them have a GPU each as the cluster has GPUs, and play there what can be played
    there; the others play on their processors.
    """

    def __init__(
        self, workers: int | None = None, address: str | None = None, device: str = "cpu"
    ) -> None:
        super().__init__()
        self._device = device
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        if address is None:
            os.environ.setdefault(LOOPBACK, "0")
        else:
            os.environ.setdefault(RETRIES, "2")
        try:
            import ray
        except ModuleNotFoundError:
            raise MensuraError(
                "The executor 'ray' needs the library ray: pip install 'mensura[cluster]'."
            ) from None
        self._ray = ray
        self._wanted = workers
        self._address = address
        self._mine = False
        self.workers = workers or 1
        self._cells: Any = None
        self._journals: Path | None = None
        self._alone_since = monotonic()
        """Since when no worker is there."""
        self._node: Node | None = None

    def start(self, places: Sequence[Place], journals: Path | None) -> None:
        """Connect, or start a local cluster, and place the workers."""
        ray = self._ray
        if not ray.is_initialized():
            if self._address is not None:
                check_reachable(self._address)
            self._mine = True
            try:
                if self._address is None:
                    # "local": one of our own, although another may be running on this machine.
                    with found_here():
                        ray.init(
                            address="local",
                            num_cpus=self._wanted or os.cpu_count(),
                            include_dashboard=False,
                            log_to_driver=False,
                            logging_level="ERROR",
                            job_config=ray_job_config(),
                        )
                else:
                    ray.init(
                        address=self._address,
                        log_to_driver=False,
                        logging_level="ERROR",
                        job_config=None if self._address.startswith("ray://") else ray_job_config(),
                    )
            except (ConnectionError, RuntimeError, ValueError) as error:
                if self._address is None:
                    raise MensuraError(
                        f"Ray could not be started on this machine: {_first_line(error)}."
                    ) from error
                raise _not_there(
                    self._address,
                    f"{_first_line(error)}; where it wants a token, set RAY_AUTH_MODE=token",
                ) from error
        self._node = Node.ours(ray)
        self.workers = self._wanted or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._cells = ray.put(tuple(place.cell for place in places))
        self._journals = journals
        self._alone_since = monotonic()
        gpus = 0
        if self._device == "gpu":
            gpus = int(ray.cluster_resources().get("GPU", 0))
            if not gpus:
                self.stop()
                raise MensuraError(
                    "The Ray cluster has no GPU; leave out the device, and its processors play."
                )
        self.hands = [self._actor(at < gpus) for at in range(self.workers)]

    def _actor(self, on_gpu: bool) -> Actor:
        own = self._device if on_gpu else "cpu"
        return Actor(self._ray, self._cells, self._journals, own, self._device)

    def wait(self, timeout: float) -> list[Outcome]:
        """What has been finished meanwhile, and who died."""
        ray = self._ray
        self._check_node()
        patience = self.patience(timeout)
        first = {hand.references[0]: hand for hand in self.hands if hand.references}
        if not first:
            return []
        ready, _ = ray.wait(list(first), num_returns=1, timeout=patience)
        if ready:
            ready, _ = ray.wait(list(first), num_returns=len(first), timeout=0.0)
        outcomes: list[Outcome] = []
        for reference in ready:
            actor = first[reference]
            try:
                told = ray.get(reference)
            except ray.exceptions.RayError as lost:
                outcomes += self._replace(actor, lost)
                continue
            actor.references.popleft()
            if not actor.there:
                self.welcome(actor)
            elif told is None:
                actor.begun()
            else:
                batch, error, seconds = told
                outcomes.append(Outcome(actor.finished(), batch, error=error, seconds=seconds))
        self._look_around()
        self.hand_out()
        return outcomes

    def _replace(self, actor: Actor, lost: BaseException) -> list[Outcome]:
        """Another worker for one that died, which comes as soon as the cluster has a processor for it."""
        actor.kill()
        self.hands[self.hands.index(actor)] = self._actor(actor.device == "gpu")
        why = type(lost).__name__ if actor.there else _first_line(lost)
        return self.mourn(actor, f"its Ray worker died ({why})")

    def _check_node(self) -> None:
        """Say so when our own node is lost: Ray would end this process after some seconds, without a word."""
        lost = None if self._node is None else self._node.lost()
        if lost:
            where = "on this machine" if self._address is None else f"at {self._address}"
            raise Lost(f"The Ray cluster {where} is lost: {lost}.")

    def _look_around(self) -> None:
        """With nobody there for long, nobody will come."""
        now = monotonic()
        if any(hand.there for hand in self.hands):
            self._alone_since = now
        elif now - self._alone_since > SECONDS_TO_PREPARE:
            raise MensuraError(
                f"The Ray cluster has had no processor for a worker for {SECONDS_TO_PREPARE:g} s; see what it is "
                f"doing with: ray status"
            )

    def hurry(self) -> list[Outcome]:
        """Nothing: what is under way on other machines is played anew when the run is resumed."""
        return []

    def stop(self) -> None:
        """End the workers, and the cluster where it was started for this run."""
        if self._node is not None:
            self._node.close()
            self._node = None
        self.dismiss()
        if self._mine:
            self._ray.shutdown()
            self._mine = False


class Node:
    """The node of the cluster that this process is connected to, and the head of the cluster."""

    def __init__(self, raylet: str, head: str) -> None:
        """``raylet`` is the path of the node's socket, ``head`` the address of the cluster's head."""
        host, _, port = head.rpartition(":")
        self._head = host.strip("[]"), int(port)
        self._head_seen = self._head_asked = monotonic()
        self._line = socket.socket(socket.AF_UNIX)
        """Open as long as the node lives."""
        self._line.connect(raylet)
        self._line.setblocking(False)

    @classmethod
    def ours(cls, ray: Any) -> Node | None:
        """The node of this process; None where Ray does not tell, as its client of a cluster elsewhere."""
        node = getattr(ray._private.worker, "_global_node", None)
        try:
            return None if node is None else cls(node.raylet_socket_name, node.gcs_address)
        except (AttributeError, OSError, ValueError):
            return None

    def lost(self) -> str:
        """Which of the two has died; nothing while both live."""
        try:
            if not self._line.recv(1):
                return "the node that this command is connected to has died"
        except BlockingIOError:
            pass
        except OSError:
            return "the node that this command is connected to has died"
        now = monotonic()
        if now - self._head_asked > SECONDS_TO_REACH:
            self._head_asked = now
            try:
                socket.create_connection(self._head, timeout=SECONDS_TO_REACH).close()
                self._head_seen = monotonic()
            except OSError:
                if now - self._head_seen > SECONDS_WITHOUT_HEAD:
                    return f"its head node has not answered for {SECONDS_WITHOUT_HEAD:g} seconds"
        return ""

    def close(self) -> None:
        """Look no more."""
        self._line.close()


class Actor(Hand):
    """One worker of the cluster."""

    def __init__(
        self, ray: Any, cells: Any, journals: Path | None, device: str, of_study: str
    ) -> None:
        """``device`` is its own, ``of_study`` the one that the study asks for."""
        super().__init__()
        self._ray = ray
        self.device = device
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        if device == "gpu":
            options["num_gpus"] = 1
        here = None if journals is None else journals.absolute()
        remote = ray.remote(RemoteDesk).options(**options)
        self._remote = remote.remote(cells, here, import_path(), Path.cwd(), device, of_study)
        self.references: deque[Any] = deque([self._remote.ready.remote()])
        """That it is there, and for each of its jobs: that it has begun, and what became of it."""

    def hand_over(self, job: Job) -> None:
        """Send a job."""
        self.references.append(self._remote.prepare.remote(job))
        self.references.append(self._remote.play.remote(job))

    def kill(self) -> None:
        """End it at once."""
        self._ray.kill(self._remote, no_restart=True)


class RemoteDesk:
    """A desk in an actor."""

    def __init__(
        self,
        cells: Sequence[Cell],
        journals: Path | None,
        path: Sequence[str],
        folder: Path,
        device: str,
        of_study: str,
    ) -> None:
        # The code of agents is named as seen from where the command was typed.
        if folder.is_dir():
            os.chdir(folder)
        sys.path[:] = [*path, *(entry for entry in import_path() if entry not in path)]
        self.desk = Desk(cells, journals, of_study)
        self.device = device
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()

    def ready(self) -> None:
        """Return once the worker has started."""

    def prepare(self, job: Job) -> None:
        """Get ready for a job."""
        from mensura.studies.executors.processes import prepared

        prepared(self.desk, job)

    def play(self, job: Job) -> tuple[Any, BaseException | None, float]:
        """Play a job; errors come back as values, because Ray would wrap them."""
        from mensura.studies.executors.processes import played

        try:
            with playing_on(self.device):
                return played(self.desk, job)
        except MensuraError as error:  # this node has not what its GPU needs
            return None, error, 0.0


def _end_with_parent(parent: int) -> None:
    """End when the node is lost: Ray leaves workers behind whose raylet was killed, playing for nobody."""
    while os.getppid() == parent:
        sleep(1.0)
    os._exit(1)


# Whether there is a cluster at all ---------------------------------------------


def check_reachable(address: str) -> None:
    """Refuse an address where nobody listens; Ray would try for minutes."""
    if address in ("auto", "local"):
        return
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None:
        raise MensuraError(
            f"The address {address!r} of a Ray cluster is not understood; write HOST:PORT, as 10.0.0.1:6379."
        )
    try:
        socket.create_connection((host, port), timeout=SECONDS_TO_REACH).close()
    except OSError as error:
        raise _not_there(address, error.strerror or str(error)) from error


def _not_there(address: str, why: str) -> MensuraError:
    return MensuraError(f"There is no Ray cluster at {address}: {why}.")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
