"""Who holds a lease: a process of a machine."""

import os
import socket


def this_process() -> str:
    """The name under which this process holds leases."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_gone(owner: str) -> bool:
    """Whether that process of this machine has ended. One with our own number was our predecessor.

    Of processes of other machines nothing is known: their leases will tell.
    """
    machine, _, process = owner.rpartition(":")
    if machine != socket.gethostname() or not process.isdigit():
        return False
    if int(process) == os.getpid():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
