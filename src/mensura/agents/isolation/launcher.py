"""The trusted program between Mensura and a subject: it builds the cage, starts the subject in it, and ends it.

Mensura starts it as a fresh interpreter, or has it forked (:mod:`mensura.agents.isolation.nursery`), tells it over a
socket what the subject may use, and it answers with the number of the subject's process and with what holds. Then it
waits: for the subject to end, for the word to terminate it, or for the end of the socket, which means that nobody wants
the subject any more, or that Mensura is gone. Whatever the subject started ends with it.

Where the kernel lets us, there are three processes: this one; the first process of a namespace of its own, which keeps
that alive and does nothing; and the subject beside it. The standard streams are the subject's alone.

Imports are few: they are the time that a sitting takes longer to start.
"""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

LINUX = sys.platform == "linux"
if LINUX:
    from mensura.agents.isolation import linux, tree, usage
    from mensura.agents.isolation.cgroup import Group, place_for_groups

FIRST_USER = 1_900_000_000 + (1 << 22)
USERS = 1 << 27
"""The subject's user is one of so many from there on, drawn for each sitting: nobody else's, and a number that tells
nothing of how many processes there were."""

SECONDS_BETWEEN_LOOKS = 0.5
"""How often the memory of all processes of a subject together is looked at."""

DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
IF_COUNTED = "/dev/zero"
"""The device whose pages, once mapped, stay where only a control group counts them."""

FACTS = (
    "cpuinfo",
    "filesystems",
    "version",
    "sys/kernel/cap_last_cap",
    "sys/kernel/ngroups_max",
    "sys/kernel/osrelease",
    "sys/kernel/ostype",
    "sys/kernel/pid_max",
    "sys/kernel/threads-max",
    "sys/kernel/version",
    "sys/vm/overcommit_memory",
)
"""Of /proc, what a program may read beside itself where there is no namespace of processes; nothing that counts what
others do."""

HEADER = 4


class CannotCage(Exception):
    """A part of the cage failed after the point of no return; Mensura tries again with less."""


def main(descriptor: int, be: Callable[[dict[str, Any]], NoReturn] | None = None) -> None:
    """Do what is told over a socket; its last word, and the exit status or signal, is the subject's.

    ``be`` goes on as the subject in its cage, where no program is to be executed.
    """
    os.set_inheritable(descriptor, False)
    told = os.fdopen(descriptor, "r+b", buffering=0)
    wanted = marshal.loads(_exactly(told, int.from_bytes(_exactly(told, HEADER), "big")))
    sitting = Sitting(wanted, be)
    try:
        sitting.start()
    except CannotCage as error:
        _say(told, {"again": str(error)})
        sitting.end()
        os._exit(1)
    except OSError as error:
        _say(told, {"failed": error.strerror or str(error)})
        sitting.end()
        os._exit(1)
    _say(told, {"pid": sitting.subject, "holds": sitting.holds})
    status, why = sitting.watch(told)
    sitting.end()
    _say(told, {"code": os.waitstatus_to_exitcode(status), "why": why})
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


