"""What goes wrong, as exceptions: the sentences and hints of the command line."""

from __future__ import annotations

from typing import Any, Mapping, NoReturn, Optional


class Failure(Exception):
    """Common to all of them. The text says what is wrong and where; `hint`, if not empty, what to do about it."""

    hint: str
    file: Optional[str]
    offset: Optional[int]

    def __init__(self, message: str, hint: str = "", file: Optional[str] = None, offset: Optional[int] = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.file = file
        self.offset = offset

    @property
    def message(self) -> str:
        return str(self.args[0])


class Error(Failure):
    """A file cannot be used or written (exit status 3). `file` and `offset`, a byte position, say where, if it is a file's fault."""


class UsageError(Failure, ValueError):
    """What was asked for makes no sense (exit status 2): an unknown verb or keyword, an edit that does not parse."""


class InternalError(Failure, RuntimeError):
    """Our own fault, or no memory left (exit status 4)."""


def fail(failure: Mapping[str, Any]) -> NoReturn:
    """Raises what a failed run of the engine is here."""
    kind = {2: UsageError, 3: Error}.get(failure["code"], InternalError)
    message = failure["message"]
    if failure["excerpt"]:  # the edit or word at fault, with a caret below it
        message += "\n" + failure["excerpt"].rstrip("\n")
    raise kind(message, failure["hint"], failure["file"], failure["offset"])
