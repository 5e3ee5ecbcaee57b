"""A private PostgreSQL server for tests, from Debian's package: its own folder, socket and data, stopped at the end."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

HOMES = ("/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/pgsql/bin")
"""Where packages put the server, which is not for everybody's PATH."""

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "30",
    "shared_buffers": "64MB",
    "autovacuum": "off",
}

EMPTY = """
DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'mensura_version' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    PERFORM setval(quote_ident(sequencename)::regclass, 1, false) FROM pg_sequences WHERE schemaname = 'public';
END $$
"""
"""Takes all rows of a store, in whatever order, and begins to number anew."""


def find() -> Path | None:
    """The folder of the newest server that is installed."""
    found = [
        path
        for home in HOMES
        for path in Path("/").glob(home.lstrip("/"))
        if (path / "initdb").exists() and (path / "postgres").exists()
    ]
    if found:
        return max(found, key=lambda path: [int(part) for part in path.parts if part.isdigit()])
    named = shutil.which("initdb")
    return Path(named).parent if named else None


class Cluster:
    """A server that can be started, stopped and killed, reached through a socket in its folder."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="mensura-postgres-"))
        self._user = _other_user()
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._log = (self.folder / "log").open("ab")
        self._server: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._free: list[str] = []
        """Databases that were used and are empty again: to make another takes longer and fills the disk."""
        self._made: list[str] = []
        """Those that hold an empty store: its tables take longer to make than to empty."""
        try:
            self._call(
                "initdb", "--pgdata", "data", "--auth", "trust", "--username", "mensura",
                "--encoding", "UTF8", "--locale", "C", "--no-sync",
            )  # fmt: skip
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        settings = [f"{name}={value}" for name, value in SETTINGS.items()]
        self._server = subprocess.Popen(
            [
                str(self._programs / "postgres"), "-D", "data", "-k", str(self.folder),
                *(word for setting in settings for word in ("-c", setting)),
            ],
            preexec_fn=_die_with_parent,
            **self._as_user(),
        )  # fmt: skip
        for _ in range(1200):
            if self._server.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            ready = self._call("pg_isready", "-h", str(self.folder), "-q", check=False)
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError("PostgreSQL did not start within a minute")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server, cutting everybody off."""
        if self._server is not None:
            self._server.send_signal(how)
            try:
                self._server.wait(60)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
            self._server = None

    def close(self) -> None:
        """Stop the server and remove everything."""
        self.stop(signal.SIGQUIT)  # at once: nothing of it will be needed
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def create(self, *, made: bool = False) -> str:
        """The URL of an empty database; of one with an empty store in it, where that is wanted and there is one."""
        if made and self._made:
            return self.url(self._made.pop())
        if self._free:
            return self.url(self._free.pop())
        self._databases += 1
        name = f"test{self._databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def give_back(self, url: str, *, made: bool = False) -> None:
        """Empty a database, for whoever wants one next; the tables of a store are left where nobody changed them."""
        name = urlsplit(url).path.strip("/")
        others = f"datname = '{name}' AND pid <> pg_backend_pid()"
        self.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}", name)
        if made:
            self.execute(EMPTY, name)
            self._made.append(name)
        else:
            self.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public", name)
            self._free.append(name)

    def url(self, database: str) -> str:
        """The URL of a database."""
        return f"postgresql://mensura@/{database}?host={quote(str(self.folder), safe='')}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement as the owner of the server."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def _as_user(self) -> dict[str, object]:
        options: dict[str, object] = {
            "cwd": self.folder,
            "stdin": subprocess.DEVNULL,
            "stdout": self._log,
            "stderr": self._log,
            "env": {**os.environ, "LC_ALL": "C"},
        }
        if self._user is not None:
            options |= {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        return options

    def _call(self, program: str, *words: str, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [str(self._programs / program), *words], check=False, **self._as_user()
        )
        if check and done.returncode:
            raise RuntimeError((self.folder / "log").read_text())
        return done


def _die_with_parent() -> None:
    """Have the server stopped when the tests are killed, where the system can see to it."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGINT)


def _other_user() -> pwd.struct_passwd | None:
    """The user of the server: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("PostgreSQL does not run as root, and there is neither postgres nor nobody")
