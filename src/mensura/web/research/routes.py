"""The research view: its page, and the API under ``/api/research`` that the page uses.

Only the experimenter may, unless the server was started for all: the view shows everything, and it takes work. All
functions here are plain ones, which run in threads, so that a visit holds nobody else up.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path
from starlette.requests import Request
from starlette.responses import Response

from mensura.agent.errors import MensuraError
from mensura.core.abilities import (
    describe_from_json,
    presets,
)
from mensura.web.pages import embedded, page, words_for
from mensura.web.refusals import Refused
from mensura.web.research import worlds
from mensura.web.research.access import API, RESEARCHERS, OpenVisits, Say, VisitName, seed_asked
from mensura.web.research.editors import editor_of
from mensura.web.research.models import (
    About,
    Again,
    Back,
    Beginning,
    Begun,
    Drawing,
    Drawn,
    Marked,
    Offer,
    ParameterForm,
    Read,
    Reading,
    State,
    Stepping,
    WorldAsked,
    WorldForm,
)
from mensura.web.research.parameters import fields_of, plain
from mensura.web.research.showing import about_of, offer_of, state_of
from mensura.web.research.visit import Visit
from mensura.web.research.visits import Visits
from mensura.web.security import Limiter

POOL: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}, "description": "The file of a pool."}
}

MOST_DESCRIPTIONS = 100
"""So many environments of a file are shown."""


def open_research(app: FastAPI) -> None:
    """Before the application serves: nobody is visiting."""
    app.state.visits = Visits()
    app.state.research_limits = Limiter(burst=120, per_second=30)


def close_research(app: FastAPI) -> None:
    """After it has served: all visits end."""
    app.state.visits.close()


router = APIRouter(tags=["research"], dependencies=RESEARCHERS)


@router.get("/research", include_in_schema=False)
def research_page(request: Request) -> Response:
    """The page."""
    words = words_for(request)
    context = {
        "words": words.group("research"),
        "worlds": worlds.world_names(),
    }
    return page(request, "research/research.html", data=embedded(context))


# Worlds -------------------------------------------------------------------------------


@router.get(f"{API}/worlds/{{name}}")
def world_form(name: Annotated[str, Path(max_length=100)], say: Say) -> WorldForm:
    """What can be set of a world, its presets, complexities and built-in subjects."""
    kind = worlds.kind_of(name)
    home = worlds.make_world(name)
    editor = editor_of(home.id)
    about = (kind.__doc__ or "").strip().splitlines() or [""]
    return WorldForm(
        **dict(offer_of(home, say)),
        world=home.id,
        about=about[0],
        editor=editor.script if editor is not None else "",
        data=editor.data() if editor is not None else {},
        parameters=[
            ParameterForm(
                name=one.name,
                about=say(one.meaning),
                kinds=list(one.kinds),
                words=list(one.words),
                default=one.default,
            )
            for one in fields_of(kind)
        ],
        presets={
            preset: {parameter: plain(value) for parameter, value in changes.items()}
            for preset, changes in presets(kind).items()
        },
    )


@router.post(f"{API}/worlds")
def world_offer(asked: WorldAsked, say: Say) -> Offer:
    """The complexities and built-in subjects that a world has under some parameters."""
    return offer_of(_world(asked), say)


@router.post(f"{API}/environments")
def draw_environment(asked: Drawing, visits: OpenVisits) -> Drawn:
    """Let a world draw an environment."""
    with visits.working():
        home = _world(asked)
        seed = seed_asked(asked.seed)
        within = asked.within
        wanted = None if within is None else (within.measure, within.low, within.high)
        description = worlds.sample(home, seed, wanted)
        worlds.check_description(home, description)
        return Drawn(description=description.to_json(), seed=str(seed))


@router.post(f"{API}/files")
def read_file(asked: Reading, visits: OpenVisits) -> Read:
    """Find out which world a file's environments are of, and read them."""
    given = asked.data if isinstance(asked.data, list) else [asked.data]
    if not 1 <= len(given) <= MOST_DESCRIPTIONS:
        raise MensuraError(
            f"The file holds {len(given)} environments; from 1 to {MOST_DESCRIPTIONS} are read here."
        )
    names = [asked.world] if asked.world else worlds.world_names()
    sentences = []
    with visits.working():
        for name in names:
            home = worlds.make_world(name)
            try:
                found = [describe_from_json(home, one) for one in given]
                for one in found:
                    worlds.check_description(home, one)
            except MensuraError as error:
                sentences.append(f"{name}: {error}")
                continue
            return Read(world=home.id, descriptions=[one.to_json() for one in found])
    raise MensuraError(f"The file describes no environment that can be read. {' '.join(sentences)}")


