"""HTA's table of names and categories: data frames hold their numbers."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Optional

import pandas as pd

from .. import _engine


def shorten_name(name: str) -> str:
    """Without template arguments, parameters and return type; copies and sets stay whole."""
    return _engine.hta_short_name(name)


class TraceSymbolTable:
    """`sym_table` is the list of symbols, `sym_index` their places."""

    NULL = -128  # for symbols that are not there: no row has it

    def __init__(self, symbols: Iterable[str] = ()) -> None:
        self.sym_table: List[str] = []
        self.sym_index: Dict[str, int] = {}
        self.add_symbols(symbols)

    def is_empty(self) -> bool:
        return not self.sym_table

    def add_symbols(self, symbols: Iterable[str]) -> None:
        for symbol in symbols:
            if self.sym_index.setdefault(symbol, len(self.sym_table)) == len(self.sym_table):
                self.sym_table.append(symbol)

    def get_sym_table(self) -> List[str]:
        return self.sym_table

    def get_sym_id_map(self) -> Dict[str, int]:
        return self.sym_index

    def get_sym_index(self) -> Dict[str, int]:
        return self.sym_index

    def get_sym_table_series(self) -> "pd.Series[str]":
        return pd.Series(self.sym_table, dtype="object")

    def get_sym_index_series(self) -> "pd.Series[int]":
        return pd.Series(self.sym_index, dtype="int64")

    def get_symbol_names(self, symbol_ids: Iterable[int]) -> Dict[int, str]:
        return {symbol: self.sym_table[symbol] for symbol in sorted(set(symbol_ids)) if 0 <= symbol < len(self.sym_table)}

    def find_matched_symbols(self, patterns: Iterable[str]) -> List[str]:
        """Symbols that contain one of these texts, to the letter."""
        wanted = list(patterns)
        return [symbol for symbol in self.sym_table if any(pattern in symbol for pattern in wanted)]

    def find_matches(self, patterns: Iterable[str]) -> List[int]:
        return [self.sym_index[symbol] for symbol in self.find_matched_symbols(patterns)]

    def ids_like(self, pattern: str) -> List[int]:
        """The numbers of symbols that begin with what the regular expression describes."""
        found = re.compile(pattern)
        return [place for place, symbol in enumerate(self.sym_table) if found.match(symbol)]

    def get_profiler_step_ids(self) -> List[int]:
        return self.ids_like(r"ProfilerStep#(\d+)")

    def get_events_mask(self, df: pd.DataFrame, events: Optional[List[str]]) -> "pd.Series[bool]":
        return df["name"].isin(self.find_matches(events or []) if events else [])

    def add_symbols_to_trace_df(self, trace_df: pd.DataFrame, col: str) -> None:
        """Numbers of a column become their symbols, "" where there is none."""
        trace_df[col] = [self.sym_table[i] if 0 <= i < len(self.sym_table) else "" for i in trace_df[col]]

    def decode_df(self, df: pd.DataFrame, create_new_columns: bool = True) -> None:
        for column in ("name", "cat"):
            if column in df.columns and df[column].dtype.kind == "i":
                df["s_" + column if create_new_columns else column] = [self.sym_table[i] for i in df[column]]

    def encode_df(self, df: pd.DataFrame) -> None:
        for column in ("name", "cat"):
            if column in df.columns and df[column].dtype == object:
                df[column] = [self.sym_index[symbol] for symbol in df[column]]


def decode_symbol_id_to_symbol_name(df: pd.DataFrame, symbol_table: TraceSymbolTable, use_shorten_name: bool) -> None:
    """Adds s_name, s_cat and, where there is one, s_user_annotation; shortened on request."""
    spelled: Dict[int, str] = {}

    def text(symbol: int) -> str:
        if symbol < 0:
            return ""
        if symbol not in spelled:
            whole = symbol_table.sym_table[symbol]
            spelled[symbol] = shorten_name(whole) if use_shorten_name else whole
        return spelled[symbol]

    for column in ("name", "cat", "user_annotation"):
        if column in df.columns and df[column].dtype.kind == "i":
            df["s_" + column] = [text(symbol) for symbol in df[column]]
