"""Understanding measured: a subject is asked about a phenomenon, plans or acts toward goals, explains and models it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from mensura.agent.errors import MensuraError
from mensura.agent.waiting import Waiting, finish
from mensura.core.abilities import hosting
from mensura.core.players import Subject, Unanswered
from mensura.statistics.understanding import (
    Probe,
    Understanding,
    goals_reached,
    graph_agreement,
    kappa,
    mean_of,
    recreated,
    skill,
)
from mensura.studies.examination import Examination
from mensura.studies.inquiry import Inquiry, Questioning
from mensura.studies.known_understanding import Known
from mensura.studies.respondents import (
    BadAnswer,
    Inside,
    LeftOut,
    Outside,
    Respondent,
    Tell,
    note_fault,
)

LEFT_ALL_OUT = "it left out all that was asked"


def understand_known(
    name: str, made: Callable[[Examination], Known], examination: Examination
) -> Understanding:
    """What a subject of known understanding understands."""
    return finish(_measured(name, Inside(made(examination), examination), examination))


def understand(
    name: str,
    subject: Subject,
    inquiry: Inquiry,
    examination: Examination,
    tell: Tell | None = None,
    questioning: Questioning | None = None,
) -> Understanding:
    """:func:`understanding`, waiting on the spot."""
    return finish(understanding(name, subject, inquiry, examination, tell, questioning))


def understanding(
    name: str,
    subject: Subject,
    inquiry: Inquiry,
    examination: Examination,
    tell: Tell | None = None,
    questioning: Questioning | None = None,
) -> Waiting[Understanding]:
    """What a subject understands of a phenomenon.

    ``examination`` is that of the world as it is; in a world that gives the subject rights the same is asked.
    """
    say, how = tell or (lambda text: None), questioning or Questioning()
    home = hosting(inquiry.world, subject)
    if home is not inquiry.world:
        examination = inquiry.examination(home)
    how.count = len(examination.questions) + len(examination.goals) + 2
    who = Outside(subject, inquiry, examination, say, how)
    try:
        yield from who.sit_down()
        found = yield from _measured(name, who, examination, say)
        contrast = yield from who.contrast(home)
    finally:
        who.leave()
    return replace(found, contrast=contrast, faults=tuple(who.faults))


def _measured(
    name: str, who: Respondent, examination: Examination, say: Tell = lambda text: None
) -> Waiting[Understanding]:
    say(f"asking {name} for predictions")
    predict = yield from _predict(who, examination)
    say(f"setting {name} goals")
    achieve = yield from _achieve(who, examination)
    say(f"asking {name} for an explanation and a model")
    explain = yield from _explain(who, examination)
    recreate = yield from _recreate(who, examination)
    phenomenon = examination.phenomenon.name
    faults = tuple(who.faults)
    return Understanding(name, phenomenon, predict, achieve, explain, recreate, None, faults)


@dataclass
class _Reading:
    is_good: bool = False
    """Whether the answer could be read and used."""
    is_left_out: bool = False
    """Whether there is no answer, since somebody did not want to give one."""


@contextmanager
def _reading(who: Respondent, probe: str) -> Iterator[_Reading]:
    """Note an answer that is none as a fault; somebody who cannot be reached is no fault and ends it all."""
    reading = _Reading()
    try:
        yield reading
        reading.is_good = True
    except Unanswered:
        raise
    except LeftOut:
        reading.is_left_out = True
    except (BadAnswer, MensuraError) as error:
        note_fault(who.faults, probe, str(error))


def _unasked(probe: str) -> Probe:
    return Probe(None, why=f"its probes have no {probe}()")


def _of_answers(parts: Mapping[str, float | None], asked: int, left_out: int, why: str) -> Probe:
    """A probe of several answers; ``why`` it may not be measured though there are some."""
    value = mean_of(parts)
    why = LEFT_ALL_OUT if left_out and not asked else why
    return Probe(value, parts, asked, why if value is None else "", left_out)


def _predict(who: Respondent, examination: Examination) -> Waiting[Probe]:
    """Skill over frequencies, kind by kind; an answer that is none is worth as much as the frequencies."""
    if "predict" not in who.probes:
        return _unasked("predict")
    scores: dict[str, list[tuple[float, float]]] = {}
    left_out = 0
    for question in examination.questions:
        with _reading(who, "predict") as reading:
            answer = yield from who.predict(question)
        if reading.is_left_out:
            left_out += 1
            continue
        score = question.score(answer) if reading.is_good else question.reference
        scores.setdefault(question.kind, []).append((score, question.reference))
    parts = {
        kind: skill([one for one, _ in pairs], [two for _, two in pairs])
        for kind, pairs in scores.items()
    }
    answered = len(examination.questions) - left_out
    return _of_answers(parts, answered, left_out, "frequencies answer all questions")


def _achieve(who: Respondent, examination: Examination) -> Waiting[Probe]:
    """P* clipped, over the goals of each kind."""
    reached: dict[str, list[tuple[bool, float]]] = {}
    numbers = {one.start: at for at, one in enumerate(examination.candidates)}
    left_out = 0
    for goal in examination.goals:
        done = False
        with _reading(who, "achieve") as reading:
            done = goal.reached((yield from who.reach(goal, numbers[goal.start])))
        if reading.is_left_out:
            left_out += 1
            continue
        reached.setdefault(goal.kind, []).append((done, goal.by_chance))
    parts = {
        kind: goals_reached(
            sum(done for done, _ in pairs) / len(pairs),
            sum(chance for _, chance in pairs) / len(pairs),
            1.0,
        )
        for kind, pairs in reached.items()
    }
    why = "no goal is between chance and what can be reached"
    return _of_answers(parts, len(examination.goals) - left_out, left_out, why)


def _explain(who: Respondent, examination: Examination) -> Waiting[Probe]:
    """The mean of the causal graph's F1 and of kappa over what would have happened."""
    if "explain" not in who.probes:
        return _unasked("explain")
    system, cases = examination.system, examination.cases
    truth = [(one.cause, one.effect, one.sign) for one in system.causes]
    count = len(truth) + len(cases)
    with _reading(who, "explain") as reading:
        edges, without = yield from who.explain()
    if reading.is_left_out:
        return Probe(None, why=LEFT_ALL_OUT, left_out=1)
    if not reading.is_good:
        return Probe(0.0, {}, count)
    parts = {
        "causes": graph_agreement(edges, truth, len(system.parts)),
        "without": kappa(without, [one.happened for one in cases]),
    }
    return Probe(mean_of(parts), parts, count)


def _recreate(who: Respondent, examination: Examination) -> Waiting[Probe]:
    """How much nearer than "nothing changes" a model is on sequences that nobody knew."""
    if "model" not in who.probes:
        return _unasked("model")
    with _reading(who, "recreate") as reading:
        model = yield from who.model()
        error = examination.error(model, examination.held_out)
    if reading.is_left_out:
        return Probe(None, why=LEFT_ALL_OUT, left_out=1)
    courses = examination.held_out
    if not reading.is_good:
        return Probe(0.0, {}, len(courses))
    value = recreated(error, examination.error_of_nothing(courses))
    return Probe(value, {}, len(courses), "" if value is not None else "nothing changes")
