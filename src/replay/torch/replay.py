#!/usr/bin/env python3
"""Runs a recorded job again, from the operation lists beside this file: torchrun --nproc-per-node N replay.py

Needs PyTorch and nothing else. The lists are data: operators are looked up among those that PyTorch has registered, and nothing in a list is
ever executed as code. What the lists mean is in docs/formats/operations.md of the project that wrote them.
"""
import argparse
import contextlib
import datetime
import gc
import json
import os
import pathlib
import re
import statistics
import sys
import threading
import time

VERSION = 1
MAX_ENTRIES = 50_000_000  # a list beyond this is no recording
NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
# Operators that reach beyond tensors: a recording of device work has none of them.
FORBIDDEN = {"aten::from_file", "aten::save", "aten::load", "prim::PythonOp"}
DTYPES = ("float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu int64 int32 int16 int8 "
          "uint64 uint32 uint16 uint8 bool complex128 complex64 complex32").split()
LAYOUTS = ("strided", "sparse_coo", "sparse_csr", "_mkldnn")
MEMORY_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
# What is defined for positive numbers only: operators (their in-place and list forms too), and arguments of others.
POSITIVE_OPERATORS = set("sqrt rsqrt log log2 log10 log1p pow lgamma digamma multinomial bernoulli poisson binary_cross_entropy".split())
POSITIVE_ARGUMENTS = set("running_var exp_avg_sqs max_exp_avg_sqs state_sums var invstd rstd save_var save_invstd".split())
COLLECTIVES = ("all_reduce all_gather_into_tensor all_gather reduce_scatter_tensor reduce_scatter broadcast reduce all_to_all_single all_to_all "
               "gather scatter barrier send recv").split()


class Refusal(Exception):
    """Something that cannot be run, in a sentence."""


