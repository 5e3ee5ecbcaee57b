"""One dimension with friction in closed form: what reaching a place costs at least, for every time that it may take.

An object of mass m is driven by a power P of at most P_max; gravity along its axis and kinetic friction slow it down
by a = g sin(angle) + mu_k g cos(angle), whatever its speed. As power enters as work,

    m v dv/dt = P - m a v,    and over a distance d:    work = m a d + m (v_end^2 - v_start^2) / 2.

So the energy fixes the speed at the end, and of all ways with that speed the quickest is the one that is faster than
any other in every place: full power first, then no power at all. It is on the curve of full power from the start,
which nothing exceeds, then on the curve of coasting to the end, above which it would end too fast. To brake, or to go
the other way first, costs energy and time. With u = P_max / (m a), the speed at which friction takes all power, and a
parameter y, full power from rest gives

    v = u w,    t = (u / a) (y - w),    x = (u^2 / a) (y - w - w^2 / 2),    w = 1 - exp(-y),

so one number, the y at which power is cut off, tells time and energy. Where the speed at the end is limited
(:class:`Stop`), full power against the motion comes last: braking is full power from the end backwards, with -a.

The stepped simulation takes a little more energy, m a^2 dt / 2 for each second of motion, and at most one dt less
time, since a step moves with the velocity at its end. What is found here, with times one dt shorter, is therefore a
bound from below for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.float64]

HALVINGS = 100
"""Of an interval, at most, until nothing is left of it."""
_CLOSE = 1e-14
_SERIES = 0.02
"""Below this y a few terms of a series are more exact than differences."""
_STILL = 1e-7
"""A deceleration that is smaller than this share of what the power gives is taken to be this share."""


def _lag(y: Numbers) -> Numbers:
    """The difference y - w."""
    series = y * y * (1 / 2 - y * (1 / 6 - y * (1 / 24 - y / 120)))
    return np.where(np.abs(y) < _SERIES, series, y + np.expm1(-y))


def _way(y: Numbers) -> Numbers:
    """The integral of w^2, which is y - w - w^2 / 2."""
    w = -np.expm1(-y)
    series = y**3 * (1 / 3 - y * (1 / 4 - y * (7 / 60 - y * (1 / 24 - y * 31 / 2520))))
    return np.where(np.abs(y) < _SERIES, series, y - w - 0.5 * w * w)


def root(rises: Callable[[Numbers], Numbers], low: Numbers, high: Numbers) -> Numbers:
    """Where functions that rise from low to high become positive, elementwise; at high where they never do.

    The method of Chandrupatla (1997): inverse quadratic interpolation where it is safe, else halving.
    """
    a, b = np.array(low, np.float64), np.array(high, np.float64)
    fa, fb = rises(a), rises(b)
    begun, never = fa > 0.0, fb <= 0.0
    first, last = a.copy(), b.copy()
    share = np.full_like(a, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(HALVINGS):
            x = a + share * (b - a)
            fx = rises(x)
            same = (fx > 0.0) == (fa > 0.0)
            c, fc = np.where(same, a, b), np.where(same, fa, fb)
            b, fb = np.where(same, b, a), np.where(same, fb, fa)
            a, fa = x, fx
            width = np.abs(b - a)
            small = _CLOSE * np.maximum(np.abs(a), np.abs(b))
            if ((width <= 2.0 * small) | (fa == 0.0) | begun | never).all():
                break
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            safe = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            inverse = fa / (fb - fa) * fc / (fb - fc)
            inverse += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            share = np.where(safe & np.isfinite(inverse), inverse, 0.5)
            edge = np.minimum(small / width, 0.5)
            share = np.where(width > 0.0, np.clip(share, edge, 1.0 - edge), 0.0)
    found = np.where((fa > 0.0) | (fa == 0.0), a, b)
    return np.where(begun, first, np.where(never, last, found))


@dataclass(frozen=True)
class Burn:
    """The curve of full power from rest, by the parameter s >= 0 that grows with time."""

    mass: float
    power: float
    slowing: float
    """a; negative where gravity pulls more than friction holds."""

    @property
    def _turn(self) -> float:
        return 1.0 if self.slowing > 0.0 else -1.0

    @property
    def top(self) -> float:
        """u, negative where nothing limits the speed."""
        return self.power / (self.mass * self.slowing)

    def speed(self, s: Numbers) -> Numbers:
        """The speed."""
        return self.top * -np.expm1(-self._turn * s)

    def time(self, s: Numbers) -> Numbers:
        """Seconds since rest."""
        return self.top / self.slowing * _lag(self._turn * s)

    def way(self, s: Numbers) -> Numbers:
        """The distance since rest."""
        return self.top * self.top / self.slowing * _way(self._turn * s)

    def at_speed(self, v: Numbers) -> Numbers:
        """The parameter at a speed; infinite where it is never reached."""
        with np.errstate(divide="ignore", invalid="ignore"):
            s = -self._turn * np.log1p(-v / self.top)
        return np.where(np.isnan(s), np.inf, s)

    def at_way(self, x: Numbers) -> Numbers:
        """The parameter at a distance."""
        x = np.asarray(x, np.float64)
        high = np.ones_like(x)
        while (short := self.way(high) < x).any():
            high = np.where(short, 2.0 * high, high)
        return root(lambda s: self.way(s) - x, np.zeros_like(x), high)


@dataclass(frozen=True)
class Leg:
    """From a place to another that is ``distance`` further on, to be reached at any speed."""

    mass: float
    power: float
    """Watts that the object gets at most."""
    slowing: float
    distance: float
    speed: float = 0.0
    """At the start, towards the end."""
    price: float = 1.0
    """Joules that count for each joule that the object gets."""

    @cached_property
    def burn(self) -> Burn:
        """Its curve of full power."""
        given = (self.power / self.mass) ** 2 / max(self.distance, 1e-300)
        least = _STILL * np.cbrt(given)
        a = self.slowing
        return Burn(self.mass, self.power, a if abs(a) > least else float(least))

    @cached_property
    def _first(self) -> float:
        """The parameter at the start."""
        return float(self.burn.at_speed(np.array(self.speed)))

    @cached_property
    def _last(self) -> float:
        """The parameter at the end if the power is never cut off."""
        return float(self.burn.at_way(self.burn.way(np.array(self._first)) + self.distance))

    @cached_property
    def _least(self) -> float:
        """The parameter at which power is cut off if the object just gets there."""
        ends = np.array([self._first, self._last])
        return float(root(lambda s: self._square(s), ends[:1], ends[1:])[0])

    def _gone(self, s: Numbers) -> Numbers:
        return self.burn.way(s) - self.burn.way(np.array(self._first))

    def _square(self, s: Numbers) -> Numbers:
        """The square of the speed at the end."""
        return self.burn.speed(s) ** 2 - 2.0 * self.burn.slowing * (self.distance - self._gone(s))

    def _coasting(self, s: Numbers, way: Numbers) -> Numbers:
        """Seconds of coasting over a way after the power is cut off."""
        v = self.burn.speed(s)
        end = np.sqrt(np.maximum(v * v - 2.0 * self.burn.slowing * way, 0.0))
        # From rest without power nothing moves unless it slides.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(way > 0.0, 2.0 * way / (v + end), 0.0)

    def time_of(self, s: Numbers) -> Numbers:
        """Seconds until the end if the power is cut off at s."""
        return self.burning(s) + self._coasting(s, np.maximum(self.distance - self._gone(s), 0.0))

    def burning(self, s: Numbers) -> Numbers:
        """Seconds of full power until s."""
        return self.burn.time(s) - self.burn.time(np.array(self._first))

    def passing(self, s: Numbers, way: float) -> Numbers:
        """Seconds until so much of the way is behind if the power is cut off at s."""
        before = self.burn.at_way(self.burn.way(np.array(self._first)) + way)
        early = np.minimum(s, before)
        return self.burning(early) + self._coasting(s, np.maximum(way - self._gone(s), 0.0))

    def energy_of(self, s: Numbers) -> Numbers:
        """Joules until the end if the power is cut off at s."""
        return self.price * self.power * self.burning(s)

    @property
    def easy(self) -> bool:
        """Whether there is nothing to be done with power: it is there, or power there is none."""
        return self.distance <= 0.0 or self.power <= 0.0

    @property
    def possible(self) -> bool:
        """Whether it can get there."""
        if self.distance <= 0.0 or self.power > 0.0:
            return True
        square = self.speed**2 - 2.0 * self.slowing * self.distance
        return square >= 0.0 and (self.speed > 0.0 or self.slowing < 0.0)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The parameters between which power is cut off, from the least energy to the least time."""
        return self._least, self._last

    @cached_property
    def fastest(self) -> float:
        """The least time."""
        if self.easy:
            return self._unpowered
        return float(self.time_of(np.array(self._last)))

    @cached_property
    def slowest(self) -> float:
        """The time beyond which energy falls no further."""
        if self.easy:
            return self._unpowered
        return float(self.time_of(np.array(self._least)))

    @property
    def _unpowered(self) -> float:
        if self.distance <= 0.0:
            return 0.0
        end = np.sqrt(self.speed**2 - 2.0 * self.slowing * self.distance)
        return float(2.0 * self.distance / (self.speed + end))

    def cut_off(self, times: Numbers) -> Numbers:
        """The parameter at which power is cut off to be there in these times."""
        low, high = (np.full_like(times, end) for end in self.range)
        return root(lambda s: times - self.time_of(s), low, high)

    def energy(self, times: Numbers) -> Numbers:
        """The least energy to be there by these times; infinite where that is too soon."""
        times = np.asarray(times, np.float64)
        if self.easy:
            return np.where(times >= self.fastest, 0.0, np.inf)
        found = self.energy_of(self.cut_off(times))
        return np.where(times >= self.fastest * (1.0 - 1e-12), found, np.inf)


