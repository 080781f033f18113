"""How HTA chooses among its parsers. Here the engine reads all files, its own way: a choice is kept and changes nothing."""

from __future__ import annotations

from enum import Enum

__all__ = ["ParserBackend", "get_default_trace_parsing_backend", "set_default_trace_parsing_backend"]


class ParserBackend(Enum):
    JSON = "json"
    IJSON = "ijson"
    IJSON_BATCHED = "ijson_batched"
    IJSON_BATCH_AND_COMPRESS = "ijson_batch_and_compress"


_chosen = ParserBackend.JSON


def get_default_trace_parsing_backend() -> ParserBackend:
    return _chosen


def set_default_trace_parsing_backend(new_backend: ParserBackend) -> None:
    global _chosen
    _chosen = new_backend


def _auto_detect_parser_backend() -> ParserBackend:
    return ParserBackend.JSON
