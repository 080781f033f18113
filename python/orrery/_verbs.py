"""The verbs of the program as functions. Keywords are the flags: `fail_above=5` is `--fail-above 5`, `causality=True` is `--causality`."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _engine
from ._errors import UsageError, fail
from ._results import (
    Align, Blame, Breakdown, Check, Diff, Graphs, Hang, Info, Kernels, Launches, Link, Llm, Memory, MotifFit, MotifRun, Path, Replay, Report, Roofline, Simulate, Steps, Top, WhatIf,
)
from ._step import Instance
from ._trace import PathLike, Paths, Trace, list_paths, open

Job = Union[Trace, Paths]


def _raise_if_failed(code: int, failure: Optional[Dict[str, Any]]) -> None:
    if failure is not None or code > 1:
        fail(failure or {"code": code, "message": "the verb failed and did not say why", "excerpt": "", "hint": "", "file": None, "offset": None})


def run(arguments: Sequence[Union[PathLike, Trace]]) -> Dict[str, Any]:
    """Any verb, as on the command line without the program's name: its envelope (schema, ok, data, diagnostics, provenance). A Trace stands for
    the files it was opened from, which are not read again."""
    if isinstance(arguments, (str, bytes)):
        raise UsageError("arguments are a list", 'like ["path", "trace.json.gz", "--rank", "1"]')
    words: List[str] = []
    for argument in arguments:
        words.extend(argument._trace.named if isinstance(argument, Trace) else [os.fspath(argument)])
    opened = [argument._trace for argument in arguments if isinstance(argument, Trace)]
    code, printed, failure = _engine.run(words if "--json" in words else ["--json", *words], opened, {})
    _raise_if_failed(code, failure)
    return dict(json.loads(printed))


def _operands(job: Job) -> Tuple[List[str], List[Trace]]:
    return (job._trace.named, [job]) if isinstance(job, Trace) else (list_paths(job), [])


def _one_operand(job: Job) -> Tuple[str, List[Trace]]:
    """For verbs that take a job as one operand."""
    if not isinstance(job, Trace):
        paths = list_paths(job)
        if len(paths) == 1:
            return paths[0], []
        job = open(paths)
    return job._trace.operand, [job]


def _value(value: Any) -> str:
    if isinstance(value, float):
        return repr(value)
    return str(os.fspath(value)) if isinstance(value, os.PathLike) else str(value)


def _flags(verb: str, flags: Mapping[str, Any]) -> Dict[str, List[str]]:
    known = {**_engine.flags().get(verb, {}), "threads": True, "output": True, "verbose": False}
    given: Dict[str, List[str]] = {}
    for keyword, value in flags.items():
        name = keyword.replace("_", "-")
        if name not in known and keyword in known:
            name = keyword
        if value is None or (value is False and not known.get(name, False)):
            continue
        if name not in known or name in ("json", "csv"):
            raise UsageError(f"{verb} has no keyword {keyword!r}", "there are: " + ", ".join(sorted(flag.replace("-", "_") for flag in known if flag != "csv")))
        if not known[name]:
            if value is not True:
                raise UsageError(f"{keyword} is a switch", "give True or leave it out")
            given[name] = [""]
            continue
        several = isinstance(value, (list, tuple)) and name not in ("instance", "sweep")
        given[name] = [_join(name, one) for one in (value if several else (value,))]
    return given


def _join(name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return (":" if name == "instance" else ",").join(_value(part) for part in value)
    return _value(value)


def ask(verb: str, operands: Sequence[str], flags: Mapping[str, Any], opened: Sequence[Trace] = (), ranks: Optional[Mapping[str, int]] = None) -> Dict[str, Any]:
    """What a verb answers, as `--json` has it. Raises where the command would exit with 2, 3 or 4."""
    # "motif run" has flags of its own.
    sub_verb = f"{verb} {operands[0]}" if operands else verb
    known = _flags(sub_verb if sub_verb in _engine.flags() else verb, flags)
    code, envelope, failure = _engine.ask(verb, list(operands), known, [trace._trace for trace in opened], dict(ranks or {}))
    _raise_if_failed(code, failure)
    return dict(envelope)


def _about(kind: Any, verb: str, job: Job, flags: Mapping[str, Any]) -> Any:
    operands, opened = _operands(job)
    return kind.of(ask(verb, operands, flags, opened))


def path(t: Job, *, rank: Optional[int] = None, annotation: Optional[str] = None, instance: Optional[Instance] = None, **flags: Any) -> Path:
    """Where the step goes: the critical path of a typical step, of one rank or of the whole job."""
    result: Path = _about(Path, "path", t, {"rank": rank, "annotation": annotation, "instance": instance, **flags})
    return result


def whatif(t: Job, edits: Union[str, Sequence[str]], *, sweep: Optional[Sequence[float]] = None, rank: Optional[int] = None, annotation: Optional[str] = None,
           instance: Optional[Instance] = None, **flags: Any) -> WhatIf:
    """Changes something, solves again and compares. Edits: docs/WHATIF.md."""
    operand, opened = _one_operand(t)
    lines = [edits] if isinstance(edits, str) else list(edits)
    given = {"sweep": sweep, "rank": rank, "annotation": annotation, "instance": instance, **flags}
    result: WhatIf = WhatIf.of(ask("whatif", [operand, *lines], given, opened))
    return result


def info(t: Job, **flags: Any) -> Info:
    """What is in these files: ranks, steps, devices, events, time span."""
    result: Info = _about(Info, "info", t, flags)
    return result


def check(t: Job, *, causality: bool = False, **flags: Any) -> Check:
    """Whether they can be trusted, and what is missing. `ok` is False if there are problems."""
    result: Check = _about(Check, "check", t, {"causality": causality, **flags})
    return result


def align(t: Job, output: Optional[PathLike] = None, **flags: Any) -> Align:
    """Puts the clocks of nodes together and writes the aligned traces to the folder `output`; `dry_run=True` only says what would be done."""
    result: Align = _about(Align, "align", t, {"output": output, **flags})
    return result


def link(t: Job = (), output: Optional[PathLike] = None, **flags: Any) -> Link:
    """Makes execution traces of profiler traces, with the host traces (`host=`) beside them."""
    result: Link = _about(Link, "link", t, {"output": output, **flags})
    return result


def blame(t: Job, **flags: Any) -> Blame:
    """Who waited for whom, and why, in a job of several ranks."""
    result: Blame = _about(Blame, "blame", t, flags)
    return result


def hang(t: Job, **flags: Any) -> Hang:
    """Why a job does not go on, from the dumps of PyTorch's Flight Recorder. `ok` is True if every recorded call is complete."""
    result: Hang = _about(Hang, "hang", t, flags)
    return result