class Sitting:
    """One subject, what it is held to, and what it started."""

    def __init__(
        self, wanted: dict[str, Any], be: Callable[[dict[str, Any]], NoReturn] | None = None
    ) -> None:
        self.wanted = wanted
        self.be = be
        self.holds: dict[str, Any] = {}
        """What could be done: names of parts of the cage, each with a true or false value."""
        self.subject = 0
        self.first = 0
        """The first process of the namespace; 0 where there is none."""
        self.user = 0
        """The user of the subject; 0 where it is ours."""
        self.folder = ""
        """Its temporary folder, where that is one of the machine's."""
        self.group: Group | None = None
        """Its control group, where there can be one."""

    def start(self) -> None:
        """Build the cage and start the subject in it."""
        caged = bool(self.wanted["isolated"])
        if LINUX:
            _ignoring(lambda: _write("/proc/self/oom_score_adj", "1000"))
            linux.adopt_orphans()
        if caged and LINUX:
            self.group = self._own_group()
        spaces = caged and LINUX and self.wanted["namespaces"] and self._enter_namespaces()
        if (
            LINUX
        ):  # not before: who cannot be looked into cannot say who it is in a namespace of users
            linux.forbid_looking_in()
        if caged:
            self.user = self._other_user(spaces)
        if spaces:
            self.first = self._fork_first()
            self.wanted["environment"].update(HOME="/tmp", TMPDIR="/tmp")
        elif caged:
            self.folder = self._temporary_folder()
            self.wanted["environment"].update(HOME=self.folder, TMPDIR=self.folder)
        self.holds.update(
            isolated=caged,
            namespaces=spaces,
            user=bool(self.user),
            landlock=linux.landlock_version() if caged and LINUX else 0,
            seccomp=caged and LINUX and linux.has_filter(),
            group=self.group is not None,
        )
        self._fork_subject(caged, spaces)

    def _own_group(self) -> Group | None:
        """A control group for the subject. Its temporary files are memory too, and are limited by themselves."""
        wanted = self.wanted
        place = place_for_groups() if wanted["groups"] else ""
        if not place:
            return None
        memory = None
        if wanted["memory_mb"] is not None:
            memory = wanted["memory_mb"] + wanted["disk_mb"] << 20
        name = f"mensura-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            return Group(place, name, memory, wanted["processes"])
        except OSError:
            return None

    # Namespaces -----------------------------------------------------------------

    def _enter_namespaces(self) -> bool:
        """New namespaces of mounts, processes, messages and, where it is denied, the network; whether we could."""
        flags = linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWIPC
        if not self.wanted["network"]:
            flags |= linux.CLONE_NEWNET
        try:
            if os.geteuid() != 0:
                linux.be_the_same_user_inside()
            linux.unshare(flags)
        except OSError:
            return False
        return True

    def _fork_first(self) -> int:
        """The first process of the namespace of processes: it makes the tree of files that all in it see."""
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid:
            os.close(theirs)
            with os.fdopen(ours, "rb") as pipe:
                problem = pipe.read().decode(errors="replace")
            if problem:
                os.waitpid(pid, 0)
                raise OSError(0, problem[1:]) if problem[0] == "!" else CannotCage(problem)
            os.chdir("/")
            return pid
        try:
            linux.die_with_parent()
            linux.forbid_looking_in()
            try:
                tree.build_tree(self.wanted, self.user, self._devices())
            except tree.CannotCopy as error:
                os.write(theirs, f"!{error}".encode())
                os._exit(1)
            except OSError as error:
                os.write(theirs, (error.strerror or str(error)).encode())
                os._exit(1)
            os.chdir("/")
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # orphans are buried by the kernel
            os.closerange(0, 1 << 16)
            while True:
                signal.pause()
        finally:
            os._exit(1)

    # Another user ---------------------------------------------------------------

    def _other_user(self, spaces: bool) -> int:
        """The number of a user of its own for the subject; 0 where that cannot be, or where it could not even start."""
        if os.geteuid() != 0:
            return 0
        user = FIRST_USER + int.from_bytes(os.urandom(8), "big") % USERS
        if LINUX and not _is_mapped(user):
            return 0
        needed = (self.wanted["program"], *self.wanted["needed"])
        if not spaces:  # there are no copies then
            needed += tuple(self.wanted["own"])
        if all(tree.others_may_read(path, whole=not spaces) for path in needed):
            return user
        return 0

    def _temporary_folder(self) -> str:
        name = f"mensura-{os.getpid()}-{os.urandom(6).hex()}"
        folder = os.path.join(self.wanted["temporary"], name)
        os.mkdir(folder, 0o700)
        if self.user:
            os.chown(folder, self.user, self.user)
        return folder

    # The subject ----------------------------------------------------------------

    def _fork_subject(self, caged: bool, spaces: bool) -> None:
        """Start it; OSError where the program cannot be executed."""
        ours, theirs = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                self._become(caged, spaces)
                if self.be is not None:
                    os.close(theirs)
                    self.be(self.wanted)
                wanted = self.wanted
                os.execve(wanted["program"], wanted["command"], wanted["environment"])
            except OSError as error:
                os.write(theirs, (error.strerror or str(error)).encode())
            except BaseException as error:
                os.write(theirs, f"{type(error).__name__}: {error}".encode())
            finally:
                os._exit(127)
        os.close(theirs)
        self.subject = pid
        nothing = os.open(os.devnull if os.path.exists(os.devnull) else "/", os.O_RDONLY)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.close(nothing)
        with os.fdopen(ours, "rb") as pipe:
            problem = pipe.read().decode(errors="replace")
        if problem:
            raise OSError(0, problem)

    def _become(self, caged: bool, spaces: bool) -> None:
        """Give up, in an order in which no step can be undone, all that the subject may not have."""
        wanted = self.wanted
        if self.group is not None:
            self.group.enter()
        os.setsid()
        os.umask(0o022)
        self._limit(spaces)
        os.chdir(wanted["folder"])
        # Also what a shell told its background jobs to ignore: every subject finds the same.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        if caged and LINUX:
            linux.drop_capabilities()
        if self.user:
            os.setgroups([])
            os.setgid(self.user)
            os.setuid(self.user)
        if LINUX:
            linux.die_with_parent()
        if caged and LINUX:
            linux.drop_permitted()
            linux.gain_nothing()
            if self.holds["landlock"]:
                linux.confine(self._rules(spaces), wanted["network"])
            if self.holds["seccomp"]:
                linux.filter_calls(
                    wanted["network"],
                    own_tree=spaces,
                    shared_memory=self.group is not None,
                )
        if LINUX and self.be is not None and not self.first and not self.user:
            # No program is executed that would be looked into, and without root's rights or those of a namespace its
            # memory could not be counted.
            linux.allow_looking_in()

    def _limit(self, spaces: bool) -> None:
        wanted = self.wanted
        _at_most(resource.RLIMIT_CORE, 0)
        if wanted["memory_mb"] is not None and LINUX:
            # On its own data and not on addresses, of which libraries reserve far more than they use.
            _at_most(resource.RLIMIT_DATA, wanted["memory_mb"] << 20)
        if wanted["cpu_seconds"] is not None:
            _at_most(resource.RLIMIT_CPU, wanted["cpu_seconds"], spare=1)
        if wanted["isolated"]:
            _at_most(resource.RLIMIT_NOFILE, wanted["open_files"])
            _at_most(resource.RLIMIT_FSIZE, wanted["disk_mb"] << 20)
            if LINUX:
                _at_most(resource.RLIMIT_MSGQUEUE, 0)
                alone = self.user or spaces
                others = 0 if alone else usage.tasks_of(os.getuid())
                _at_most(resource.RLIMIT_NPROC, wanted["processes"] + others)

    def _rules(self, spaces: bool) -> Iterator[tuple[str, int]]:
        """What Landlock lets it open."""
        wanted = self.wanted
        hidden = () if spaces else wanted["hidden"]  # in a tree of its own something lies over it
        for path in wanted["readable"]:
            parts = [*tree.beside(path, hidden)]
            for part in parts:
                yield part, linux.READ
            if parts != [path]:
                yield path, linux.READ_DIR
        for path in wanted["own"]:
            yield path, linux.READ
        for path in wanted["listed"]:
            yield path, linux.READ_DIR
        for path in self._devices():
            yield path, linux.USE_DEVICE
        if spaces:
            yield "/", linux.READ_DIR  # nothing is there that may not be seen
            yield "/proc", linux.READ
            yield "/dev/shm", linux.EVERYTHING
            yield "/tmp", linux.EVERYTHING
        else:
            yield f"/proc/{os.getpid()}", linux.READ
            for name in FACTS:
                yield f"/proc/{name}", linux.READ
            yield self.folder, linux.EVERYTHING

    def _devices(self) -> tuple[str, ...]:
        counted = (IF_COUNTED,) if self.group is not None else ()
        return (*DEVICES, *counted, *self.wanted["devices"])

    # Its end --------------------------------------------------------------------

    def watch(self, told: Any) -> tuple[int, str]:
        """Wait until it ends, or is to end: its status, and why it was killed, where that was for a limit."""
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        poll.register(told.fileno(), select.POLLIN)
        poll.register(ours, select.POLLIN)
        limit = self.wanted["memory_mb"]
        looks = self.wanted["isolated"] and LINUX and limit is not None
        next_look = time.monotonic() + SECONDS_BETWEEN_LOOKS
        while True:
            status = self._ended()
            if status is not None:
                if self.group is not None and self.group.ran_out():
                    return status, self._too_much()
                return status, ""
            for descriptor, _ in poll.poll(1000 * SECONDS_BETWEEN_LOOKS if looks else None):
                if descriptor == ours:
                    os.read(ours, 1 << 12)
                elif not _word(told):
                    os.kill(self.subject, signal.SIGKILL)
                    return os.waitpid(self.subject, 0)[1], ""
                else:
                    _ignoring(lambda: os.killpg(self.subject, signal.SIGTERM))
            if looks and time.monotonic() >= next_look:
                next_look = time.monotonic() + SECONDS_BETWEEN_LOOKS
                why = self._too_much() if self._memory() > limit << 20 else self._too_long()
                if why:
                    os.kill(self.subject, signal.SIGKILL)
                    return os.waitpid(self.subject, 0)[1], why

    def _ended(self) -> int | None:
        """Bury who has died; the subject's status if it is among them."""
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == self.subject:
                return status
            if not pid:
                return None

    def _too_much(self) -> str:
        return f"its processes took over {self.wanted['memory_mb']} MB of memory together"

    def _too_long(self) -> str:
        """What is to be said where all its processes together, and not just one, have used up their processor time."""
        most = self.wanted["cpu_seconds"]
        if most is None or self.group is None or self.group.processor_seconds() <= most:
            return ""
        return f"its processes took over {most} s of processor time together"

    def _memory(self) -> int:
        """The bytes of memory that its processes use; exactly, where they are above its limit."""
        return usage.memory(
            self._processes(),
            self.wanted["memory_mb"] << 20,
            own_network=bool(self.first) and not self.wanted["network"],
        )

    def _processes(self) -> list[str]:
        """The numbers of its processes; where others are about, those that come from it or that we were left."""
        if self.first:
            return [name for name in os.listdir("/proc") if name.isdigit()]
        found: list[str] = []
        waiting = [str(os.getpid())]
        while waiting:
            children = usage.children(waiting.pop())
            found += children
            waiting += children
        return found

    def end(self) -> None:
        """Kill all that is left of it, and remove its temporary folder."""
        if self.subject:
            _ignoring(lambda: os.killpg(self.subject, signal.SIGKILL))
        if self.first:
            _ignoring(lambda: os.kill(self.first, signal.SIGKILL))
        elif self.user:
            _kill_all_of(self.user)
        if LINUX and not self.first:
            _kill_children()
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
            except OSError:
                continue
        if self.group is not None:
            self.group.end()
        if self.folder:
            _remove(self.folder)


