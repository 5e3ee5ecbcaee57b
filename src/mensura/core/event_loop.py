"""Many pieces of work that wait, side by side in one thread: whichever has something to go on with goes on.

The work is as :mod:`mensura.agent.waiting` describes it. A descriptor stays watched from one wait to the next, so that
a wait costs a share of the system call that tells who is ready, and no more.
"""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf
from time import perf_counter
from typing import Any, TypeAlias

from mensura.agent.waiting import Wait, Waiting

Done = Callable[[Any, BaseException | None], None]
"""Is told what a piece of work returned, or what it raised."""

Watched: TypeAlias = tuple[int, int]
"""A descriptor, and what of it is waited for."""

LONGEST_PAUSE = 60.0
"""Seconds between looks at the clock where nothing is due."""


class EventLoop:
    """Runs pieces of work in the thread that calls :meth:`run`; all else may be called from any thread."""

    def __init__(self) -> None:
        self._ready = _watcher()
        self._inbox: deque[Callable[[], None]] = deque()
        self._bell_heard, self._bell = os.pipe()
        os.set_blocking(self._bell_heard, False)
        os.set_blocking(self._bell, False)
        self._tasks: set[_Task] = set()
        self._waiting: dict[int, list[_Task]] = {}
        """Who waits for each descriptor."""
        self._alarms: list[tuple[float, int, _Task]] = []
        self._numbers = count()
        self._over = False

    def add(self, work: Waiting[Any], done: Done) -> None:
        """Begin a piece of work."""
        self._ring(lambda: self._begin(_Task(work, done)))

    def interrupt(self, error: Callable[[], BaseException]) -> None:
        """Raise an error in every piece of work where it waits."""
        self._ring(lambda: self._raise(error))

    def stop(self) -> None:
        """End :meth:`run` once what was asked for before is done; work that still waits is dropped."""
        self._ring(self._end)

    def run(self) -> None:
        """Go on until somebody stops it."""
        self._ready.watch((self._bell_heard, select.POLLIN))
        while not self._over:
            due = self._alarms[0][0] - perf_counter() if self._alarms else LONGEST_PAUSE
            for descriptor in self._ready.poll(min(max(due, 0.0), LONGEST_PAUSE)):
                if descriptor == self._bell_heard:
                    self._answer_the_bell()
                else:
                    self._look(descriptor)
            if self._alarms and self._alarms[0][0] <= perf_counter():
                self._ring_alarms()
        for task in list(self._tasks):
            task.work.close()
        self._tasks.clear()
        self._ready.close()
        os.close(self._bell_heard)
        os.close(self._bell)

    def _ring(self, errand: Callable[[], None]) -> None:
        self._inbox.append(errand)
        try:
            os.write(self._bell, b"!")
        except BlockingIOError:  # it rings already
            pass

    def _answer_the_bell(self) -> None:
        try:
            os.read(self._bell_heard, 1 << 16)
        except BlockingIOError:
            pass
        while self._inbox:
            self._inbox.popleft()()

    def _end(self) -> None:
        self._over = True

    def _raise(self, error: Callable[[], BaseException]) -> None:
        for task in list(self._tasks):
            self._go_on(task, [], error())

    def _begin(self, task: _Task) -> None:
        self._tasks.add(task)
        self._go_on(task, None, None)

    def _go_on(self, task: _Task, came: Any, error: BaseException | None) -> None:
        """Let a piece of work run to its next wait, or to its end."""
        work = task.work
        try:
            while True:
                wait = work.send(came) if error is None else work.throw(error)
                if wait.watched is not None:
                    break
                error = None
                try:
                    came = wait.take(wait.until)
                except Exception as raised:
                    error = raised
        except StopIteration as end:
            self._finish(task, end.value, None)
        except BaseException as raised:
            self._finish(task, None, raised)
        else:
            task.wait = wait
            try:
                self._watch(task, wait.watched())
            except OSError as gone:
                self._go_on(task, [], gone)
                return
            if wait.until < task.alarm:
                task.alarm = wait.until
                heappush(self._alarms, (wait.until, next(self._numbers), task))

    def _watch(self, task: _Task, watched: Sequence[Watched]) -> None:
        """Let a piece of work wait for descriptors, and no longer for those that it waited for before."""
        if watched is task.watched:
            return  # the same again, as nearly always
        self._forget(task)
        task.watched = watched
        for one in watched:
            self._waiting.setdefault(one[0], []).append(task)
            self._ready.watch(one)

    def _forget(self, task: _Task) -> None:
        for descriptor, _ in task.watched:
            waiting = self._waiting[descriptor]
            waiting.remove(task)
            if not waiting:
                del self._waiting[descriptor]
        task.watched = ()

    def _look(self, descriptor: int) -> None:
        """Something is ready: whoever waits for it longest takes it."""
        waiting = self._waiting.get(descriptor)
        if waiting:
            self._take(waiting[0])
        else:
            self._ready.leave(descriptor)

    def _take(self, task: _Task) -> None:
        wait = task.wait
        assert wait is not None
        assert wait.watched is not None
        try:
            came = wait.take(0.0)
        except Exception as error:
            self._go_on(task, [], error)
            return
        if came or perf_counter() >= wait.until:
            self._go_on(task, came, None)
        else:
            self._watch(task, wait.watched())

    def _ring_alarms(self) -> None:
        now = perf_counter()
        while self._alarms and self._alarms[0][0] <= now:
            at, _, task = heappop(self._alarms)
            if task not in self._tasks or at != task.alarm:
                continue
            task.alarm = inf
            assert task.wait is not None
            if task.wait.until <= now:
                self._take(task)
            else:  # it has had what it waited for, and waits for something else
                task.alarm = task.wait.until
                heappush(self._alarms, (task.alarm, next(self._numbers), task))

    def _finish(self, task: _Task, result: Any, error: BaseException | None) -> None:
        self._forget(task)
        self._tasks.discard(task)
        task.done(result, error)


class _Task:
    """A piece of work, what it waits for, and when it is looked at next in any case."""

    __slots__ = ("alarm", "done", "wait", "watched", "work")

    def __init__(self, work: Waiting[Any], done: Done) -> None:
        self.work = work
        self.done = done
        self.wait: Wait | None = None
        self.watched: Sequence[Watched] = ()
        self.alarm = inf


# Who is ready -------------------------------------------------------------------


class _Ready:
    """Tells which descriptors are ready, as long as they are; those that nobody waits for have to be left."""

    def __init__(self, poll: Any, unit: float) -> None:
        self._poll = poll
        self._unit = unit
        self._known: dict[int, Watched] = {}
        """What is watched. The very object is compared: a new connection may have the number of one that was closed,
        which the system forgot with it."""

    def watch(self, watched: Watched) -> None:
        if self._known.get(watched[0]) is watched:
            return
        try:
            self._poll.modify(*watched)
        except FileNotFoundError:
            self._poll.register(*watched)
        self._known[watched[0]] = watched

    def leave(self, descriptor: int) -> None:
        self._known.pop(descriptor, None)
        try:
            self._poll.unregister(descriptor)
        except (KeyError, OSError):  # it is closed already
            pass

    def poll(self, seconds: float) -> list[int]:
        return [descriptor for descriptor, _ in self._poll.poll(seconds * self._unit)]

    def close(self) -> None:
        if hasattr(self._poll, "close"):
            self._poll.close()


def _watcher() -> _Ready:
    """By epoll, or by poll where there is none, which counts in milliseconds."""
    return _Ready(select.epoll(), 1.0) if hasattr(select, "epoll") else _Ready(select.poll(), 1e3)
