"""Which names occur how often, and for how long, in steps of two traces."""

from __future__ import annotations

import os
import random
from enum import Enum
from typing import Any, Dict, List, Optional, Union

import pandas as pd

from .._errors import UsageError
from .drawing import draw_change
from .naming import flatten_column_names, shorten_name
from .trace import Trace


class DeviceType(Enum):
    CPU = 1
    GPU = 2
    ALL = 3


Numbers = Optional[Union[int, List[int]]]


def _chosen(numbers: Numbers, known: List[int], what: str) -> List[int]:
    if numbers is None:
        if not known:
            raise UsageError(f"the trace has no {what}", "steps are what the profiler calls ProfilerStep#N")
        return known[:1]
    wanted = [numbers] if isinstance(numbers, int) else list(numbers)
    for number in wanted:
        if number not in known:
            raise UsageError(f"there is no {what} {number}", "there are: " + ", ".join(map(str, known)))
    return wanted


class LabeledTrace:
    """A trace with a name, read whole: all steps, times of its own clock."""

    def __init__(self, label: Optional[str] = None, t: Optional[Trace] = None, trace_dir: Optional[str] = None) -> None:
        self.label = label or f"t{random.randint(0, 10)}"
        if t is None and (trace_dir is None or not os.path.isdir(trace_dir)):
            raise UsageError("either a trace object or a valid trace dir must be provided", "LabeledTrace(trace_dir='traces/')")
        self.t = t if t is not None else Trace(trace_dir=trace_dir or "")
        self.t.parse_traces()
        self.s_map = self.t.symbol_table.get_sym_index_series()
        self.s_tab = self.t.symbol_table.get_sym_table_series()
        steps = [(symbol, number) for symbol, number in self.t.symbol_table.sym_index.items() if symbol.startswith("ProfilerStep")]
        self.iteration_df = pd.DataFrame(
            [(symbol, number, int(symbol.replace("ProfilerStep#", ""))) for symbol, number in steps], columns=["symbol", "id", "iteration"]
        )

    def ranks(self) -> List[int]:
        return self.t.get_ranks()

    def iterations(self) -> List[int]:
        return sorted(self.iteration_df["iteration"].tolist())

    def extract_ops(self, rank: Numbers = None, iteration: Numbers = None, device_type: DeviceType = DeviceType.ALL) -> pd.DataFrame:
        """The rows of some ranks and steps (by default the first of each), of the host, the devices or both."""
        ranks, steps = _chosen(rank, self.ranks(), "rank"), _chosen(iteration, self.iterations(), "step")
        if len(ranks) == 1:
            rows = self.t.get_trace(ranks[0])
        else:
            rows = pd.concat([self.t.get_trace(one) for one in ranks], axis=0, keys=ranks, names=["rank", "idx"]).reset_index()
        rows = rows[rows["iteration"].isin(steps)]
        if device_type.name == DeviceType.ALL.name:
            return rows
        return rows[rows["stream"].eq(-1) if device_type.name == DeviceType.CPU.name else rows["stream"].ne(-1)]

    def get_ops_summary(self, ops: pd.DataFrame) -> pd.DataFrame:
        """Number and time of such rows by category and name."""
        grouped = ops.groupby(["cat", "name"])["dur"]
        summary = pd.DataFrame({"counts": grouped.count(), "total_duration": grouped.sum()}).reset_index()
        summary = summary.rename(columns={"cat": "cat_id", "name": "name_id"})
        symbols = self.t.symbol_table.sym_table
        summary["cat"] = [symbols[number] for number in summary["cat_id"]]
        summary["name"] = [symbols[number] for number in summary["name_id"]]
        summary["short_name"] = [shorten_name(name) for name in summary["name"]]
        return summary[["cat", "name", "short_name", "counts", "total_duration", "cat_id", "name_id"]]


def _labeled(trace: Union[LabeledTrace, Trace, str], label: str) -> LabeledTrace:
    if isinstance(trace, LabeledTrace):
        return trace
    return LabeledTrace(label, t=trace) if isinstance(trace, Trace) else LabeledTrace(label, trace_dir=trace)


class TraceDiff:
    @classmethod
    def compare_traces(
        cls,
        control: Union[LabeledTrace, Trace, str],
        test: Union[LabeledTrace, Trace, str],
        control_rank: Numbers = None,
        test_rank: Numbers = None,
        control_iteration: Numbers = None,
        test_iteration: Numbers = None,
        device_type: DeviceType = DeviceType.ALL,
        use_short_name: bool = False,
    ) -> pd.DataFrame:
        """By name: number and time in both, and the differences. Control's names ascending, then those of test alone."""
        first, second = _labeled(control, "Control"), _labeled(test, "Test")
        if first.label == second.label:
            second.label = f"{second.label}_control_test"
        column = "short_name" if use_short_name else "name"

        def summed(trace: LabeledTrace, rank: Numbers, iteration: Numbers) -> pd.DataFrame:
            return trace.get_ops_summary(trace.extract_ops(rank, iteration, device_type)).groupby(column)[["counts", "total_duration"]].sum()

        sides = [summed(first, control_rank, control_iteration), summed(second, test_rank, test_iteration)]
        both = pd.concat(sides, axis=1, join="outer", keys=[first.label, second.label]).fillna(0)
        flatten_column_names(both)
        both["diff_counts"] = both[f"{second.label}_counts"] - both[f"{first.label}_counts"]
        both["diff_duration"] = both[f"{second.label}_total_duration"] - both[f"{first.label}_total_duration"]
        both["counts_change_categories"] = ["+" if change > 0 else "-" if change < 0 else "=" for change in both["diff_counts"]]
        return both

    @classmethod
    def ops_diff(
        cls,
        control: Union[LabeledTrace, Trace, str],
        test: Union[LabeledTrace, Trace, str],
        control_rank: Numbers = None,
        test_rank: Numbers = None,
        control_iteration: Numbers = None,
        test_iteration: Numbers = None,
        device_type: DeviceType = DeviceType.ALL,
    ) -> Dict[str, List[str]]:
        """Names by what became of them: added, deleted, increased, decreased, unchanged."""
        first, second = _labeled(control, "Control"), _labeled(test, "Test")
        both = cls.compare_traces(first, second, control_rank, test_rank, control_iteration, test_iteration, device_type)
        before, after = both[f"{first.label}_counts"], both[f"{second.label}_counts"]
        return {
            "added": both.index[(before == 0) & (after > 0)].tolist(),
            "deleted": both.index[(before > 0) & (after == 0)].tolist(),
            "increased": both.index[(before > 0) & (after > before)].tolist(),
            "decreased": both.index[(after > 0) & (after < before)].tolist(),
            "unchanged": both.index[(after > 0) & (after == before)].tolist(),
        }

    @classmethod
    def visualize_counts_diff(cls, df: pd.DataFrame, show_image: bool = True, export_image_path: Optional[str] = None) -> None:
        """A chart of what `compare_traces` gave, where plotly is installed."""
        draw_change(df, "counts", "diff_counts", {"title_text": "Ops Count Comparison"}, show_image, export_image_path)

    @classmethod
    def visualize_duration_diff(cls, df: pd.DataFrame, show_image: bool = True, export_image_path: Optional[str] = None) -> None:
        layout: Dict[str, Any] = {"title_text": "Ops Duration Comparison", "yaxis_title": "Total Duration (us)"}
        layout.update(autosize=True, width=1000, height=1000)
        draw_change(df, "total_duration", "diff_duration", layout, show_image, export_image_path)