# Files ----------------------------------------------------------------------------


def _remove(folder: str) -> None:
    """Remove a folder with all in it, as far as that goes; nobody is left who could stir in it."""
    try:
        for here, folders, files in os.walk(folder, topdown=False):
            for name in files:
                os.unlink(os.path.join(here, name))
            for name in folders:
                path = os.path.join(here, name)
                if os.path.islink(path):
                    os.unlink(path)
                else:
                    os.chmod(path, 0o700)
                    os.rmdir(path)
        os.rmdir(folder)
    except (OSError, RecursionError):
        pass


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


# Processes ------------------------------------------------------------------------


def _is_mapped(user: int) -> bool:
    """Whether the namespace of users that we are in knows a user of this number."""
    with open("/proc/self/uid_map") as file:
        ranges = [[int(word) for word in line.split()] for line in file]
    return any(first <= user < first + count for first, _, count in ranges)


def _kill_all_of(user: int) -> None:
    """Kill every process of a user that is the subject's alone."""
    pid = os.fork()
    if not pid:
        try:
            os.setuid(user)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def _kill_children() -> None:
    """Kill and bury our children until there are none; orphans of the subject have become ours."""
    while True:
        for name in os.listdir("/proc"):
            if name.isdigit() and usage.parent(name) == os.getpid():
                _ignoring(lambda pid=int(name): os.kill(pid, signal.SIGKILL))  # type: ignore[misc]
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.002)
        except ChildProcessError:
            return


def _at_most(kind: int, limit: int, spare: int = 0) -> None:
    """Set a limit that cannot be raised again; a lower one that is there already stays."""
    _, hard = resource.getrlimit(kind)
    most = limit + spare if hard == resource.RLIM_INFINITY else min(limit + spare, hard)
    _ignoring(lambda: resource.setrlimit(kind, (min(limit, most), most)))


# Words ----------------------------------------------------------------------------


def _exactly(told: Any, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = told.read(count - len(data))
        if not more:
            os._exit(1)  # nobody wants the subject any more
        data += more
    return data


def _word(told: Any) -> bytes:
    try:
        word: bytes = told.read(1)
    except OSError:
        return b""
    return word


def _say(told: Any, what: dict[str, Any]) -> None:
    data = marshal.dumps(what)
    _ignoring(lambda: told.write(len(data).to_bytes(HEADER, "big") + data))


def _ignoring(deed: Callable[[], object]) -> None:
    """Do what may fail without harm."""
    try:
        deed()
    except (OSError, ValueError):
        pass
