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
    from mensura.agents.isolation import linux
    from mensura.agents.isolation.cgroup import Group, place_for_groups

FIRST_USER = 1_900_000_000 + (1 << 22)
USERS = 1 << 27
"""The subject's user is one of so many from there on, drawn for each sitting: nobody else's, and a number that tells
nothing of how many processes there were."""

COPIES_MB = 256
"""So much of an agent's files is copied where the subject's user could not read them in their place."""

LOOKED_AT = 5_000
"""So many files of an agent are looked at to find out whether the subject's user can read them."""

SECONDS_BETWEEN_LOOKS = 0.5
"""How often the memory of all processes of a subject together is looked at."""

FILES_PER_MB = 64
"""So many files a subject may have for each megabyte of its temporary files: one without content takes memory too."""

LIKELY_BUFFERS = 64
"""So many sockets and so many pipes anybody may have; what more of them can hold is counted as memory."""

SOCKET_BYTES = 2 * 212_992
"""What a local socket can hold: twice the usual most that may be asked for (net.core.wmem_max)."""

PIPE_BYTES = 1 << 16
"""What a pipe holds; that it is made larger is refused (linux.filter_calls)."""

DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
IF_COUNTED = "/dev/zero"
"""The device whose pages, once mapped, stay where only a control group counts them."""

STREAMS = (
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
)
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

SHOWN_OF_PROC = frozenset(
    [
        "acpi",
        "asound",
        "bootconfig",
        "bus",
        "cmdline",
        "config.gz",
        "consoles",
        "cpuinfo",
        "crypto",
        "device-tree",
        "devices",
        "dma",
        "dynamic_debug",
        "execdomains",
        "fb",
        "filesystems",
        "iomem",
        "ioports",
        "misc",
        "mounts",
        "mtrr",
        "net",
        "partitions",
        "scsi",
        "self",
        "sys",
        "tty",
        "thread-self",
        "version",
    ]
)
"""Of /proc in a namespace, what is as it is, since it does not change; the numbers of processes too."""

HIDDEN_OF_SYS = ("fs", "kernel/pty", "kernel/random")

HEADER = 4


class CannotCage(Exception):
    """A part of the cage failed after the point of no return; Mensura tries again with less."""