def top(t: Job, **flags: Any) -> Top:
    """Whose time is worth most, over the steps of a job."""
    result: Top = _about(Top, "top", t, flags)
    return result


def diff(a: Job, b: Job, **flags: Any) -> Diff:
    """What changed from run `a` to run `b`."""
    (first, opened), (second, also_opened) = _one_operand(a), _one_operand(b)
    result: Diff = Diff.of(ask("diff", [first, second], flags, [*opened, *also_opened]))
    return result


def breakdown(t: Job, **flags: Any) -> Breakdown:
    """Where the devices' time goes."""
    result: Breakdown = _about(Breakdown, "breakdown", t, flags)
    return result


def kernels(t: Job, **flags: Any) -> Kernels:
    """Which kernels take it."""
    result: Kernels = _about(Kernels, "kernels", t, flags)
    return result


def launches(t: Job, **flags: Any) -> Launches:
    """Whether the host keeps the devices fed."""
    result: Launches = _about(Launches, "launches", t, flags)
    return result


def memory(t: Job, **flags: Any) -> Memory:
    """How fast copies are, or what fills the memory."""
    result: Memory = _about(Memory, "memory", t, flags)
    return result


def graphs(t: Job, **flags: Any) -> Graphs:
    """Which captured graphs run, what is in them, and what happens between their launches."""
    result: Graphs = _about(Graphs, "graphs", t, flags)
    return result


def roofline(t: Job, **flags: Any) -> Roofline:
    """How far each operator is from what the device can do."""
    result: Roofline = _about(Roofline, "roofline", t, flags)
    return result


def steps(t: Job, **flags: Any) -> Steps:
    """What an engine did step by step: phase, requests, tokens and device time."""
    result: Steps = _about(Steps, "steps", t, flags)
    return result


def simulate(job: Job = (), *, workload: Optional[PathLike] = None, machine: Optional[PathLike] = None, **flags: Any) -> Simulate:
    """What would happen: a workload or a recorded job on a described machine."""
    result: Simulate = _about(Simulate, "simulate", job, {"workload": workload, "machine": machine, **flags})
    return result


def replay(job: Job, **flags: Any) -> Replay:
    """Programs again, as recorded."""
    result: Replay = _about(Replay, "replay", job, flags)
    return result


def llm(*what: PathLike, **flags: Any) -> Llm:
    """Steps of language models from their configurations: `llm("step.yml")`; or `llm("kernels", "kernels.csv")`, and the like."""
    result: Llm = Llm.of(ask("llm", [os.fspath(word) for word in what], flags))
    return result


def motif_fit(manifest: PathLike, output: Optional[PathLike] = None, **flags: Any) -> MotifFit:
    """Learns a workload from MPI traces; `output` is the motif to write."""
    result: MotifFit = MotifFit.of(ask("motif", ["fit"], {"manifest": manifest, "output": output, **flags}))
    return result


def motif_run(motif: PathLike, **flags: Any) -> MotifRun:
    """Runs a motif, a built-in one or a list of jobs on a machine (`machine=`), with `nodes=` and `size=`."""
    result: MotifRun = MotifRun.of(ask("motif", ["run", os.fspath(motif)], flags))
    return result


def query(t: Job, sql: str, **flags: Any) -> List[Dict[str, Any]]:
    """The rows of an SQL query over the trace (docs/SQL.md), each as a dict by column."""
    operands, opened = _operands(t)
    data = ask("query", [*operands, sql], flags, opened)["data"]
    return [dict(zip(data["columns"], row)) for row in data["rows"]]


def report(t: Job, output: PathLike, *, against: Optional[Job] = None, **flags: Any) -> Report:
    """Writes the page about a job to `output`: one file, no network."""
    operands, opened = _operands(t)
    given: Dict[str, Any] = {"output": output, **flags}
    if against is not None:
        other, also_opened = _operands(against)
        if not other:
            raise UsageError("there is nothing to compare with", "give an earlier run, or leave `against` out")
        given["against"], opened = other, [*opened, *also_opened]
    result: Report = Report.of(ask("report", operands, given, opened))
    return result
