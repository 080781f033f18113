"""Small helpers that HTA's users import: shortened names, and columns of one level."""

from __future__ import annotations

import pandas as pd

from .symbol_table import shorten_name

__all__ = ["flatten_column_names", "shorten_name"]


def flatten_column_names(df: pd.DataFrame) -> None:
    """(a, b) becomes a_b."""
    if isinstance(df.columns, pd.MultiIndex):
        df.columns = pd.Index(["_".join(map(str, column)).rstrip("_") for column in df.columns])