def _world(asked: WorldAsked) -> Any:
    return worlds.make_world(asked.world, asked.preset, asked.parameters)


# Visits -------------------------------------------------------------------------------


BEGUN = {
    name: {
        "operationId": f"research-{name}",
        "parameters": {"name": "$response.body#/state/visit"},
    }
    for name in ("look", "about", "step", "back", "begin_episode", "end_visit")
}
"""What can be done with a visit."""


@router.post(
    f"{API}/visits",
    status_code=201,
    responses={201: {"description": "It has begun.", "links": BEGUN}},
)
def begin_visit(asked: Beginning, visits: OpenVisits, say: Say) -> Begun:
    """Begin a visit to an environment, with a built-in subject or by hand."""
    with visits.working():
        home = _world(asked)
        description = describe_from_json(home, asked.description)
        try:
            visit = Visit(
                home,
                description,
                seed_asked(asked.seed),
                asked.subject,
                asked.training,
                asked.limit,
            )
            about = about_of(visit, say)
        except (TypeError, ValueError, OverflowError) as error:
            raise MensuraError(
                f"The description cannot be played: {type(error).__name__}: {error}."
            ) from error
        name = visits.add(visit)
        return Begun(state=state_of(name, visit, say), about=about)


@router.get(f"{API}/visits/{{name}}")
def look(name: VisitName, visits: OpenVisits, say: Say) -> Begun:
    """All of the state of a visit."""
    with visits.at(name) as visit:
        visit.cut_off()
        return Begun(state=state_of(name, visit, say), about=about_of(visit, say))


@router.get(f"{API}/visits/{{name}}/about")
def about(name: VisitName, visits: OpenVisits, say: Say) -> About:
    """What stays the same in a visit: complexities, the description for a file, the command to use it."""
    with visits.at(name) as visit:
        return about_of(visit, say)


@router.post(f"{API}/visits/{{name}}/steps")
def step(name: VisitName, asked: Stepping, visits: OpenVisits, say: Say) -> State:
    """Play interactions: the first with these actions, the others by the subject."""
    with visits.at(name) as visit:
        if asked.after is not None and asked.after != len(visit.steps):
            raise Refused(
                409,
                f"The visit is at interaction {len(visit.steps)}, not at {asked.after}: it went on elsewhere.",
            )
        chosen = visit.read_actions(asked.actions)
        visit.step(chosen)
        visit.play(asked.count - 1)
        return state_of(name, visit, say)


@router.post(f"{API}/visits/{{name}}/back")
def back(name: VisitName, asked: Back, visits: OpenVisits, say: Say) -> State:
    """Go back to the moment after so many interactions."""
    with visits.at(name) as visit:
        visit.back(asked.to)
        return state_of(name, visit, say)


@router.post(f"{API}/visits/{{name}}/checkpoints")
def mark(name: VisitName, visits: OpenVisits) -> Marked:
    """Mark the moment as a checkpoint."""
    with visits.at(name) as visit:
        visit.marks.mark(visit)
        return Marked(count=len(visit.marks))


@router.get(f"{API}/visits/{{name}}/pool", response_class=Response, responses=POOL)
def marked_pool(name: VisitName, visits: OpenVisits) -> Response:
    """The checkpoints that were marked, as the file of a pool."""
    with visits.at(name) as visit:
        content = visit.marks.pool(visit.home.id).content()
    headers = {"content-disposition": 'attachment; filename="checkpoints.pool"'}
    return Response(content, media_type="application/zip", headers=headers)


@router.post(f"{API}/visits/{{name}}/episodes")
def begin_episode(name: VisitName, asked: Again, visits: OpenVisits, say: Say) -> Begun:
    """Begin another episode in the same environment: with another seed, or another subject."""
    with visits.at(name) as visit:
        visit.begin(seed_asked(asked.seed), asked.subject, asked.training, asked.limit)
        return Begun(state=state_of(name, visit, say), about=about_of(visit, say))


@router.delete(f"{API}/visits/{{name}}", status_code=204)
def end_visit(name: VisitName, visits: OpenVisits) -> None:
    """End a visit."""
    visits.end(name)
