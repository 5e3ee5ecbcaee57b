"""A control group for a sitting: where it is made, what it is told, and how it ends."""

import os
import sys
from pathlib import Path

import pytest

from mensura.agents.isolation import cgroup
from mensura.agents.isolation.cgroup import Group, place_for_groups

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")

SWITCHED_ON = "cpu memory pids"


def tree(folder: Path, ours: str, **switched_on: str) -> Path:
    """Groups as files: ``ours`` is our group, and what is switched on for the children of others, by name."""
    top = folder / "groups"
    for group in [*switched_on, ours]:
        place = top / group.replace("__", "/")
        place.mkdir(parents=True, exist_ok=True)
    for place in [top, *(one for one in top.rglob("*") if one.is_dir())]:
        name = place.relative_to(top).as_posix().replace("/", "__")
        (place / "cgroup.procs").touch()
        (place / "cgroup.controllers").write_text(SWITCHED_ON)
        (place / "cgroup.subtree_control").write_text(switched_on.get(name, ""))
        if place != top:
            (place / "cgroup.type").write_text("domain")
    proc = folder / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text(f"4:memory:/elsewhere\n0::/{ours}\n")
    (proc / "mountinfo").write_text(
        "21 1 0:19 / /sys rw - sysfs sysfs rw\n"
        f"30 21 0:26 / {top} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
    )
    return top


def test_it_is_made_beside_our_group_where_controllers_are_switched_on(tmp_path: Path) -> None:
    top = tree(tmp_path, "user/app/session", user=SWITCHED_ON, user__app=SWITCHED_ON)
    assert place_for_groups(str(tmp_path / "proc")) == str(top / "user/app")


def test_a_group_above_without_them_is_passed_over_and_left_as_it_is(tmp_path: Path) -> None:
    top = tree(tmp_path, "user/app/session", user=SWITCHED_ON, user__app="cpu")
    assert place_for_groups(str(tmp_path / "proc")) == str(top / "user")
    assert (top / "user/app/cgroup.subtree_control").read_text() == "cpu"


def test_our_own_group_is_never_used_since_it_has_processes(tmp_path: Path) -> None:
    tree(tmp_path, "session", session=SWITCHED_ON)
    assert place_for_groups(str(tmp_path / "proc")) == ""


def test_the_root_of_all_groups_may_have_processes_and_is_switched_on(tmp_path: Path) -> None:
    top = tree(tmp_path, "")
    assert place_for_groups(str(tmp_path / "proc")) == str(top)
    assert (top / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_the_root_of_a_container_is_no_root_of_all(tmp_path: Path) -> None:
    top = tree(tmp_path, "")
    (top / "cgroup.type").write_text("domain")
    assert place_for_groups(str(tmp_path / "proc")) == ""


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_where_we_may_not_write_there_is_none(tmp_path: Path) -> None:
    top = tree(tmp_path, "user/session", user=SWITCHED_ON)
    (top / "user").chmod(0o555)
    assert place_for_groups(str(tmp_path / "proc")) == ""


def test_without_groups_of_version_2_there_is_none(tmp_path: Path) -> None:
    tree(tmp_path, "user/session", user=SWITCHED_ON)
    proc = tmp_path / "proc"
    (proc / "cgroup").write_text("4:memory:/elsewhere\n")
    assert place_for_groups(str(proc)) == ""
    (proc / "cgroup").write_text("0::/../outside\n")
    assert place_for_groups(str(proc)) == ""
    (proc / "mountinfo").write_text("")
    assert place_for_groups(str(proc)) == ""
    assert place_for_groups(str(tmp_path / "nowhere")) == ""


def test_it_is_told_the_limits_and_who_enters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ("pids.max", "memory.max", "memory.swap.max", "memory.oom.group", "cgroup.procs")
    folder = tmp_path / "mensura-1"
    made = os.mkdir

    def with_files(path: str, mode: int) -> None:
        made(path, mode)
        for name in files:
            (Path(path) / name).touch()

    monkeypatch.setattr(cgroup.os, "mkdir", with_files)
    group = Group(str(tmp_path), "mensura-1", memory=300 << 20, processes=7)
    group.enter()
    assert [(folder / name).read_text() for name in files] == [
        str(7),
        str(300 << 20),
        "0",
        "1",
        "00",
    ]
    assert not group.ran_out()
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\n")
    assert group.ran_out()
    assert group.processor_seconds() == 0.0
    (folder / "cpu.stat").write_text(
        "usage_usec 61500000\nuser_usec 61000000\nsystem_usec 500000\n"
    )
    assert group.processor_seconds() == 61.5
    group.end()
    group.end()


def test_a_group_that_cannot_be_limited_is_not_left_behind(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        Group(str(tmp_path), "mensura-1", memory=1 << 20, processes=7)
    assert list(tmp_path.iterdir()) == []


def mounted() -> str:
    try:
        top = cgroup._mounted("/proc/self")
        return top if top and cgroup._may_make(top) and cgroup._is_root(top) else ""
    except OSError:
        return ""


@pytest.mark.skipif(not mounted(), reason="no tree of groups here that we may write to")
def test_real_processes_enter_it_and_end_with_it() -> None:
    place = mounted()
    group = Group(place, f"mensura-test-{os.getpid()}")
    ready, entered = os.pipe()
    pid = os.fork()
    if not pid:
        group.enter()
        os.write(entered, Path("/proc/self/cgroup").read_bytes())
        while True:
            os.read(ready, 0)
    told = os.read(ready, 4096).decode()
    assert f"0::/mensura-test-{os.getpid()}\n" in told
    group.end()
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9
    assert not os.path.exists(f"{place}/mensura-test-{os.getpid()}")


@pytest.mark.skipif(
    not place_for_groups(), reason="there is no group here in which we may limit others"
)
def test_the_kernel_ends_who_takes_too_much_of_a_real_one() -> None:
    group = Group(place_for_groups(), f"mensura-test-{os.getpid()}", memory=32 << 20, processes=8)
    pid = os.fork()
    if not pid:
        group.enter()
        held = bytearray(64 << 20)
        os._exit(held[0])
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9
    assert group.ran_out()
    group.end()
