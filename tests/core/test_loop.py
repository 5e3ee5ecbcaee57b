"""The one loop carries every kind of world and subject, and never fails because of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.toys import Relay, RelayDescription, RelayWorld

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents, InProcess
from mensura.agent.task import Limits, Task
from mensura.assessments.battery import Battery
from mensura.core.contract import Episode, Plan
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import Standing, play
from mensura.core.mixed import Mixed
from mensura.core.players import drive
from mensura.core.sitting import sit

pytestmark = pytest.mark.quick


class Pusher:
    """Pushes the lever towards a level and remembers all that it was told."""

    def __init__(self, level: int = 3) -> None:
        self.level = level
        self.log: list[tuple[Any, ...]] = []

    def begin(self, task: Task, rng: Any) -> None:
        self.log.append(("begin", task.seat.index, task.learning))

    def act(self, observation: float, reward: float) -> int:
        self.log.append(("act", observation, round(reward, 9)))
        return (observation < self.level) - (observation > self.level)

    def end(self, observation: float, reward: float, terminated: bool) -> None:
        self.log.append(("end", observation, terminated))


def relay(goal: int = 3, **changes: Any) -> Relay:
    return Relay(RelayDescription(goal, **changes))


def episode_of(environment: Any, player: Any, **options: Any) -> Any:
    options.setdefault("speakers", player.speakers)
    return drive(play(environment, 1, world="relay-v0", seed=2, **options), player)


class Slow:
    """A player who declares how long each seat thought, as a person or a model would take."""

    speakers: frozenset[int] = frozenset()

    def __init__(self, agents: list[Any], seconds: float) -> None:
        self.inner = Agents(agents)
        self.seconds = seconds
        self.asked: list[Ask] = []

    def answer(self, asks: list[Ask]) -> list[Answer]:
        self.asked.extend(asks)
        return [answer._replace(seconds=self.seconds) for answer in self.inner.answer(asks)]

    def close(self) -> None:
        pass


def test_two_controllers_act_at_their_own_times_and_get_the_rewards_since_their_last_turn() -> None:
    pushers = [Pusher(), Pusher()]
    episode = episode_of(relay(), Agents(pushers))
    assert episode.interactions == (6, 4)
    acts = [[entry for entry in pusher.log if entry[0] == "act"] for pusher in pushers]
    # Both push at tick 0, so the lever stands at 2 from tick 1 on: -0.01 a tick until it is at 3.
    assert acts[0][:3] == [("act", 0.0, 0.0), ("act", 2.0, -0.02), ("act", 3.0, 0.0)]
    assert acts[1][:2] == [("act", 0.0, 0.0), ("act", 3.0, -0.02)]
    assert pushers[0].log[0] == ("begin", 0, False)
    assert pushers[1].log[-1] == ("end", 3.0, False)


def test_an_asynchronous_world_applies_an_action_after_the_seconds_it_took() -> None:
    quick, slow = (
        episode_of(relay(), Slow([Pusher(), Pusher()], seconds)) for seconds in (0.5, 4.0)
    )
    assert sum(slow.rewards) < sum(quick.rewards)
    assert slow.seconds[0] > 4.0 * slow.interactions[0]


def test_the_same_key_replays_the_same_episode() -> None:
    first, second = (episode_of(relay(), Slow([Pusher(), Pusher()], 1.0)) for _ in range(2))
    assert first == second


def test_an_agent_that_raises_is_given_the_default_action_and_after_three_faults_left_alone() -> (
    None
):
    class Broken:
        calls = 0

        def act(self, observation: float, reward: float) -> int:
            self.calls += 1
            raise ValueError("no idea\nat all")

    broken, fine = Broken(), Pusher()
    episode = episode_of(relay(), Agents([broken, fine]))
    assert broken.calls == 3
    assert [fault.kind for fault in episode.faults] == ["raised"] * 3
    assert episode.faults[0].detail.startswith("ValueError: no idea at all (test_loop.py, line ")
    assert episode.interactions == (6, 4)
    assert len([entry for entry in fine.log if entry[0] == "act"]) == 4


@pytest.mark.parametrize("nonsense", [17, 1.0, True, None, "1", [1], float("nan")])
def test_an_action_out_of_range_is_a_fault_and_the_default_is_played(nonsense: Any) -> None:
    class Odd:
        def act(self, observation: float, reward: float) -> Any:
            return nonsense

    episode = episode_of(relay(), Agents([Odd(), Odd()]))
    assert {fault.kind for fault in episode.faults} == {"illegal"}
    assert episode.rewards[0] == pytest.approx(-0.03 * 12)


def test_faults_are_remembered_over_the_episodes_of_a_sitting() -> None:
    class Mortal:
        calls = 0

        def act(self, observation: float, reward: float) -> int:
            Mortal.calls += 1
            raise RuntimeError

    battery = Battery(episodes=1, training=3)
    played: list[tuple[Plan, Episode]] = []
    sitting = sit(
        battery,
        RelayWorld(),
        Agents([Mortal(), Pusher()]),
        5,
        6,
        after=lambda plan, episode: played.append((plan, episode)),
    )
    assert Mortal.calls == 3
    assert [len(episode.faults) for _, episode in played] == [3, 0, 0, 0]
    assert [plan.learning for plan, _ in played] == [True, True, True, False]
    assert sitting.episodes == (played[-1],)


def test_members_of_a_collective_hear_each_other_before_they_act() -> None:
    class Talker(Pusher):
        def tell(self, observation: float, reward: float) -> str:
            return f"I see {observation:g}"

        def hear(self, messages: dict[int, str]) -> None:
            self.log.append(("heard", dict(messages)))

    talkers = [Talker(), Talker()]
    episode_of(relay(), Agents(talkers))
    heard = [entry[1] for entry in talkers[0].log if entry[0] == "heard"]
    assert heard[0] == {0: "I see 0", 1: "I see 0"}
    assert heard[1] == {0: "I see 2"}  # only seat 0 is due at tick 2


def test_an_agent_without_tell_is_never_asked_to() -> None:
    class Silent:
        def act(self, observation: float, reward: float) -> int:
            return 0

    assert episode_of(relay(), Agents([Silent(), Silent()])).faults == ()


def test_nobody_is_asked_twice_when_an_episode_is_resumed_from_its_journal(tmp_path: Path) -> None:
    undisturbed = episode_of(relay(), Slow([Pusher(), Pusher()], 1.0))

    class Dies(Slow):
        def answer(self, asks: list[Ask]) -> list[Answer]:
            if len(self.asked) > 6:
                raise KeyboardInterrupt
            return super().answer(asks)

    path = tmp_path / "journal.jsonl"
    before = Dies([Pusher(), Pusher()], 1.0)
    with Journal(path) as journal, pytest.raises(KeyboardInterrupt):
        episode_of(relay(), Journaled(before, journal))
    after = Slow([Pusher(), Pusher()], 1.0)
    with Journal(path) as journal:
        resumed = episode_of(relay(), Journaled(after, journal))
    assert resumed == undisturbed
    total = Slow([Pusher(), Pusher()], 1.0)
    episode_of(relay(), total)
    assert len(before.asked) + len(after.asked) == len(total.asked)
    with Journal(path) as journal:
        replayed = episode_of(relay(), Journaled(Nobody(), journal))
    assert replayed == undisturbed


class Nobody:
    speakers: frozenset[int] = frozenset()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        raise AssertionError("nobody may be asked")

    def close(self) -> None:
        pass


def test_a_journal_cut_off_in_the_middle_of_a_line_loses_that_line_only(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add([Ask("act", 0), Ask("act", 1)], [Answer(1, 0.5), Answer(-1, 0.25)])
    path.write_bytes(path.read_bytes()[:-5])
    with Journal(path) as journal:
        assert journal.take(Ask("act", 0)) == Answer(1, 0.5)
        assert journal.take(Ask("act", 1)) is None
        journal.add([Ask("act", 1)], [Answer(0, 0.1)])
    with Journal(path) as journal:
        assert [entry["value"] for entry in journal.entries] == [1, 0]


def test_a_journal_of_another_episode_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add([Ask("act", 1)], [Answer(1)])
    with Journal(path) as journal, pytest.raises(MensuraError, match="another episode"):
        episode_of(relay(), Journaled(Nobody(), journal))


def test_a_heterogeneous_collective_seats_each_part_beside_the_other() -> None:
    made: list[Pusher] = []

    def subject(level: int) -> InProcess:
        def make() -> Pusher:
            made.append(Pusher(level))
            return made[-1]

        return InProcess(f"pusher-{level}", make)

    mixed = Mixed([(subject(3), 1), (subject(-3), 1)])
    assert mixed.name == "pusher-3+pusher--3"
    episode = episode_of(relay(), mixed.sit(2))
    assert episode.faults == ()
    assert [pusher.level for pusher in made] == [3, -3]
    with pytest.raises(MensuraError, match="2 members and the environment 3 seats"):
        mixed.sit(3)


def test_an_object_without_act_is_refused_with_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"has no method act\(observation, reward\)"):
        InProcess("object", object).sit(1)  # type: ignore[arg-type]


def test_a_seat_out_of_standing_is_asked_nothing_at_all() -> None:
    standing = Standing(Limits().faults)
    for _ in range(3):
        standing.fault(0)
    player = Slow([Pusher(), Pusher()], 0.0)
    episode = episode_of(relay(), player, standing=standing)
    assert {ask.seat for ask in player.asked} == {1}
    assert episode.interactions == (6, 4)


def test_a_value_that_cannot_even_be_shown_is_a_fault_like_any_other() -> None:
    class Unspeakable:
        def __repr__(self) -> str:
            raise RuntimeError

    class Odd:
        def act(self, observation: float, reward: float) -> Any:
            return Unspeakable()

    class Leaves:
        def act(self, observation: float, reward: float) -> Any:
            raise SystemExit(1)

    episode = episode_of(relay(), Agents([Odd(), Leaves()]))
    assert {fault.kind for fault in episode.faults} == {"illegal", "raised"}
    assert "Unspeakable that cannot be shown" in episode.faults[0].detail


class Breaks:
    """Raises from some action on."""

    def __init__(self, after: int) -> None:
        self.left = after

    def act(self, observation: float, reward: float) -> int:
        self.left -= 1
        if self.left < 0:
            raise ArithmeticError("no more")
        return 0


def test_an_episode_tells_how_often_the_default_was_played_and_how_much_was_asked() -> None:
    whole = episode_of(relay(), Agents([Pusher(), Pusher()]))
    assert (whole.defaults, whole.asked) == ((), sum(whole.interactions))
    broken = episode_of(relay(), Agents([Breaks(1), Pusher()]))
    first, second = broken.interactions
    assert first > 4
    # One answer, three faults, and then the seat is not asked again, not even to end.
    assert len(broken.faults) == 3
    assert (broken.defaults, broken.asked) == ((first - 1, 0), 1 + 3 + second)
    assert broken.faults[0].detail.startswith("ArithmeticError: no more (test_loop.py, line ")
