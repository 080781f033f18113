"""Answers of verbs: the data of `--json`, and its tables as DataFrames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union, overload

from ._frozen import freeze, thaw
from ._trace import Diagnostic

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Result:
    """What a verb answers.

    `json()` is the "data" of the command line's `--json`, member for member, as a copy of the caller's own; its members can also be had as
    attributes (`answer.verdict`), which do not change, nor does what lies in them.
    `ok` is False where the command would exit with 1: the work was done, and a check did not hold.
    """

    schema: str
    ok: bool
    data: Mapping[str, Any] = field(repr=False)
    diagnostics: Tuple[Diagnostic, ...]
    provenance: Mapping[str, Any] = field(repr=False)

    @classmethod
    def of(cls, envelope: Mapping[str, Any]) -> Any:
        remarks = tuple(Diagnostic(**remark) for remark in envelope["diagnostics"])
        return cls(envelope["schema"], envelope["ok"], freeze(envelope["data"]), remarks, freeze(envelope["provenance"]))

    def json(self) -> Dict[str, Any]:
        plain: Dict[str, Any] = thaw(self.data)
        return plain

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name in self.__dict__.get("data", ()):
            return self.data[name]
        raise AttributeError(f"{type(self).__name__} has no member {name!r}; there are: {', '.join(self.__dict__.get('data', ()))}")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __repr__(self) -> str:
        return f"<orrery.{type(self).__name__}{'' if self.ok else ', a check did not hold'}: {', '.join(self.data)}>"

    @overload
    def to_pandas(self) -> Dict[str, "pd.DataFrame"]: ...
    @overload
    def to_pandas(self, sheet: str) -> "pd.DataFrame": ...
    def to_pandas(self, sheet: Optional[str] = None) -> Union[Dict[str, "pd.DataFrame"], "pd.DataFrame"]:
        """Its tables by name, or the one called `sheet`. Columns have the keys of `json()`, units included."""
        import pandas as pd

        sheets = sheets_of(self.data)
        if sheet is None:
            return {name: pd.DataFrame(rows) for name, rows in sheets.items()}
        if sheet not in sheets:
            raise KeyError(f"there is no table {sheet!r}; there are: {', '.join(sheets)}")
        return pd.DataFrame(sheets[sheet])


def sheets_of(data: Mapping[str, Any]) -> Dict[str, List[Dict[str, Any]]]:
    """Lists of objects are tables; objects of numbers are tables of two columns; what lies deeper is called by its way ("ranks.categories")."""
    sheets: Dict[str, List[Dict[str, Any]]] = {}
    for name, value in data.items():
        _add_sheet(sheets, name, value, {})
    return sheets


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _add_sheet(sheets: Dict[str, List[Dict[str, Any]]], name: str, value: Any, parent: Dict[str, Any]) -> None:
    if _is_rows(value):
        rows = sheets.setdefault(name, [])
        for row in value:
            flat = _flat(row)
            rows.append({**{(f"{name.rpartition('.')[0]}.{key}" if key in flat else key): of_parent for key, of_parent in parent.items()}, **flat})
            # What lies deeper says whose it is.
            owner = {**parent, **{key: row[key] for key in ("rank", "kind", "name") if key in row}}
            for member, below in row.items():
                if _is_rows(below) and below:
                    _add_sheet(sheets, f"{name}.{member}", below, owner)
    elif isinstance(value, dict):
        if value and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value.values()):
            sheets[name] = [{"key": key, "value": number} for key, number in value.items()]
            return
        for member, below in value.items():
            if isinstance(below, dict) or (_is_rows(below) and below):
                _add_sheet(sheets, f"{name}.{member}", below, parent)


def _flat(row: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    # Lists of plain values (names of kernels) stay as they are; those of objects are tables of their own.
    flat: Dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        elif not (_is_rows(value) and value):
            flat[prefix + key] = value
    return flat


class Path(Result):
    """Where the step goes. `verdict`, `bound_by_us`, `contributors`, ..."""


class WhatIf(Result):
    """The step before and after the edits, and the `sweep`."""


class Info(Result):
    """What is in the files, per rank."""


class Check(Result):
    """Whether the files can be trusted; what is wrong is in `diagnostics`."""


class Align(Result):
    """How the clocks of the nodes were put together."""


class Link(Result):
    """What was linked and written."""


class Blame(Result):
    """Who waited for whom."""


class Hang(Result):
    """Why a job does not go on."""


class Top(Result):
    """Whose time is worth most."""


class Diff(Result):
    """What changed between two runs."""


class Breakdown(Result):
    """Where the devices' time goes."""


class Kernels(Result):
    """Which kernels take it."""


class Launches(Result):
    """Whether the host keeps the devices fed."""


class Memory(Result):
    """How fast copies are, or what fills the memory."""


class Graphs(Result):
    """Which captured graphs run."""


class Roofline(Result):
    """How far operators are from the device's roof."""


class Steps(Result):
    """What an engine did step by step."""


class Simulate(Result):
    """What would happen on a machine."""


class Replay(Result):
    """What programs take if they are replayed as recorded."""


class Llm(Result):
    """Predicted steps, kernels or devices of language models."""


class MotifFit(Result):
    """What was learnt from runs of an MPI program."""


class MotifRun(Result):
    """A motif on a machine."""


class Report(Result):
    """The page that was written."""
