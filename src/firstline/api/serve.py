"""Serve the app in this process and on this event loop, until somebody asks it to stop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from typing import TYPE_CHECKING, Final

import uvicorn

from firstline.api.app import OpenFirstline, create_app
from firstline.errors import Conflict, InvalidInput, Unavailable
from firstline.settings import Settings

if TYPE_CHECKING:
    from firstline.wiring import Firstline

BACKLOG: Final = 1024
READY_S_MAX: Final = 10.0
READY_POLL_S: Final = 0.01
FINISH_S_MAX: Final = 30
"""Turns under way at the end get this long; a turn's own deadline is well below it."""
ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - named to be replaced in the link shown


def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    open_with: OpenFirstline | None = None,
) -> None:
    """Open firstline, listen on host:port (0: any free port), and return after SIGINT or SIGTERM.

    `on_ready` gets the address, such as http://127.0.0.1:8080, once requests are answered. Turns under way at the end
    finish and are recorded. Conflict when the port is taken, InvalidInput when the host is not one of this machine's.
    """
    # Before anything is opened: a taken port is the likeliest mistake and should cost no start.
    port = free_port(host, port)
    asyncio.run(_open_and_run(open_with or _default(settings), settings, host, port, on_ready))


def free_port(host: str, port: int) -> int:
    """The port itself, or a free one for 0. Checked here before anything is opened."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            return int(probe.getsockname()[1])
    except socket.gaierror as error:
        raise InvalidInput(f"{host!r} is not an address.", remedy="Try 127.0.0.1 or 0.0.0.0.") from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Conflict(
                f"Port {port} is already in use.", remedy="Stop what listens there, or choose another with --port."
            ) from error
        if error.errno == errno.EACCES:
            raise InvalidInput(f"Port {port} needs more rights.", remedy="Use a port from 1024 up.") from error
        raise InvalidInput(f"This machine cannot listen on {host}.", remedy="Try 127.0.0.1 or 0.0.0.0.") from error


async def _open_and_run(
    open_with: OpenFirstline, settings: Settings, host: str, port: int, on_ready: Callable[[str], None]
) -> None:
    async with open_with() as firstline:
        await _run(firstline, settings, host, port, on_ready)


class _Server(uvicorn.Server):
    """Leaves signals to us: the original raises them once more after it has stopped, which would end the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _run(firstline: Firstline, settings: Settings, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    config = uvicorn.Config(
        create_app(firstline, settings=settings),
        host=host,
        port=port,
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=FINISH_S_MAX,
    )
    server = _Server(config)
    shown = ANYWHERE.get(host, host)
    async with _stopped_by_signals(server):
        serving = asyncio.create_task(server.serve())
        ready = asyncio.create_task(_until_answering(shown, port))
        try:
            await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done():
                await ready
                on_ready(f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}")
            await serving
        finally:
            ready.cancel()
            if not serving.done():
                server.should_exit = True
                await serving


async def _until_answering(host: str, port: int) -> None:
    """Unavailable when the server does not answer its own health check in time."""
    for _ in range(round(READY_S_MAX / READY_POLL_S)):
        if await _answers(host, port):
            return
        await asyncio.sleep(READY_POLL_S)
    raise Unavailable("The server did not start in time.", remedy="`firstline doctor` looks into it.")


async def _answers(host: str, port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    try:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        await writer.drain()
        return (await reader.readline()).startswith(b"HTTP/1.1 200")
    except OSError:
        return False
    finally:
        writer.close()


@contextlib.asynccontextmanager
async def _stopped_by_signals(server: uvicorn.Server) -> AsyncGenerator[None]:
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        server.should_exit = True

    for each in signals:
        loop.add_signal_handler(each, stop)
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)


def _default(settings: Settings) -> OpenFirstline:
    # Imported late: the wiring loads every engine, and tests serve without them.
    from firstline.wiring import open_checked

    return lambda: open_checked(settings)