class CannotCopy(Exception):
    """The subject's own files can neither be read by its user nor be copied for it."""


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
            if self.wanted["alone"]:
                _empty_caches((*self.wanted["readable"], *self.wanted["own"]))
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
                self._build_tree()
            except CannotCopy as error:
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

    def _build_tree(self) -> None:
        """A root of its own, with nothing in it but what the subject may read, each at its path."""
        wanted = self.wanted
        limited = linux.NO_SETUID | linux.NO_DEVICES
        flags = {
            **dict.fromkeys(wanted["readable"], limited | linux.READ_ONLY),
            **dict.fromkeys(wanted["own"], limited | linux.READ_ONLY),
            **dict.fromkeys(self._devices(), linux.NO_SETUID),
        }
        own = frozenset(wanted["own"])
        linux.keep_mounts_to_ourselves()
        os.umask(0o022)
        # All is taken hold of first: the new root covers a folder in which some of it may lie.
        taken: list[tuple[str, bool, int, bool]] = []
        for path in sorted(flags, key=lambda path: path.count("/")):
            if not os.path.exists(path):
                continue
            copied = bool(self.user) and path in own and not _all_may_read(path)
            held = os.open(path, os.O_PATH) if copied else linux.taken(path, flags[path])
            taken.append((path, os.path.isdir(path), held, copied))
        root = wanted["temporary"]
        linux.mount("tmpfs", root, limited, f"size={COPIES_MB}m,mode=755")
        self._mount_temporary(root, limited)
        for path, is_folder, held, copied in taken:
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            if copied:
                _copy_for_all(path, held, root + path)
                continue
            if is_folder:
                os.makedirs(root + path, exist_ok=True)
            elif not os.path.lexists(root + path):
                os.close(os.open(root + path, os.O_CREAT | os.O_WRONLY, 0o644))
            linux.hang(held, root + path)
        os.makedirs(root + wanted["folder"], exist_ok=True)
        # Links come last: as long as the old root is there, they would lead into it.
        for path, target in (*STREAMS, *wanted["links"]):
            if not os.path.lexists(root + path):
                _ignoring(lambda path=path, target=target: _link(root + path, target))  # type: ignore[misc]
        for name in os.listdir(root + "/tmp"):  # what is shown there is not the subject's to change
            path = f"{root}/tmp/{name}"
            if not os.path.islink(path):
                linux.hang(linux.taken(path, limited | linux.READ_ONLY), path)
        os.makedirs(root + "/proc", exist_ok=True)
        try:
            linux.mount("proc", root + "/proc", limited | linux.NO_PROGRAMS | linux.READ_ONLY)
        except OSError:  # in a container that hides a part of /proc; then there is none
            pass
        else:
            self._hide_counters(root)
        linux.change_root(root)
        linux.make_read_only("/")

    def _hide_counters(self, root: str) -> None:
        """Put something constant over what counts what the machine does: two sittings could talk by it."""
        proc = root + "/proc"
        flags = linux.NO_SETUID | linux.NO_DEVICES | linux.NO_PROGRAMS | linux.READ_ONLY
        masks = root + "/masks"
        other = bool(self.user or os.geteuid())  # whether the subject is not root
        os.mkdir(masks)
        linux.mount("tmpfs", masks, flags & ~linux.READ_ONLY, "size=1m,mode=755")
        names = [one for one in os.listdir(proc) if not one.isdigit() and one not in SHOWN_OF_PROC]
        paths: list[str] = []
        for name in (*names, *(f"sys/{one}" for one in HIDDEN_OF_SYS)):
            path, mask = f"{proc}/{name}", f"{masks}/{len(paths)}"
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                continue
            if mode & 0o170000 == 0o040000:
                os.mkdir(mask, 0o555)
            elif mode & 0o170000 == 0o100000 and (mode & 0o4 or not other):
                _write(mask, _constant(name))
            else:  # a link, or closed to the subject's user in any case
                continue
            paths.append(path)
        linux.make_read_only(masks)
        held = [linux.taken(f"{masks}/{number}") for number in range(len(paths))]
        linux.unmount(masks)
        os.rmdir(masks)
        for mounted, path in zip(held, paths, strict=True):
            linux.hang(mounted, path)

    def _mount_temporary(self, root: str, flags: int) -> None:
        """The folders for temporary files: two of one file system, so that the limit is on both together."""
        megabytes = self.wanted["disk_mb"]
        places = ("/tmp", "/dev/shm")
        for path in places:
            os.makedirs(root + path)
        whole = root + places[0]
        files = min(1024 + FILES_PER_MB * megabytes, 1 << 30)
        linux.mount("tmpfs", whole, flags, f"size={megabytes}m,nr_inodes={files},mode=755")
        halves = []
        for number, path in enumerate(places):
            half = f"{whole}/{number}"
            os.mkdir(half)
            os.chmod(half, 0o1777)
            halves.append((linux.taken(half, flags), root + path))
        linux.unmount(whole)
        for half_taken, place in halves:
            linux.hang(half_taken, place)

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
        if all(_others_may_read(path, whole=not spaces) for path in needed):
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
                others = 0 if alone else _tasks_of(os.getuid())
                _at_most(resource.RLIMIT_NPROC, wanted["processes"] + others)

    def _rules(self, spaces: bool) -> Iterator[tuple[str, int]]:
        """What Landlock lets it open."""
        wanted = self.wanted
        for path in (*wanted["readable"], *wanted["own"]):
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
        """The bytes of memory that its processes have in use, and that the kernel may hold for them."""
        limit = self.wanted["memory_mb"] << 20
        here = self._processes()
        held = sum(_status_bytes(name, of) for name in here for of in ("VmPTE", "HugetlbPages"))
        sockets: set[str] = set()
        pipes: set[str] = set()
        for name in here:
            _find_buffers(name, sockets, pipes)
        count = len(sockets)
        if (
            self.first and not self.wanted["network"]
        ):  # also those that are on the way between two processes
            count = max(count, _lines_of("/proc/1/net/unix") - 1)
        held += max(0, count - LIKELY_BUFFERS) * SOCKET_BYTES
        held += max(0, len(pipes) - LIKELY_BUFFERS) * PIPE_BYTES
        # What several share is in this once for each, and nothing is in it too little: mostly it is enough to know.
        most = sum(_status_bytes(name, "VmRSS") for name in here)
        if held + most <= limit:
            return held + most
        return held + sum(_shared_out(name) for name in here)

    def _processes(self) -> list[str]:
        """The numbers of its processes; where others are about, those that come from it or that we were left."""
        if self.first:
            return [name for name in os.listdir("/proc") if name.isdigit()]
        found: list[str] = []
        waiting = [str(os.getpid())]
        while waiting:
            children = _children(waiting.pop())
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


def _others_may_read(path: str, whole: bool) -> bool:
    """Whether a user who owns nothing may read a file or list a folder; with ``whole``, and may get there."""
    kind = os.stat(path).st_mode
    needed = 0o5 if kind & 0o170000 == 0o040000 else 0o4
    if kind & needed != needed:
        return False
    place = os.path.realpath(path)
    while whole and place != "/":
        place = os.path.dirname(place)
        if not os.stat(place).st_mode & 0o1:
            return False
    return True


def _all_may_read(path: str) -> bool:
    """Whether a user who owns nothing may read all of a file or folder, as far as we look."""
    if not _others_may_read(path, whole=False):
        return False
    left = LOOKED_AT
    waiting = [path] if os.path.isdir(path) else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if left < 0:
                    return True
                if entry.is_symlink() or entry.name == "__pycache__":
                    continue
                folder = entry.is_dir()
                needed = 0o5 if folder else 0o4
                if entry.stat().st_mode & needed != needed:
                    return False
                if folder:
                    waiting.append(entry.path)
    return True