PLACES = 9
"""Places to stop at that are tried, before the neighborhood of the best is tried again."""


@dataclass(frozen=True)
class Stop:
    """A leg whose speed at the end is limited; it may end anywhere from ``leg.distance`` to ``farthest``.

    Full power, coasting, full power against the motion: the speed at which braking begins tells time and energy.
    """

    leg: Leg
    cap: float
    """The highest speed at the end."""
    farthest: float
    brake: float
    """Watts against the motion; 0 for none."""

    @cached_property
    def _braking(self) -> Burn:
        return Burn(self.leg.mass, self.brake, -self.leg.burn.slowing)

    def _brake(self, v: Numbers) -> tuple[Numbers, Numbers]:
        """Seconds and distance of braking from a speed to the cap."""
        if not self.brake:
            return np.zeros_like(v), np.zeros_like(v)
        end = self._braking.at_speed(np.array(self.cap))
        begin = np.maximum(self._braking.at_speed(v), end)
        seconds = self._braking.time(begin) - self._braking.time(end)
        return seconds, self._braking.way(begin) - self._braking.way(end)

    def _cut_off(self, v: Numbers, d: Numbers, latest: Numbers) -> Numbers:
        """Where power is cut off so that coasting ends with the speed v just where braking has to begin."""
        leg = self.leg
        before = d - self._brake(v)[1]
        square = v * v

        def too_fast(s: Numbers) -> Numbers:
            return (
                leg.burn.speed(s) ** 2 - 2.0 * leg.burn.slowing * (before - leg._gone(s)) - square
            )

        return root(too_fast, np.full_like(latest, leg._first), latest)

    def _latest(self, d: Numbers) -> Numbers:
        """The parameter of full power all the way."""
        return self.leg.burn.at_way(self.leg.burn.way(np.array(self.leg._first)) + d)

    def _highest(self, d: Numbers) -> Numbers:
        """The speed at which braking begins if there is no coasting."""
        leg = self.leg
        if not self.brake:
            return np.full_like(d, self.cap)

        def too_far(s: Numbers) -> Numbers:
            return leg._gone(s) + self._brake(leg.burn.speed(s))[1] - d

        latest = self._latest(d)
        s = root(too_far, np.full_like(latest, leg._first), latest)
        return np.maximum(leg.burn.speed(s), self.cap)

    def _trip(self, v: Numbers, d: Numbers, latest: Numbers) -> tuple[Numbers, Numbers]:
        """Seconds and joules if braking begins at the speed v and ends after d."""
        leg = self.leg
        s = self._cut_off(v, d, latest)
        braking, back = self._brake(v)
        fast = leg.burn.speed(s)
        coasting = 2.0 * (d - back - leg._gone(s)) / (fast + v)
        burning = leg.burning(s)
        joules = leg.price * (leg.power * burning + self.brake * braking)
        return burning + np.maximum(coasting, 0.0) + braking, joules

    def _places(self, low: Numbers, high: Numbers) -> Numbers:
        shares = np.linspace(0.0, 1.0, PLACES if self.farthest > self.leg.distance else 1)
        return low + (high - low) * shares[:, None]

    @cached_property
    def fastest(self) -> float:
        """The least time."""
        d = self._places(np.array([self.leg.distance]), np.array([self.farthest]))
        return float(self._trip(self._highest(d), d, self._latest(d))[0].min())

    @cached_property
    def slowest(self) -> float:
        """The time beyond which energy falls no further: coasting to the first place."""
        d = np.array([self.leg.distance])
        return float(self._trip(np.full_like(d, self.cap), d, self._latest(d))[0][0])

    def best(self, times: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """For these times the least energy, the speed at which braking begins for it, and where it stops."""
        times = np.asarray(times, np.float64).reshape(-1)
        low = np.full_like(times, self.leg.distance)
        high = np.full_like(times, self.farthest)
        rows = np.arange(len(times))
        while True:
            d = self._places(low, high)
            found, v = self._at(times, d)
            at = found.argmin(axis=0)
            # A smaller neighborhood has nothing to offer where the nearest place is the best of all.
            if not at.any() or (high - low).max() < 1e-5 * self.farthest:
                return found[at, rows], v[at, rows], d[at, rows]
            low = d[np.maximum(at - 1, 0), rows]
            high = d[np.minimum(at + 1, len(d) - 1), rows]

    def trip(self, time: float) -> tuple[float, float, float]:
        """Seconds of power, of coasting and of braking for the least energy in a time."""
        _, v, d = self.best(np.array([time]))
        latest = self._latest(d)
        burning = self.leg.burning(self._cut_off(v, d, latest))
        braking = self._brake(v)[0]
        taken = self._trip(v, d, latest)[0]
        return float(burning[0]), float((taken - burning - braking)[0]), float(braking[0])

    def _at(self, times: Numbers, d: Numbers) -> tuple[Numbers, Numbers]:
        """The least energy for times and places to stop at, and the speed at which braking begins for it."""
        wanted = np.broadcast_to(times, d.shape) * (1.0 + 1e-12)
        latest = self._latest(d)
        low, high = np.full_like(d, self.cap), self._highest(d)
        v = root(lambda v: wanted - self._trip(v, d, latest)[0], low, high)
        taken, joules = self._trip(v, d, latest)
        return np.where(taken <= wanted * (1.0 + 1e-9), joules, np.inf), v

    def energy(self, times: Numbers) -> Numbers:
        """The least energy to be there by these times; infinite where that is too soon."""
        times = np.asarray(times, np.float64)
        return self.best(times)[0].reshape(times.shape)
