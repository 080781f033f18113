"""HTA's module names: hta.common.trace is orrery.hta.trace, and so on, so that an import line changes by one word."""

from __future__ import annotations

import sys
from types import ModuleType

from . import counters, critical_path_analysis, filters, logger, naming, parser_backend, symbol_table, timeline, trace

_MODULES = {
    "analyzers.critical_path_analysis": critical_path_analysis,
    "analyzers.cupti_counter_analysis": counters,
    "analyzers.timeline": timeline,
    "common.trace": trace,
    "common.trace_filter": filters,
    "common.trace_parser": parser_backend,
    "common.trace_symbol_table": symbol_table,
    "configs.config": logger,
    "utils.utils": naming,
}


def name_as_hta_does(package: str) -> None:
    for name, module in _MODULES.items():
        folder_name, _, last = name.partition(".")
        folder = sys.modules.setdefault(f"{package}.{folder_name}", ModuleType(f"{package}.{folder_name}"))
        folder.__path__ = []  # a package, as far as imports can tell
        setattr(sys.modules[package], folder_name, folder)
        setattr(folder, last, module)
        sys.modules[f"{package}.{name}"] = module
