"""Messages between the front process and a rank: pickles with their length before them, over a socket pair.

Both ends are this program, forked from one process: nothing that comes over it was written by anybody else.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("<Q")


class Closed(Exception):
    """The other end is gone."""


class Channel:
    def __init__(self, end: socket.socket) -> None:
        self._end = end

    @staticmethod
    def pair() -> tuple[Channel, Channel]:
        ours, theirs = socket.socketpair()
        return Channel(ours), Channel(theirs)

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, message: Any) -> None:
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        try:
            self._end.sendall(_LENGTH.pack(len(data)) + data)
        except OSError as error:
            raise Closed(str(error)) from error

    def receive(self) -> Any:
        (length,) = _LENGTH.unpack(self._take(_LENGTH.size))
        return pickle.loads(self._take(length))

    def close(self) -> None:
        self._end.close()

    def _take(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                part = self._end.recv(min(size - len(data), 1 << 20))
            except OSError as error:
                raise Closed(str(error)) from error
            if not part:
                raise Closed("end of the stream")
            data += part
        return bytes(data)