def _copy_for_all(path: str, held: int, target: str) -> None:
    """Put a copy that everybody can read where its owner alone can read the original."""
    try:
        _copy(f"/proc/self/fd/{held}", target)
    except OSError as error:
        raise CannotCopy(
            f"{path} is readable for its owner alone, and its copy for the subject failed ({error.strerror}; at most "
            f"{COPIES_MB} MB are copied); let others read it: chmod -R go+rX {path}"
        ) from None


def _copy(source: str, target: str) -> None:
    """Copy a file, or the files and links below a folder; the source itself may be named by a link."""
    waiting = [(source, target)]
    while waiting:
        here, there = waiting.pop()
        if here is not source and os.path.islink(here):
            os.symlink(os.readlink(here), there)
        elif os.path.isdir(here):
            os.makedirs(there, 0o755, exist_ok=True)
            waiting += [(f"{here}/{name}", f"{there}/{name}") for name in os.listdir(here)]
        elif os.path.isfile(here):
            run = os.stat(here).st_mode & 0o111
            with open(here, "rb") as read, open(there, "wb") as written:
                while chunk := read.read(1 << 20):
                    written.write(chunk)
            os.chmod(there, 0o755 if run else 0o644)


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


def _link(path: str, target: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(target, path)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _empty_caches(paths: tuple[str, ...]) -> None:
    """Have all that is cached of files forgotten; as an ordinary user, all that can be of these."""
    try:
        os.sync()
        _write("/proc/sys/vm/drop_caches", "3")
        return
    except OSError:
        pass
    for path in paths:
        for here, _, names in os.walk(path) if os.path.isdir(path) else [("", (), [path])]:
            for name in names:
                _forget(os.path.join(here, name))


def _forget(path: str) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _constant(name: str) -> str:
    """What is said in place of a file of /proc that counts."""
    if name == "meminfo":
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10
        sizes = dict.fromkeys(("MemTotal", "MemFree", "MemAvailable"), total)
        sizes |= dict.fromkeys(("Buffers", "Cached", "SwapCached", "Active", "Inactive"), 0)
        sizes |= dict.fromkeys(("SwapTotal", "SwapFree", "Shmem", "Slab"), 0)
        return "".join(f"{key + ':':<16}{value:>8} kB\n" for key, value in sizes.items())
    if name == "stat":
        cpus = ("cpu ", *(f"cpu{number}" for number in range(os.cpu_count() or 1)))
        return "".join(f"{cpu} {'0 ' * 9}0\n" for cpu in cpus) + "ctxt 0\nbtime 0\nprocesses 1\n"
    return {"loadavg": "0.00 0.00 0.00 1/1 1\n", "uptime": "1.00 1.00\n"}.get(name, "")


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
            if name.isdigit() and _parent(name) == os.getpid():
                _ignoring(lambda pid=int(name): os.kill(pid, signal.SIGKILL))  # type: ignore[misc]
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.002)
        except ChildProcessError:
            return


def _parent(name: str) -> int:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _children(name: str) -> list[str]:
    """The numbers of the children of a process, of all its threads."""
    try:
        threads = os.listdir(f"/proc/{name}/task")
        found: list[str] = []
        for thread in threads:
            with open(f"/proc/{name}/task/{thread}/children") as file:
                found += file.read().split()
        return found
    except OSError:
        return [one for one in os.listdir("/proc") if one.isdigit() and _parent(one) == int(name)]


def _status_bytes(name: str, field: str) -> int:
    """A size in /proc/PID/status; 0 where the process has just gone."""
    try:
        with open(f"/proc/{name}/status", "rb") as file:
            return int(file.read().partition(f"\n{field}:".encode())[2].split()[0]) << 10
    except (OSError, IndexError, ValueError):
        return 0


def _shared_out(name: str) -> int:
    """The bytes of a process, of what it shares only its part; all of it where that is not told."""
    try:
        with open(f"/proc/{name}/smaps_rollup", "rb") as file:
            return int(file.read().partition(b"\nPss:")[2].split()[0]) << 10
    except (OSError, IndexError, ValueError):
        return _status_bytes(name, "VmRSS")


def _find_buffers(name: str, sockets: set[str], pipes: set[str]) -> None:
    """Add the sockets and pipes that a process has open."""
    try:
        descriptors = os.listdir(f"/proc/{name}/fd")
    except OSError:
        return
    for one in descriptors:
        try:
            said = os.readlink(f"/proc/{name}/fd/{one}")
        except OSError:
            continue
        if said.startswith("socket:"):
            sockets.add(said)
        elif said.startswith("pipe:"):
            pipes.add(said)


def _lines_of(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 16), b""))
    except OSError:
        return 0


def _tasks_of(user: int) -> int:
    """How many threads a user has; the kernel counts them all against the limit on processes."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == user:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count


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