# ---------------------------------------------------------------------------------------------------------------- reading
class Checked:
    """A list's members, each held against what it must be, so that a damaged file gives a sentence and never a strange error later."""

    def __init__(self, path, wanted):
        self.path = path
        try:
            with open(path, "rb") as file:
                self.data = json.loads(file.read())
        except OSError as error:
            raise Refusal(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise Refusal(f"{path} is not JSON: {error}") from None
        if not isinstance(self.data, dict) or self.data.get("format") != wanted:
            raise Refusal(f"{path} is not a file of format {wanted}")
        if self.data.get("version") != VERSION:
            raise Refusal(f"{path} has version {self.data.get('version')}; this program reads version {VERSION}: emit the folder again")

    def fail(self, where, what):
        raise Refusal(f"{self.path}: {where} {what}")

    def of(self, key, kind, default=None):
        value = self.data.get(key, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fail(f'"{key}"', f"is not a {kind.__name__}")
        return value

    def number(self, value, below, where):
        if type(value) is not int or not 0 <= value < below:
            self.fail(where, f"has {json.dumps(value)[:40]} where a number below {below} belongs")
        return value

    def numbers(self, value, below, where):
        if not isinstance(value, list):
            self.fail(where, "has no list where one belongs")
        for one in value:
            self.number(one, below, where)
        return value


class Operations:
    """The operation list of one rank, checked throughout."""

    def __init__(self, path, groups):
        file = Checked(path, "orrery-operations")
        self.path, self.groups = path, groups
        self.rank = file.of("rank", int)
        self.device = file.of("device", str)
        if self.device not in ("cuda", "cpu"):
            file.fail('"device"', f"is {self.device[:40]!r}, neither cuda nor cpu")
        self.threads = file.number(file.of("threads", int, 1), 4097, '"threads"') or 1
        self.streams = max(1, len(file.of("streams", list, [])))
        self.steps = max(1, file.number(file.of("steps", int, 1), 1 << 31, '"steps"'))
        self.settings = file.of("settings", dict, {})
        self.storages = [self._storage(file, i, s) for i, s in enumerate(file.of("storages", list))]
        self.parts = {}  # of a storage: (first element, how many, below what its integers lie there)
        for i, part in enumerate(file.of("bounds", list, [])):
            where = f"bound {i}"
            if len(file.numbers(part, 1 << 62, where)) != 4:
                file.fail(where, "is not [storage, first, count, bound]")
            self.parts.setdefault(file.number(part[0], len(self.storages), where), []).append(tuple(part[1:]))
        self.plans = {}  # of a storage: (first element, how many, kind, total, parts) of integers whose values decide the work
        for i, plan in enumerate(file.of("integers", list, [])):
            where = f"integers {i}"
            if not isinstance(plan, list) or len(plan) != 6 or plan[3] not in ("offsets", "lengths", "spread"):
                file.fail(where, "is not [storage, first, count, offsets or lengths or spread, total, parts]")
            file.numbers(plan[1:3] + plan[4:], 1 << 31, where)
            if plan[5] == 0:
                file.fail(where, "has no parts")
            self.plans.setdefault(file.number(plan[0], len(self.storages), where), []).append(tuple(plan[1:]))
        self.tensors = [self._tensor(file, i, t) for i, t in enumerate(file.of("tensors", list))]
        self.forms = [self._form(file, i, f) for i, f in enumerate(file.of("forms", list))]
        self.sequence = file.of("sequence", list)
        if len(self.sequence) > MAX_ENTRIES:
            file.fail('"sequence"', f"has more than {MAX_ENTRIES} entries")
        self.pace = file.of("pace", list, [])
        if self.pace:
            if len(self.pace) != len(self.sequence):
                file.fail('"pace"', "does not have one number per entry of the sequence")
            file.numbers(self.pace, 1 << 62, '"pace"')
        for i, entry in enumerate(self.sequence):
            self._check_entry(file, i, entry)

    def _storage(self, file, i, item):
        where = f"storage {i}"
        if not isinstance(item, list) or len(item) != 7 or item[0] not in ("cuda", "cpu") or item[2] not in ("given", "made") or item[3] not in DTYPES:
            file.fail(where, "is not [device, bytes, given or made, dtype, bound, pinned, written]")
        for at in (1, 4, 5, 6):
            file.number(item[at], 1 << 62, where)
        return item

    def _tensor(self, file, i, item):
        where = f"tensor {i}"
        if not isinstance(item, list) or len(item) != 4 or item[0] not in DTYPES:
            file.fail(where, "is not [dtype, shape, stride, offset]")
        shape, stride = file.numbers(item[1], 1 << 62, where), file.numbers(item[2], 1 << 62, where)
        if len(shape) != len(stride):
            file.fail(where, "has not as many strides as sizes")
        file.number(item[3], 1 << 62, where)
        return item[0], tuple(shape), tuple(stride), item[3]

    def _form(self, file, i, item):
        where = f"form {i}"
        if not isinstance(item, dict) or not isinstance(item.get("op"), str) or not isinstance(item.get("overload", ""), (str, type(None))):
            file.fail(where, "names no operator")
        names = item["op"].split("::")
        if len(names) != 2 or not all(NAME.match(name) for name in names) or not (not item.get("overload") or NAME.match(item["overload"])):
            file.fail(where, f"is of {item['op'][:80]!r}, which is not the name of an operator")
        if not isinstance(item.get("args", []), list) or not isinstance(item.get("kw", {}), dict):
            file.fail(where, "has arguments that are no list")
        slots = []
        for value in [*item.get("args", []), *item.get("kw", {}).values()]:
            self._collect(file, where, value, slots, 0)
        outs = item.get("outs", [])
        if not isinstance(outs, list):
            file.fail(where, "has outputs that are no list")
        item["outs"] = [None if out is None else file.number(out, len(self.tensors), where) for out in outs]
        item["slots"] = slots
        return item

    def _collect(self, file, where, value, slots, depth):
        """Tensors of an argument, in order of appearance."""
        if depth > 4:
            file.fail(where, "has lists in lists in lists")
        if isinstance(value, list):
            for one in value:
                self._collect(file, where, one, slots, depth + 1)
        elif isinstance(value, dict):
            if len(value) != 1:
                file.fail(where, "has an argument that is none")
            (key, inner), = value.items()
            known = {"t": None, "dtype": DTYPES, "device": ("cuda", "cpu"), "layout": LAYOUTS, "memory_format": MEMORY_FORMATS, "complex": None,
                     "inf": (1, -1), "nan": (1,)}
            if key not in known or (known[key] is not None and inner not in known[key]):
                file.fail(where, f"has an argument {json.dumps(value)[:60]} that is none")
            if key == "t":
                slots.append(file.number(inner, len(self.tensors), where))
            if key == "complex" and not (isinstance(inner, list) and len(inner) == 2 and all(isinstance(x, (int, float)) for x in inner)):
                file.fail(where, "has a complex number that is none")

    def _check_entry(self, file, i, entry):
        where = f"entry {i}"
        if not isinstance(entry, list) or not entry:
            file.fail(where, "is not a list")
        kind, storages = entry[0], len(self.storages)
        if type(kind) is int:
            form = self.forms[file.number(kind, len(self.forms), where)]
            lists = entry[1:] + [[]] * (4 - len(entry))
            if len(entry) > 4:
                file.fail(where, "is longer than a call")
            for one in lists:
                file.numbers(one, storages, where)
            if len(lists[0]) != len(form["slots"]) or len(lists[1]) != sum(out is not None for out in form["outs"]):
                file.fail(where, "has other tensors than its form")
            return
        shapes = {"new": (list,), "free": (list,), "thread": (int,), "stream": (int,), "record": (int,), "wait": (int,), "sync_event": (int,),
                  "complete": (int,), "work": (int, str, int), "pause": (int,), "begin": (str,), "end": (), "graph": (), "graph_end": (), "collective": (dict, list, list), "sync": None}
        if not isinstance(kind, str) or kind not in shapes:
            file.fail(where, f"is of a kind {json.dumps(kind)[:40]} that is not known")
        if kind == "sync":
            if len(entry) > 1:
                file.number(entry[1], self.streams, where)
            return
        if len(entry) != 1 + len(shapes[kind]) or not all(type(value) is wanted for value, wanted in zip(entry[1:], shapes[kind])):
            file.fail(where, f"is not what {kind} looks like")
        if kind in ("new", "free"):
            file.numbers(entry[1], storages, where)
        elif kind in ("thread", "stream", "record", "wait", "sync_event", "complete", "work", "pause"):
            below = {"thread": self.threads, "stream": self.streams}.get(kind, 1 << 40)
            file.number(entry[1], below, where)
        elif kind == "collective":
            self._check_collective(file, where, entry)

    def _check_collective(self, file, where, entry):
        about = entry[1]
        if about.get("kind") not in COLLECTIVES:
            file.fail(where, f"is a collective {json.dumps(about.get('kind'))[:40]} that is not known")
        file.number(about.get("group", 0), len(self.groups), where)
        for key in ("root", "peer", "tag", "id"):
            file.number(about.get(key, 0), 1 << 31, where)
        for key in ("in_splits", "out_splits"):
            file.numbers(about.get(key, []), 1 << 62, where)
        for pairs in entry[2:4]:
            for pair in pairs:
                if not isinstance(pair, list) or len(pair) != 2:
                    file.fail(where, "has a tensor that is no pair")
                file.number(pair[0], len(self.tensors), where)
                file.number(pair[1], len(self.storages), where)

    def peak_bytes(self):
        """Memory of the recorded device that is alive at once at most, as the list has it; what operators use inside of themselves comes on top."""
        alive = peak = sum(s[1] for s in self.storages if s[0] == self.device and s[2] == "given")
        living = set()
        for entry in self.sequence:
            if type(entry[0]) is int:
                born, gone = (entry[2] if len(entry) > 2 else []), (entry[3] if len(entry) > 3 else [])
            else:
                born, gone = (entry[1], []) if entry[0] == "new" else ([], entry[1]) if entry[0] == "free" else ([], [])
            for s in born:
                if s not in living and self.storages[s][0] == self.device and self.storages[s][2] == "made":
                    living.add(s)
                    alive += self.storages[s][1]
            peak = max(peak, alive)
            for s in gone:
                if s in living:
                    living.remove(s)
                    alive -= self.storages[s][1]
        return peak


# ---------------------------------------------------------------------------------------------------------------- tensors
def plan_values(kind, count, total, parts, device):
    """Integers of a kind: offsets of `parts` even parts of `total`, their lengths, or values of as many sorts as `total`, in any order."""
    each = torch.arange(count, device=device)
    if kind == "offsets":
        return each * total // parts
    if kind == "lengths":
        return (each + 1) * total // parts - each * total // parts
    return (((each + 1) * total + parts - 1) // parts - 1)[torch.randperm(count, device=device)].clamp_(min=0)


class Memory:
    """Storages and the tensors on them. A tensor is a number: one storage seen by one descriptor; `tensors` has those that exist now."""

    def __init__(self, operations, device, substitute=False):
        self.operations, self.device = operations, device
        self.base = [None] * len(operations.storages)  # some tensor on the storage
        self.numbers = {}                              # (storage, descriptor) -> tensor number
        self.keys = []
        self.tensors = []
        self.of_storage = [[] for _ in operations.storages]
        self.kept = {i for i, storage in enumerate(operations.storages) if storage[2] == "given"}  # never freed, never bound to a result
        self.dtypes = {name: getattr(torch, name) for name in DTYPES if hasattr(torch, name)}
        if substitute:  # calls that need a type which is not there fail, and are left out; their memory has the same size
            for name in DTYPES:
                bits = int(re.search(r"\d+", name + "8").group())
                self.dtypes.setdefault(name, {64: torch.int64, 32: torch.int32, 16: torch.int16}.get(bits, torch.uint8))
        self.first_view = {}  # of a storage that is made empty: the tensor that is wanted of it first
        self.positive = set()  # storages whose values must be
        self.scalars = self._find_scalars()
        used = {storage[3] for storage in operations.storages} | {tensor[0] for tensor in operations.tensors}
        for name in sorted(used - self.dtypes.keys()):
            raise Refusal(f"this PyTorch ({torch.__version__}) has no {name}, which the recording uses")
        self.sizes = {name: torch.empty(0, dtype=self.dtypes[name]).element_size() for name in used}

    def _find_scalars(self):
        """Numbers that PyTorch had wrapped into tensors (x + 1e-6): without dimensions, on the host, made by nobody. They are passed as numbers,
        because a wrapped number does not take part in the choice of the result's type, and a tensor does."""
        wrapped = {"float64": 0.5, "int64": 1}
        found = {i: wrapped[s[3]] for i, s in enumerate(self.operations.storages)
                 if s[0] == "cpu" and s[1] == 8 and s[2] == "given" and s[3] in wrapped and not s[5] and not s[6]}
        if found:
            for entry in self.operations.sequence:
                slots = self.operations.forms[entry[0]]["slots"] if type(entry[0]) is int else ()
                for storage, slot in zip(entry[1] if slots else (), slots):
                    if storage in found and self.operations.tensors[slot][1] != ():
                        del found[storage]
        return found

    def number(self, storage, descriptor):
        key = (storage, descriptor)
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.tensors)
            self.tensors.append(None)
            self.keys.append(key)
            self.of_storage[storage].append(found)
        return found

    def place(self, storage):
        return self.device if self.operations.storages[storage][0] == "cuda" else torch.device("cpu")

    def allocate(self, storage):
        _, size, _, name, _, pinned, _ = self.operations.storages[storage]
        place = self.place(storage)
        pin = bool(pinned) and place.type == "cpu" and self.device.type == "cuda"
        self.base[storage] = torch.empty(-(-size // self.sizes[name]), dtype=self.dtypes[name], device=place, pin_memory=pin)

    def make(self, storage):
        """Memory that an operator made empty: at once in the form in which it is wanted first, where that is all of it."""
        first = self.first_view.get(storage)
        if first is None:
            return self.allocate(storage)
        number, shape, stride, dtype, place = first
        self.base[storage] = self.tensors[number] = torch.empty_strided(shape, stride, dtype=dtype, device=place)

    def prefer(self, number):
        """Of storages that are made empty: the first tensor that is asked for."""
        storage, descriptor = self.keys[number]
        dtype, shape, stride, offset = self.operations.tensors[descriptor]
        span = 1 + sum((n - 1) * step for n, step in zip(shape, stride))
        if storage in self.first_view or storage in self.kept or self.operations.storages[storage][5] or offset != 0 or 0 in shape:
            return
        whole = span * self.sizes[dtype] == self.operations.storages[storage][1]
        self.first_view[storage] = (number, shape, stride, self.dtypes[dtype], self.place(storage)) if whole else None

    def fill(self, storage):
        """Random values that stay finite: floats are small, and positive where roots and logarithms are taken of them; integers are valid indices
        wherever the recording uses them as such. The same values every time, so that what depends on them is the same too. Floats have both
        signs and all digits: a GPU's clock follows its power, and that follows how many bits change, so that tame numbers make matrix
        products up to a tenth faster than those of a model."""
        base = self.base[storage]
        torch.manual_seed(storage)
        if base.dtype.is_complex:
            base = torch.view_as_real(base)
        if base.dtype == torch.bool:
            base.random_(0, 2)
            self.plan(storage)
        elif not base.dtype.is_floating_point:
            for part, below in self.bounded(storage):
                part.random_(0, below) if below > 1 else part.zero_()
            self.plan(storage)
        elif "float8" in str(base.dtype):
            base.copy_(self._spread(torch.empty(base.shape, device=base.device), storage))
        else:
            self._spread(base, storage)

    def _spread(self, tensor, storage):
        return tensor.uniform_(0.0, 0.04) if storage in self.positive else tensor.normal_(0.0, 0.02)

    def make_positive(self):
        """All values, from here on: something was not defined for others."""
        self.positive = set(range(len(self.operations.storages)))
        for storage in self.kept:
            if self.base[storage].dtype.is_floating_point:
                self.fill(storage)

    def give(self, first=True):
        """What was there before the window. Later windows find again what they write over."""
        for storage, entry in enumerate(self.operations.storages):
            if entry[2] == "given" and (first or entry[6]):
                if first:
                    self.allocate(storage)
                self.fill(storage)
        torch.manual_seed(self.operations.rank)

    def keep(self, storage):
        """Memory with values for a storage that no call makes: because its maker is left out, or made something of another size."""
        self.kept.add(storage)
        for number in self.of_storage[storage]:
            self.tensors[number] = None
        self.allocate(storage)
        self.fill(storage)
        base = self.base[storage]
        if base.dtype.is_floating_point or base.dtype.is_complex:
            return
        for part, bound in self.bounded(storage):
            if 0 < part.numel() <= bound:
                # Places that were found (nonzero, topk) are distinct and ascend: so do these, or what adds up at equal places takes longer.
                part.copy_(torch.arange(part.numel(), device=part.device) * bound // part.numel())
        self.plan(storage)

    def plan(self, storage):
        """Integers whose values decide the work have values of that kind."""
        base = self.base[storage]
        for first, count, kind, total, parts in self.operations.plans.get(storage, []):
            if first + count <= base.numel():
                base[first:first + count].copy_(plan_values(kind, count, total, parts, base.device))

    def keep_as_planned(self, number):
        """What such integers were computed from was made up: if something else came of it than was planned, the storage gets that."""
        storage, tensor = self.keys[number][0], self.tensors[number]
        if storage in self.kept or storage not in self.operations.plans or tensor is None or not tensor.is_contiguous():
            return
        offset = self.operations.tensors[self.keys[number][1]][3]
        for first, count, kind, total, parts in self.operations.plans[storage]:
            if (first, count) != (offset, tensor.numel()) or kind == "spread":
                continue
            if kind == "lengths":
                fits = int(tensor.sum()) == total
            else:
                fits = bool((tensor.flatten() == plan_values(kind, count, total, parts, tensor.device)).all())
            if not fits:
                return self.keep(storage)

    def bounded(self, storage):
        """(part of a storage of integers, below what they lie there); 0: anything."""
        base = self.base[storage]
        yield base, self.operations.storages[storage][4]
        for first, count, bound in self.operations.parts.get(storage, []):
            yield base[first:first + count], bound

    def keep_in_bounds(self, number):
        """Indices that were computed from random values may point anywhere: such a storage gets values of its own."""
        storage, tensor = self.keys[number][0], self.tensors[number]
        bound = self.operations.storages[storage][4]
        if storage in self.operations.parts:
            offset = self.operations.tensors[self.keys[number][1]][3]
            bound = next((below for first, count, below in self.operations.parts[storage] if first <= offset < first + count), bound)
        if bound > 0 and storage not in self.kept and tensor is not None and tensor.numel() > 0 and not tensor.dtype.is_floating_point:
            if int(tensor.max()) >= bound or int(tensor.min()) < 0:
                self.keep(storage)

    def view(self, number):
        """Makes the tensor of that number on its storage."""
        storage, descriptor = self.keys[number]
        if self.base[storage] is None:
            self.keep(storage)
        base = self.base[storage]
        dtype, shape, stride, offset = self.operations.tensors[descriptor]
        dtype = self.dtypes[dtype]
        if base.dtype == dtype:
            made = torch.as_strided(base, shape, stride, offset)
        else:
            made = torch.empty(0, dtype=dtype, device=base.device).set_(whole_of(base), offset, shape, stride)
        self.tensors[number] = made
        return made

    def tensor(self, number):
        found = self.tensors[number]
        return self.view(number) if found is None else found

    def free(self, storages):
        base, tensors, kept = self.base, self.tensors, self.kept
        for storage in storages:
            if storage in kept:
                continue
            base[storage] = None
            for number in self.of_storage[storage]:
                tensors[number] = None


def whole_of(tensor):
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()


# ---------------------------------------------------------------------------------------------------------------- operators
def fits(value, argument):
    """Whether what was recorded can be given for an argument of a schema. Nothing stands for what has a default, too: profilers do not write texts down."""
    kind = str(argument.type)
    if value is None:
        return kind.startswith("Optional[") or argument.has_default_value()
    return fits_kind(value, kind[len("Optional["):-1] if kind.startswith("Optional[") else kind)


def fits_kind(value, kind):
    if isinstance(value, list):
        return kind.startswith("List[") and all(fits_kind(one, kind[len("List["):-1]) for one in value)
    if isinstance(value, dict) and "t" in value:
        return kind in ("Tensor", "Optional[Tensor]")
    if isinstance(value, bool):
        return kind in ("bool", "number")
    if isinstance(value, int):
        return kind in ("int", "SymInt", "float", "number")
    return kind in ("float", "number", "complex")


def settle_overload(form):
    """Of an operator whose form is not recorded the one that takes what it was given, all arguments of its schema in order; False: there is none."""
    for schema in torch._C._jit_get_schemas_for_operator(form["op"]):
        if len(schema.arguments) != len(form["args"]) or not all(map(fits, form["args"], schema.arguments)):
            continue
        values = [argument.default_value if value is None and not str(argument.type).startswith("Optional[") else value
                  for value, argument in zip(form["args"], schema.arguments)]
        named = [argument.kwarg_only for argument in schema.arguments]
        form["kw"] = {argument.name: value for argument, value, by_name in zip(schema.arguments, values, named) if by_name}
        form["args"] = [value for value, by_name in zip(values, named) if not by_name]
        form["overload"] = schema.overload_name
        return True
    return False


def find_operator(form):
    """The registered operator, or None."""
    space, name = form["op"].split("::")
    if form["op"] in FORBIDDEN:
        raise Refusal(f"{form['op']} reaches beyond tensors and is never replayed")
    if form.get("overload", "") is None and not settle_overload(form):
        return None
    overload = form.get("overload", "")
    try:
        torch._C._get_schema(form["op"], overload)  # asks the registry only; attributes of torch.ops are not all operators
    except (RuntimeError, AttributeError):
        return None
    return getattr(getattr(getattr(torch.ops, space), name), overload or "default")


def value_of(value, memory):
    """An argument that has no tensor in it."""
    if isinstance(value, list):
        return [value_of(one, memory) for one in value]
    if not isinstance(value, dict):
        return value
    (key, inner), = value.items()
    if key == "dtype":
        if inner not in memory.dtypes:
            raise Refusal(f"this PyTorch ({torch.__version__}) has no {inner}, which the recording uses")
        return memory.dtypes[inner]
    if key == "device":
        return memory.device if inner == "cuda" else torch.device("cpu")
    if key in ("layout", "memory_format"):
        return getattr(torch, inner)
    if key == "complex":
        return complex(*inner)
    return float("nan") if key == "nan" else inner * float("inf")


def takes_numbers_as_tensors(name):
    """Whether a number may stand where the operator's schema has a tensor: arithmetic wraps it, most others refuse."""
    space, _, name = name.partition("::")
    allowed = getattr(torch._C, "_should_allow_numbers_as_tensors", None)
    return space == "aten" and (allowed is None or allowed(name))


class Call:
    """One call, made ready: which of its arguments are tensors, which of its results are new."""
    __slots__ = ("form", "function", "operator", "schema", "name", "arguments", "keywords", "places", "lists", "named", "results", "freed", "is_checked", "substitute", "is_plain")

    def __init__(self, function, form, entry, memory):
        lists = entry[1:] + [[]] * (4 - len(entry))
        self.form, self.operator, self.name = entry[0], function, form["op"]
        self.schema = None if function is None else function._schema
        self.function = getattr(function, "_op", function)  # what the operator's Python object calls
        self.arguments, self.keywords, self.places, self.lists, self.named = [], {}, [], [], []
        self.is_checked, self.substitute = False, False
        slots = iter([memory.number(s, d) for s, d in zip(lists[0], form["slots"])])
        if function is not None:
            memory.positive.update(self._positive(form, lists[0]))
        for value in form.get("args", []):
            self._take(len(self.arguments), value, slots, memory)
        for name, value in form.get("kw", {}).items():
            if isinstance(value, dict) and "t" in value:
                self.named.append((name, next(slots)))
            else:
                self.keywords[name] = value_of(value, memory)
        present = [(i, d) for i, d in enumerate(form["outs"]) if d is not None]
        used = set(lists[0])
        # What an operator changes in place is there already.
        self.results = [(i, memory.number(s, d), s) for (i, d), s in zip(present, lists[1]) if s not in used and s not in memory.kept]
        self.freed = [s for s in lists[2] if s not in memory.kept]
        self.is_plain = False  # it was seen to return one tensor, which is as recorded

    def _positive(self, form, storages):
        """Those of the call's storages that must hold positive numbers for it to be defined."""
        if self.name.split("::")[1].removeprefix("_foreach_").rstrip("_") in POSITIVE_OPERATORS:
            return storages
        names = [argument.name for argument in self.schema.arguments]
        if POSITIVE_ARGUMENTS.isdisjoint(names):
            return []
        found, storages = [], iter(storages)
        for name, value in [*zip(names, form.get("args", [])), *form.get("kw", {}).items()]:
            mine = [next(storages) for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict) and "t" in one]
            found += mine if name in POSITIVE_ARGUMENTS else []
        return found

    def _take(self, at, value, slots, memory):
        self.arguments.append(None)
        if isinstance(value, dict) and "t" in value:
            number = next(slots)
            if memory.keys[number][0] in memory.scalars and takes_numbers_as_tensors(self.name):
                self.arguments[at] = memory.scalars[memory.keys[number][0]]
            else:
                self.places.append((at, number))
        elif isinstance(value, list) and any(isinstance(one, dict) and "t" in one for one in value):
            numbers = [next(slots) if isinstance(one, dict) and "t" in one else None for one in value]
            if all(n is not None and memory.keys[n][0] in memory.kept for n in numbers):
                self.arguments[at] = [memory.tensor(n) for n in numbers]
            else:
                self.lists.append((at, numbers))
        else:
            self.arguments[at] = value_of(value, memory)

    def run(self, memory):
        tensors = memory.tensors
        arguments, keywords = self.arguments, self.keywords
        if self.places or self.lists:
            arguments = arguments.copy()  # which ends here, so that nothing keeps alive what is freed below
            for at, number in self.places:
                tensor = tensors[number]
                arguments[at] = memory.view(number) if tensor is None else tensor
            for at, numbers in self.lists:
                arguments[at] = [None if n is None else memory.view(n) if tensors[n] is None else tensors[n] for n in numbers]
        if self.named:
            keywords = keywords.copy()
            for name, number in self.named:
                tensor = tensors[number]
                keywords[name] = memory.view(number) if tensor is None else tensor
        if not self.substitute:
            result = self.function(*arguments, **keywords)
            if self.results:
                if self.is_plain:
                    _, number, storage = self.results[0]
                    memory.base[storage] = tensors[number] = result
                else:
                    self._bind(result, memory)
        if self.freed:
            memory.free(self.freed)

    def inputs(self):
        return [n for _, n in self.places] + [n for _, numbers in self.lists for n in numbers if n is not None] + [n for _, n in self.named]

    def written(self, memory):
        """Storages that the call changes in place, or fills as an output that it was given."""
        if self.function is None:
            return set()
        schema = self.schema.arguments
        changed = {i for i, argument in enumerate(schema) if argument.alias_info is not None and argument.alias_info.is_write}
        names = {schema[i].name for i in changed}
        numbers = [n for at, n in self.places if at in changed] + [n for at, ns in self.lists if at in changed for n in ns if n is not None]
        numbers += [n for name, n in self.named if name in names]
        return {memory.keys[n][0] for n in numbers}

    def is_undefined(self, memory):
        """Whether a result has numbers that are none, to be asked right after the call. A sum tells, and takes no memory to speak of."""
        for _, number, _ in self.results:
            tensor = memory.tensors[number]
            if tensor is not None and tensor.dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16) and bool(tensor.sum().isnan()):
                return True
        return False

    def settle(self, memory):
        """After the first window it is known which memory is never freed: tensors on it are looked up once and for all, and results that have such memory
        by now are not taken."""
        self.results = [result for result in self.results if result[2] not in memory.kept]
        self.freed = [storage for storage in self.freed if storage not in memory.kept]
        stays = lambda number: number is not None and memory.keys[number][0] in memory.kept
        for at, number in self.places:
            if stays(number):
                self.arguments[at] = memory.tensor(number)
        for at, numbers in self.lists:
            if all(map(stays, numbers)):
                self.arguments[at] = [memory.tensor(number) for number in numbers]
        for name, number in self.named:
            if stays(number):
                self.keywords[name] = memory.tensor(number)
        self.places = [place for place in self.places if not stays(place[1])]
        self.lists = [place for place in self.lists if not all(map(stays, place[1]))]
        self.named = [place for place in self.named if not stays(place[1])]

    def _bind(self, result, memory):
        is_tensor = isinstance(result, torch.Tensor)
        if is_tensor:
            result = (result,)
        elif any(isinstance(one, (list, tuple)) for one in result):
            result = [x for one in result for x in (one if isinstance(one, (list, tuple)) else [one])]
        if not self.is_checked:
            self._check(result, memory)
            self.is_plain = is_tensor and len(self.results) == 1
        for at, number, storage in self.results:
            tensor = result[at]
            memory.base[storage] = tensor
            memory.tensors[number] = tensor

    def _check(self, result, memory):
        """What comes out must be what was recorded: where it is not (sizes that depend on values), later calls get
        memory of the recorded size instead."""
        kept = []
        for at, number, storage in self.results:
            tensor = result[at] if at < len(result) else None
            dtype, shape, stride, offset = memory.operations.tensors[memory.keys[number][1]]
            if isinstance(tensor, torch.Tensor) and tensor.dtype == memory.dtypes[dtype] and tuple(tensor.shape) == shape and (
                    tensor.numel() == 0 or (tensor.stride() == stride and tensor.storage_offset() == offset)):
                kept.append((at, number, storage))
        self.results, self.is_checked = kept, True


def find_witness():
    """A context whose `calls` are what reaches PyTorch's dispatcher while it lasts; None: this PyTorch has no such thing."""
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
    except ImportError:
        return None

    class Witness(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.calls = []

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.calls.append((function, args, kwargs or {}))
            return function(*args, **(kwargs or {}))

    return Witness


class Trial:
    """Stands for an operator in one call, and looks for a faster way to it: the functions that PyTorch's own Python code calls take arguments in half the time that the
    registry needs. A name there may stand for several operators: one is chosen only if the very same operator was seen to be called with the same arguments."""

    def __init__(self, call, witness):
        self.witness, self.operator, self.registered, self.chosen = witness, call.operator, call.function, call.function
        name = call.name.split("::")[1]
        places = [getattr(torch._C, place, None) for place in ("_VariableFunctions", "TensorBase", "_TensorBase", "_nn")]
        self.bindings = [getattr(place, name) for place in places if callable(getattr(place, name, None))] if call.name.startswith("aten::") else []

    def __call__(self, *arguments, **keywords):
        for binding in self.bindings:
            try:
                with self.witness() as witness:
                    result = binding(*arguments, **keywords)
            except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
                continue
            if len(witness.calls) == 1 and self._is_same(witness.calls[0], arguments, keywords):
                self.chosen = binding
                return result
        return self.registered(*arguments, **keywords)

    def _is_same(self, seen, arguments, keywords):
        function, *given = seen
        return function is self.operator and same_value(self._named(*given), self._named(arguments, keywords))

    def _named(self, arguments, keywords):
        """All arguments in the schema's order: those that are not given are the defaults."""
        schema = self.operator._schema.arguments
        return list(arguments) + [keywords.get(argument.name, argument.default_value) for argument in schema[len(arguments):]]


def same_value(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b))
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return a is b
    return type(a) is type(b) and a == b


# ---------------------------------------------------------------------------------------------------------------- communication
class Communication:
    """Groups and collectives through torch.distributed. Without other processes there is none, and nothing is waited for."""

    def __init__(self, groups, rank, present, backend, timeout_s):
        self.rank, self.members, self.handles, self.open = rank, [], [], {}
        self.is_on = len(present) > 1
        self.timeout_s, self.last = timeout_s, "no collective yet"
        for ranks in groups:
            members = [r for r in ranks if r in present]
            self.members.append(members)
            if not self.is_on or len(members) < 2:
                self.handles.append(None)
            elif members == present:
                self.handles.append(dist.group.WORLD)
            else:
                self.handles.append(dist.new_group([present.index(r) for r in members], backend=backend,
                                                   timeout=datetime.timedelta(seconds=timeout_s)))
        self.place_of = {r: i for i, r in enumerate(present)}
        self.is_cpu_only = backend == "gloo"

    def run(self, about, ins, outs):
        group = self.handles[about.get("group", 0)]
        members = self.members[about.get("group", 0)]
        if group is None or self.rank not in members:
            return
        kind = about["kind"]
        self.last = f"{kind} {about.get('id', '')} of ranks {members}"
        root = self.place_of.get(about.get("root", members[0]), self.place_of[members[0]])
        peer = self.place_of.get(about.get("peer", -1))
        waits = not about.get("async", False)
        size = len(members)
        if kind == "all_reduce":
            work = dist.all_reduce(outs[0] if outs else ins[0], op=reduction(about), group=group, async_op=True)
        elif kind == "broadcast":
            work = dist.broadcast(outs[0] if outs else ins[0], src=root, group=group, async_op=True)
        elif kind == "reduce":
            work = dist.reduce(outs[0] if outs else ins[0], dst=root, op=reduction(about), group=group, async_op=True)
        elif kind == "all_gather_into_tensor":
            work = into_tensor("all_gather_into_tensor", "_all_gather_base")(outs[0], ins[0], group=group, async_op=True)
        elif kind == "reduce_scatter_tensor":
            work = into_tensor("reduce_scatter_tensor", "_reduce_scatter_base")(outs[0], ins[0], op=reduction(about), group=group, async_op=True)
        elif kind == "all_gather":
            work = dist.all_gather(outs[:size], ins[0], group=group, async_op=True)
        elif kind == "reduce_scatter":
            work = dist.reduce_scatter(outs[0], ins[:size], op=reduction(about), group=group, async_op=True)
        elif kind == "all_to_all_single":
            work = dist.all_to_all_single(outs[0], ins[0], about.get("out_splits") or None, about.get("in_splits") or None, group=group,
                                          async_op=True)
        elif kind == "all_to_all":
            work = dist.all_to_all(outs[:size], ins[:size], group=group, async_op=True)
        elif kind == "gather":
            is_root = self.place_of[self.rank] == root
            work = dist.gather(ins[0], outs[:size] if is_root else None, dst=root, group=group, async_op=True)
        elif kind == "scatter":
            is_root = self.place_of[self.rank] == root
            work = dist.scatter(outs[0], ins[:size] if is_root else None, src=root, group=group, async_op=True)
        elif kind == "barrier":
            work = dist.barrier(group=group, async_op=True)
        elif peer is None:
            return  # the partner is not among the processes
        elif kind == "send":
            work = dist.isend(ins[0], peer, group=group, tag=about.get("tag", 0))
        else:
            work = dist.irecv(outs[0], peer, group=group, tag=about.get("tag", 0))
        if waits:
            work.wait()
        else:
            self.open[about.get("id", -1)] = work

    def complete(self, number):
        work = self.open.pop(number, None)
        if work is not None:
            work.wait()

    def complete_all(self):
        for number in list(self.open):
            self.complete(number)


def reduction(about):
    return {"sum": dist.ReduceOp.SUM, "avg": getattr(dist.ReduceOp, "AVG", dist.ReduceOp.SUM), "product": dist.ReduceOp.PRODUCT,
            "min": dist.ReduceOp.MIN, "max": dist.ReduceOp.MAX}.get(about.get("op", "sum"), dist.ReduceOp.SUM)


def into_tensor(name, older):
    return getattr(dist, name) if hasattr(dist, name) else getattr(dist, older)


# ---------------------------------------------------------------------------------------------------------------- running
class Watch(threading.Thread):
    """Ends the process, with a sentence, if nothing moves for too long: a collective that another rank never reaches would wait for ever."""

    def __init__(self, player):
        super().__init__(daemon=True)
        self.player = player

    def run(self):
        seen, since = -1, time.monotonic()
        while True:
            time.sleep(0.5)
            now = (self.player.windows, self.player.at)
            if now != seen or not self.player.is_running:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > self.player.communication.timeout_s:
                say(f"rank {self.player.operations.rank} has not moved for {self.player.communication.timeout_s:g} s at entry {self.player.at}; "
                    f"last begun: {self.player.communication.last}. A rank that never reaches it holds the others.", error=True)
                os._exit(4)


class Mark:
    """Where what was one launch of a graph begins or ends."""

    def __init__(self, is_begin):
        self.is_begin = is_begin

    def __call__(self):
        pass


class Launch:
    """What was one launch of a graph: captured the first time, and launched as a graph from then on. What cannot be captured is called one by one."""

    def __init__(self, player, actions):
        self.player, self.actions, self.graph, self.bound = player, actions, None, []
        self.is_tried = False

    def __call__(self):
        memory = self.player.memory
        if not self.is_tried:
            self.is_tried = True
            self._capture(memory)
        if self.graph is None:
            for _, action in self.actions:
                action.run(memory) if type(action) is Call else action()
            return
        self.graph.replay()
        for storage, base, tensors in self.bound:  # what others find there later
            memory.base[storage] = base
            for number, tensor in tensors:
                memory.tensors[number] = tensor

    def _capture(self, memory):
        sequence = self.player.operations.sequence
        # Annotations would be those of the capture; what waits, communicates or goes to several streams is left to the host.
        steps = [(i, action) for i, action in self.actions if sequence[i][0] not in ("begin", "end")]
        made, freed = set(), set()
        for i, action in steps:
            if type(action) is Call:
                made.update(storage for _, _, storage in action.results)
                freed.update(action.freed)
            elif sequence[i][0] in ("new", "free"):
                (made if sequence[i][0] == "new" else freed).update(s for s in sequence[i][1] if s not in memory.kept)
            elif sequence[i][0] != "work":
                return
        if not steps or not freed <= made:  # what was made before must not be freed by a capture that may fail
            return
        graph, pools = torch.cuda.CUDAGraph(), self.player.pools
        pool = pools.setdefault(torch.cuda.current_stream(), torch.cuda.graph_pool_handle())
        try:
            with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
                for _, action in steps:
                    action.run(memory) if type(action) is Call else action()
        except (RuntimeError, TypeError):
            torch.cuda.synchronize()
            return
        self.graph = graph
        for storage in sorted(made - freed):
            self.bound.append((storage, memory.base[storage], [(n, memory.tensors[n]) for n in memory.of_storage[storage]]))


class Player:
    """Plays the sequence: one total order, in which each entry runs on its own thread and stream."""

    def __init__(self, operations, memory, communication, options):
        self.operations, self.memory, self.communication, self.options = operations, memory, communication, options
        self.is_cuda = memory.device.type == "cuda"
        self.streams = [torch.cuda.current_stream()] + [torch.cuda.Stream() for _ in range(operations.streams - 1)] if self.is_cuda else []
        self.pools = {}  # memory of graphs, by the stream that launches them: those of one stream run one after the other
        self.events, self.annotations, self.is_annotated = {}, {}, False
        self.windows, self.at, self.is_running = 0, -1, False
        self.is_positive = False  # whether all numbers had to be made positive
        self.cycles_per_ns = None
        self.witness, self.quick = find_witness(), {}  # by form: the faster binding of its operator, or what the registry has
        self.substituted, self.failed_calls, self.failures = {}, {}, {}  # how many calls by operator; why, the first time
        self.segments = self._prepare()
        for storage in memory.positive & memory.kept:  # which is known only now
            memory.fill(storage)
        self.baton = [threading.Semaphore(0) for _ in range(operations.threads)]
        self.error = None
        self.workers = [threading.Thread(target=self._work, args=(t,), daemon=True) for t in range(1, operations.threads)]
        for worker in self.workers:
            worker.start()

    def _prepare(self):
        """The sequence cut where its thread changes: (thread, first entry, [what to do]...)."""
        operations, compute = self.operations, not self.options.communication_only
        functions, missing = {}, {}
        segments, thread, actions = [], 0, []
        for i, entry in enumerate(operations.sequence):
            kind = entry[0]
            if kind == "thread":
                if entry[1] != thread:
                    segments.append((thread, actions))
                    thread, actions = entry[1], []
                continue
            action = None
            if type(kind) is int:
                if not compute:
                    continue
                if kind not in functions:
                    functions[kind] = find_operator(operations.forms[kind])
                if functions[kind] is None:
                    missing[operations.forms[kind]["op"]] = missing.get(operations.forms[kind]["op"], 0) + 1
                call = Call(functions[kind], operations.forms[kind], entry, self.memory)
                call.substitute = functions[kind] is None
                action = call
            else:
                action = self._action(entry)
            if action is not None:
                actions.append((i, action))
        segments.append((thread, actions))
        if missing and not self.options.substitute:
            names = ", ".join(f"{name} ({count})" for name, count in sorted(missing.items())[:8])
            raise Refusal(f"this PyTorch ({torch.__version__}) does not know {len(missing)} of the recorded operators: {names}; "
                          "load the library that registers them, or --substitute leaves them out")
        self.substituted = missing
        for storage in self._never_written(segments):
            self.memory.keep(storage)
        for _, actions in segments:
            for _, action in actions:
                for number in action.inputs() if type(action) is Call else ():
                    self.memory.prefer(number)
        return segments

    def _never_written(self, segments):
        """Memory that an operator made empty and whose writer is not among the calls (a kernel of Triton, say), but whose readers are."""
        empty = {s for entry in self.operations.sequence if entry[0] == "new" for s in entry[1]} - self.memory.kept
        read = set()
        for _, actions in segments:
            for _, action in actions:
                if type(action) is Call:
                    empty -= action.written(self.memory)
                    read.update(self.memory.keys[n][0] for n in action.inputs())
        return sorted(empty & read)

    def _action(self, entry):
        kind, memory = entry[0], self.memory
        compute = not self.options.communication_only
        if kind in ("new", "free"):
            storages = [s for s in entry[1] if s not in memory.kept]
            return (lambda: self._make(storages)) if kind == "new" else (lambda: memory.free(storages))
        if kind == "collective":
            if self.options.compute_only or not self.communication.is_on:
                return None
            about = entry[1]
            ins, outs = ([memory.number(s, d) for d, s in pairs] for pairs in entry[2:4])
            return lambda: self._communicate(about, ins, outs)
        if kind == "complete":
            return lambda: self._complete(entry[1])
        if kind in ("begin", "end"):
            return (lambda: self._begin(entry[1])) if kind == "begin" else self._end
        if kind == "work":
            return (lambda: self._spend(entry[1])) if compute else None
        if kind == "pause":
            return lambda: self._stand_still(entry[1])
        if kind in ("graph", "graph_end"):
            return Mark(kind == "graph")
        if not self.is_cuda:
            return None
        if kind == "stream":
            stream = self.streams[entry[1]]
            return lambda: torch.cuda.set_stream(stream)
        if kind == "sync":
            return self.streams[entry[1]].synchronize if len(entry) > 1 else torch.cuda.synchronize
        event = self.events.setdefault(entry[1], torch.cuda.Event())
        if kind == "record":
            return lambda: event.record(torch.cuda.current_stream())
        if kind == "wait":
            return lambda: torch.cuda.current_stream().wait_event(event)
        return event.synchronize

    def _communicate(self, about, ins, outs):
        tensor = self.memory.tensor
        with self._named_errors():
            self.communication.run(about, [tensor(n) for n in ins], [tensor(n) for n in outs])

    def _complete(self, number):
        with self._named_errors():
            self.communication.complete(number)

    @contextlib.contextmanager
    def _named_errors(self):
        try:
            yield
        except RuntimeError as error:  # a time-out, a partner that is gone, a collective that this backend lacks
            raise Refusal(f"rank {self.operations.rank}, entry {self.at}: {self.communication.last} did not end: {str(error).splitlines()[0][:200]}") from None

    def _make(self, storages):
        for storage in storages:
            if storage not in self.memory.kept:
                self.memory.make(storage)

    def _begin(self, name):
        if self.is_annotated:
            scope = torch.profiler.record_function(name)
            scope.__enter__()
            self.annotations.setdefault(threading.get_ident(), []).append(scope)

    def _end(self):
        scopes = self.annotations.get(threading.get_ident())
        if scopes:
            scopes.pop().__exit__(None, None, None)

    def _spend(self, ns):
        """Device work of a duration, in place of kernels that cannot be called."""
        if self.is_cuda:
            torch.cuda._sleep(max(1, int(ns * self.cycles_per_ns)))
            return
        end = time.perf_counter_ns() + ns
        while time.perf_counter_ns() < end:
            pass

    def _stand_still(self, ns):
        """The host does nothing for so long: other threads of the process may, and nobody takes it for stuck."""
        end = time.perf_counter_ns() + ns
        self.is_running = False
        time.sleep(max(0, ns - 1_000_000) / 1e9)  # which may end late by less than that
        while time.perf_counter_ns() < end:
            pass
        self.is_running = True

    def calibrate(self):
        """How long the device's waiting takes; only where some is needed."""
        if not self.is_cuda or not any(entry[0] == "work" for entry in self.operations.sequence):
            return
        cycles = 20_000_000
        for _ in range(2):  # the first one wakes the device up
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record(), torch.cuda._sleep(cycles), end.record()
            torch.cuda.synchronize()
        self.cycles_per_ns = cycles / (begin.elapsed_time(end) * 1e6)

    def window(self):
        """One pass over everything that was recorded."""
        self.is_running = True
        self._run_segments()
        with self._named_errors():
            self.communication.complete_all()
        if self.is_cuda:
            torch.cuda.set_stream(self.streams[0])
            torch.cuda.synchronize()
        self.is_running = False
        if self.windows == 0:
            for _, actions in self.segments:
                for _, action in actions:
                    if type(action) is Call:
                        action.settle(self.memory)
        self.windows += 1
        if self.windows == 2 and self.options.warmup > 2 and self.is_cuda:  # calls are settled, and nothing is measured yet
            self.segments = [(thread, self._with_graphs(actions)) for thread, actions in self.segments]
        for scopes in self.annotations.values():
            while scopes:
                scopes.pop().__exit__(None, None, None)

    def _with_graphs(self, actions):
        """The same, with launches of graphs in place of what they launched."""
        result, block = [], None
        for i, action in actions:
            if type(action) is not Mark:
                (result if block is None else block[1]).append((i, action))
            elif action.is_begin:
                block = (i, [])
            elif block is not None:
                result.append((block[0], Launch(self, block[1])))
                block = None
        return result + (block[1] if block is not None else [])  # one that ends on another thread stays as it is

    def _run_segments(self):
        """Thread 0 runs its segments; in between the baton goes to the thread whose turn it is, and comes back."""
        for self.segment in range(len(self.segments)):
            thread, actions = self.segments[self.segment]
            if thread == 0:
                self._run_segment(actions)
            else:
                self.baton[thread].release()
                self.baton[0].acquire()
            if self.error is not None:
                error, self.error = self.error, None
                raise error

    def _work(self, thread):
        if self.is_cuda:
            torch.cuda.set_device(self.memory.device)
        with without_autograd():
            while True:
                self.baton[thread].acquire()
                try:
                    self._run_segment(self.segments[self.segment][1])
                except BaseException as error:  # it belongs to thread 0, which waits
                    self.error = error
                self.baton[0].release()

    def _run_segment(self, actions):
        memory = self.memory
        if self.windows == 0:
            return self._try_segment(actions)
        if self.windows == 1 and self.options.warmup > 1 and self.witness is not None:
            return self._quicken(actions)
        if self.operations.pace:
            return self._run_paced(actions)
        for self.at, action in actions:
            if type(action) is Call:
                action.run(memory)
            else:
                action()

    def _quicken(self, actions):
        """The second time, before anything is measured: the first call of each form tries its operator's faster bindings, all take what it found."""
        for self.at, action in actions:
            if type(action) is not Call:
                action()
                continue
            if action.form not in self.quick and not action.substitute:
                action.function = trial = Trial(action, self.witness)
                action.run(self.memory)
                self.quick[action.form] = action.function = trial.chosen
                continue
            action.function = self.quick.get(action.form, action.function)
            action.run(self.memory)

    def _run_paced(self, actions):
        pace = self.operations.pace
        for self.at, action in actions:
            until = time.perf_counter_ns() + pace[self.at]
            while time.perf_counter_ns() < until:
                pass
            if type(action) is Call:
                action.run(self.memory)
            else:
                action()

    def _try_segment(self, actions):
        """The first time: a call that fails is named, with what it was given."""
        for self.at, action in actions:
            if type(action) is not Call:
                action()
                continue
            for number in action.inputs():
                self.memory.keep_in_bounds(number)
                self.memory.keep_as_planned(number)
            try:
                action.run(self.memory)
            except torch.cuda.OutOfMemoryError if hasattr(torch.cuda, "OutOfMemoryError") else ():
                raise Refusal(f"the device has not enough memory at entry {self.at} ({action.name}); "
                              f"the list alone needs {text_of_bytes(self.operations.peak_bytes())}") from None
            except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
                if not self.options.substitute:
                    raise Refusal(f"entry {self.at}: {action.name} cannot be called as it was recorded: {str(error).splitlines()[0][:300]}; "
                                  "--substitute leaves such calls out") from None
                self.failed_calls[action.name] = self.failed_calls.get(action.name, 0) + 1
                self.failures.setdefault(action.name, str(error).splitlines()[0][:200])
                action.substitute = True
                action.run(self.memory)
            if not self.is_positive and action.is_undefined(self.memory):
                self.is_positive = True
                self.memory.make_positive()


# ---------------------------------------------------------------------------------------------------------------- the command
def say(text, error=False):
    print(("replay.py: " if error else "") + text, file=sys.stderr if error else sys.stdout, flush=True)


def text_of_bytes(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--warmup", type=int, default=3, help="windows that are not measured")
    parser.add_argument("--repeat", type=int, default=20, help="windows that are")
    parser.add_argument("--rank", type=int, help="which rank to run, where there is one process (without torchrun)")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="default: the recorded one")
    parser.add_argument("--backend", choices=("nccl", "gloo"), help="default: nccl where each process has a GPU of its own, else gloo")
    parser.add_argument("--out", help="folder of the traces that are recorded; default: replayed/ beside this file")
    parser.add_argument("--no-trace", action="store_true", help="do not record a trace")
    parser.add_argument("--compute-only", action="store_true", help="no communication")
    parser.add_argument("--communication-only", action="store_true", help="no operators")
    parser.add_argument("--substitute", action="store_true", help="leave out what cannot be called, instead of refusing")
    parser.add_argument("--timeout", type=float, default=60, help="seconds without progress after which a process ends")
    parser.add_argument("--check", action="store_true", help="only say what would run, and whether it can")
    parser.add_argument("--json", action="store_true", help="the answer as one line of JSON")
    return parser.parse_args()


def read_job(folder):
    job = Checked(folder / "job.json", "orrery-replay-job")
    groups = job.of("groups", list, [])
    for group in groups:
        job.numbers(group, 1 << 31, "a group")
    files = {}
    for entry in job.of("ranks", list):
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str) or pathlib.PurePath(entry["file"]).name != entry["file"]:
            job.fail("a rank", "names no file of this folder")
        files[job.number(entry.get("rank"), 1 << 31, "a rank")] = folder / entry["file"]
    if not files:
        job.fail('"ranks"', "is empty")
    return files, groups, [str(remark) for remark in job.of("remarks", list, [])]


def choose_rank(files, options):
    """(rank of this process, ranks that run, its device's number). With fewer processes than ranks the later ranks are left out."""
    process, processes = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    ranks = sorted(files)
    if processes == 1:
        rank = ranks[0] if options.rank is None else options.rank
        if rank not in files:
            raise Refusal(f"there is no rank {rank} in this folder; it has {ranks[0]} to {ranks[-1]}")
        if len(ranks) > 1:
            say(f"one process for {len(ranks)} ranks: rank {rank} runs alone, without communication")
        return rank, [rank], 0
    if processes > len(ranks):
        raise Refusal(f"{processes} processes for {len(ranks)} ranks: start {len(ranks)}")
    if processes < len(ranks) and process == 0:
        say(f"{processes} processes for {len(ranks)} ranks: ranks {ranks[processes]} to {ranks[-1]} are left out of every group")
    return ranks[process], ranks[:processes], int(os.environ.get("LOCAL_RANK", process))


def choose_device(operations, local, processes, options):
    kind = options.device or operations.device
    if kind == "cpu":
        return torch.device("cpu"), "gloo"
    if not torch.cuda.is_available():
        raise Refusal("the recording used a GPU and there is none here; --device cpu runs what can run on the CPU")
    count = torch.cuda.device_count()
    if local >= count and local == count:
        say(f"{count} GPU(s) for more processes: they share, through gloo")
    device = torch.device("cuda", local % count)
    torch.cuda.set_device(device)
    local_processes = int(os.environ.get("LOCAL_WORLD_SIZE", processes))
    return device, options.backend or ("nccl" if local_processes <= count else "gloo")


@contextlib.contextmanager
def without_autograd():
    """The recording has what autograd did as operators: calls go straight to the device's kernels."""
    with torch.no_grad():
        guard = torch._C._AutoDispatchBelowAutograd()
        try:
            yield
        finally:
            del guard


def refuse_too_large(operations, device):
    peak = operations.peak_bytes()
    if device.type == "cuda":
        free, total = torch.cuda.mem_get_info(device)
        if peak > free:
            raise Refusal(f"rank {operations.rank} needs {text_of_bytes(peak)} at its peak and {text_of_bytes(free)} of {text_of_bytes(total)} are free")
    return peak


def apply_settings(settings):
    if "tf32" in settings:
        torch.backends.cuda.matmul.allow_tf32 = bool(settings["tf32"])
    if "cudnn_benchmark" in settings:
        torch.backends.cudnn.benchmark = bool(settings["cudnn_benchmark"])


def measure(player, options):
    """Milliseconds per step of every measured window."""
    times = []
    for i in range(options.warmup + options.repeat):
        player.memory.give(first=False)
        if player.communication.is_on:
            dist.barrier()
        if player.is_cuda:
            torch.cuda.synchronize()
        begin = time.perf_counter()
        player.window()
        if i == options.warmup - 1 and player.is_cuda:
            torch.cuda.reset_peak_memory_stats()
        if i >= options.warmup:
            times.append((time.perf_counter() - begin) * 1e3 / player.operations.steps)
    return times


def begin_recording(is_cuda):
    """A profiler that runs. It knows of the operators of other threads, and of what was waited for, only where this PyTorch can be asked for it."""
    activities = [torch.profiler.ProfilerActivity.CPU] + ([torch.profiler.ProfilerActivity.CUDA] if is_cuda else [])
    for wanted in ({"profile_all_threads": True, "enable_cuda_sync_events": is_cuda}, {"enable_cuda_sync_events": is_cuda}):
        try:
            config = torch._C._profiler._ExperimentalConfig(**wanted)
            profiler = torch.profiler.profile(activities=activities, record_shapes=True, experimental_config=config)
            profiler.start()
            return profiler
        except (AttributeError, TypeError, RuntimeError):
            continue
    profiler = torch.profiler.profile(activities=activities, record_shapes=True)
    profiler.start()
    return profiler


def record_trace(player, path):
    player.memory.give(first=False)
    player.is_annotated = True
    profiler = begin_recording(player.is_cuda)
    player.window()
    profiler.stop()
    player.is_annotated = False
    path.parent.mkdir(parents=True, exist_ok=True)
    profiler.export_chrome_trace(str(path))


def run_rank(folder, options):
    files, groups, remarks = read_job(folder)
    rank, present, local = choose_rank(files, options)
    operations = Operations(files[rank], groups)
    if operations.rank != rank:
        raise Refusal(f"{files[rank]} is of rank {operations.rank}, not {rank}")
    device, backend = choose_device(operations, local, len(present), options)
    peak = refuse_too_large(operations, device)
    is_first = rank == present[0]
    if is_first:
        for remark in remarks:
            say(remark)
    if device.type == "cpu" and operations.device == "cuda":
        options.substitute = True
        say("recorded on a GPU, run on the CPU: operators that it lacks are left out, and times mean little")
    if len(present) > 1:
        dist.init_process_group(backend, timeout=datetime.timedelta(seconds=options.timeout))
    communication = Communication(groups, rank, present, backend, options.timeout)
    apply_settings(operations.settings)
    with without_autograd():
        memory = Memory(operations, device, options.substitute)
        memory.give()
        player = Player(operations, memory, communication, options)
        if options.check:
            calls = sum(type(entry[0]) is int for entry in operations.sequence)
            say(f"rank {rank}: {calls} calls of {len(operations.forms)} forms on {len(operations.storages)} storages, at most {text_of_bytes(peak)} alive")
            return
        player.calibrate()
        Watch(player).start()
        gc.collect()
        gc.disable()  # nothing below makes cycles, and the collector would walk the whole list in the middle of a step
        times = measure(player, options)
        peak_here = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else 0
        if not options.no_trace:
            out = pathlib.Path(options.out) if options.out else folder / "replayed"
            record_trace(player, out / f"rank{rank}.kineto.json.gz")
    answer(operations, player, times, peak_here, options)
    if len(present) > 1:
        dist.barrier()
        dist.destroy_process_group()


def answer(operations, player, times, peak, options):
    left_out = {**player.substituted, **player.failed_calls}
    if options.json:
        say(json.dumps({"rank": operations.rank, "step_ms": {"median": statistics.median(times), "least": min(times), "most": max(times)},
                        "steps": operations.steps, "windows": len(times), "peak_bytes": peak, "left_out": left_out,
                        "torch": torch.__version__, "device": torch.cuda.get_device_name() if player.is_cuda else "cpu"}))
        return
    say(f"rank {operations.rank}: step {statistics.median(times):.3f} ms (median of {len(times)} windows of {operations.steps} step(s); "
        f"{min(times):.3f} to {max(times):.3f})" + (f", peak memory {text_of_bytes(peak)}" if peak else ""))
    if left_out:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(left_out.items(), key=lambda item: -item[1])[:6])
        say(f"rank {operations.rank}: left out {sum(left_out.values())} calls that this PyTorch cannot make here: {names}")
        for name, why in sorted(player.failures.items())[:6]:
            say(f"  {name}: {why}")


def main():
    options = read_options()
    if options.repeat < 1 or options.warmup < 1:
        raise Refusal("--warmup and --repeat are at least 1")
    if options.compute_only and options.communication_only:
        raise Refusal("--compute-only and --communication-only leave nothing")
    global torch, dist
    try:
        import torch
        import torch.distributed as dist
    except ImportError:
        raise Refusal("PyTorch is not installed for this Python") from None
    run_rank(pathlib.Path(__file__).absolute().parent, options)


if __name__ == "__main__":
    try:
        main()
    except Refusal as refusal:
        say(str(refusal), error=True)
        sys.exit(3)
