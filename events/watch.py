"""Runs a server for as long as the parent process lives.

``python watch.py COMMAND…`` starts the command and waits. When its own standard input ends, that is when
the parent closes the pipe or dies, however it dies, the command gets SIGTERM; when the command ends, so does
this, with the same status. It is a process of its own because a parent-death signal is tied to a thread, and
because a pipe works everywhere. It must not import anything of Kleos: it runs without site packages.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading

_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """On Linux the command also ends if this process is killed. Safe here: there is only this thread yet."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def main(command: list[str]) -> int:
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509
    )

    def stop_with_parent() -> None:
        while os.read(0, 1):
            pass
        server.terminate()

    threading.Thread(target=stop_with_parent, daemon=True).start()
    status = server.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
