"""HTA's filters: each takes a frame, and the symbols that its numbers stand for, and gives some of the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import List, Optional, Tuple, Union

import pandas as pd

from .logger import logger
from .symbol_table import TraceSymbolTable

Symbols = Optional[TraceSymbolTable]
_WAITS = ("Event Sync", "Context Sync")  # on no stream, and work of the device all the same


def _listed(numbers: Union[int, List[int]], what: str) -> List[int]:
    if not isinstance(numbers, (int, list)):
        raise TypeError(f"{what} must be an integer or a list of integers.")
    return [numbers] if isinstance(numbers, int) else numbers


def _has(df: pd.DataFrame, column: str) -> bool:
    if column in df.columns:
        return True
    logger.warning("the frame has no column %s: nothing is filtered", column)
    return False


class Filter(ABC):
    @abstractmethod
    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        """The rows that stay."""


class IterationFilter(Filter):
    """Steps by their numbers."""

    def __init__(self, iterations: Union[int, List[int]]) -> None:
        self.iterations = _listed(iterations, "iterations")

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        return df[df["iteration"].isin(self.iterations)] if _has(df, "iteration") else df


class IterationIndexFilter(Filter):
    """Steps by their places among those of the frame, from 0."""

    def __init__(self, iteration_index: Union[int, List[int]]) -> None:
        self.iteration_index = _listed(iteration_index, "iteration_index")

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        if not _has(df, "iteration"):
            return df
        steps = sorted(step for step in df["iteration"].unique() if step != -1)
        if not steps:
            return df
        chosen = [step for place, step in enumerate(steps) if place in self.iteration_index]
        if not chosen:
            logger.warning("there are no steps %s", self.iteration_index)
            return pd.DataFrame()
        return df[df["iteration"].isin(chosen)]


class FirstIterationFilter(IterationIndexFilter):
    def __init__(self) -> None:
        super().__init__([0])


class RankFilter(Filter):
    def __init__(self, ranks: Union[int, List[int]]) -> None:
        self.ranks = _listed(ranks, "ranks")

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        return df[df["rank"].isin(self.ranks)] if _has(df, "rank") else df


class TimeRangeFilter(Filter):
    """What lies wholly between two times."""

    def __init__(self, time_range: Tuple[int, int]) -> None:
        if (
            not isinstance(time_range, tuple)
            or len(time_range) != 2
            or not all(isinstance(time, int) for time in time_range)
        ):
            raise ValueError("time_range must be a tuple of two integers.")
        self.time_start, self.time_end = time_range
        if self.time_start > self.time_end:
            raise ValueError("Start time must be less than or equal to end time.")

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        return df[(df["ts"] >= self.time_start) & (df["ts"] + df["dur"] <= self.time_end)] if _has(df, "ts") else df


class NameStringColumnFilter(Filter):
    """Names that begin with what the regular expression describes, in a frame that has them as texts."""

    def __init__(self, name_pattern: str) -> None:
        self.name_pattern = name_pattern

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        for column in ("name", "s_name"):
            if column in df.columns and pd.api.types.is_string_dtype(df[column]):
                return df[df[column].str.match(self.name_pattern)]
        logger.warning("the frame has no names that are texts: nothing is filtered")
        return df


class NameIdColumnFilter(Filter):
    """The same, in a frame that has numbers of symbols for names."""

    def __init__(self, name_pattern: str) -> None:
        self.name_pattern = name_pattern
        self.name_column = "name"

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        if symbol_table is None:
            logger.warning("numbers of names need a symbol table: nothing is filtered")
            return df
        return df[df[self.name_column].isin(symbol_table.ids_like(self.name_pattern))]


class NameFilter(Filter):
    """By the symbols, where they are given here or with the frame; else by the names that the frame has as texts."""

    def __init__(self, name_pattern: str, symbol_table: Symbols = None, name_column: Optional[str] = None) -> None:
        self.name_pattern, self.symbol_table, self.name_column = name_pattern, symbol_table, name_column

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        symbols = symbol_table if symbol_table is not None else self.symbol_table
        if df.empty:
            return df
        return (
            NameStringColumnFilter(self.name_pattern)(df)
            if symbols is None
            else NameIdColumnFilter(self.name_pattern)(df, symbols)
        )


class QueryFilter(Filter):
    """What an expression of pandas holds for."""

    def __init__(self, query_str: str) -> None:
        self.filter_query = query_str

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        return df.query(self.filter_query)


ZeroDurationFilter = QueryFilter("dur > 0")


def _is_on_device(df: pd.DataFrame, symbol_table: TraceSymbolTable) -> "pd.Series[bool]":
    waits = [symbol_table.sym_index.get(name, -1) for name in _WAITS]
    return ((df["stream"] >= 0) & (df["correlation"] >= 0)) | df["name"].isin(waits)


class GPUKernelFilter(Filter):
    """Without symbols, waits of the device are left out."""

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        if not _has(df, "stream"):
            return df
        return (
            df[(df["stream"] >= 0) & (df["correlation"] >= 0)]
            if symbol_table is None
            else df[_is_on_device(df, symbol_table)]
        )


class CPUOperatorFilter(Filter):
    """What is not the device's. Without symbols, its waits stay."""

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        if not _has(df, "stream"):
            return df
        return df[df["stream"] == -1] if symbol_table is None else df[~_is_on_device(df, symbol_table)]


class CompositeFilter(Filter):
    """One after the other."""

    def __init__(self, filters: List[Filter]) -> None:
        if not all(isinstance(one, Filter) for one in filters):
            raise TypeError("All elements in 'filters' must be instances of Filter or its subclasses.")
        self.filters = filters

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        for one in self.filters:
            df = one(df, symbol_table)
        return df


class MemCopyEventFilter(Filter):
    """Copies of one kind, by name: "Memcpy HtoD (Pageable -> Device)". An empty frame if there is no such name."""

    def __init__(self, memory_copy_type: str, symbol_table: Symbols = None) -> None:
        self.memory_copy_type, self.symbol_table = memory_copy_type, symbol_table

    def __call__(self, df: pd.DataFrame, symbol_table: Symbols = None) -> pd.DataFrame:
        symbols = symbol_table if symbol_table is not None else self.symbol_table
        if df.empty:
            return df
        if symbols is None or self.memory_copy_type not in symbols.sym_index:
            return pd.DataFrame()
        return df[
            (df["name"] == symbols.sym_index[self.memory_copy_type])
            & (df["cat"] == symbols.sym_index.get("gpu_memcpy", TraceSymbolTable.NULL))
        ]
