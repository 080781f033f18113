"""Lists and dicts that stay as they are: what answers are made of. They compare, print, pickle and serialise as the plain ones."""

from __future__ import annotations

from typing import Any, Dict, List, NoReturn, Tuple


def _refuse(self: Any, *_: Any, **__: Any) -> NoReturn:
    raise TypeError("an answer does not change; `json()` gives a copy of one's own")


class FrozenList(List[Any]):
    """Equal to the list of the same items."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> Tuple[Any, ...]:  # list's own way back appends item by item
        return FrozenList, (list(self),)

    def __deepcopy__(self, _: Any) -> "FrozenList":
        return self


class FrozenDict(Dict[str, Any]):
    """Equal to the dict of the same members."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> Tuple[Any, ...]:
        return FrozenDict, (dict(self),)

    def __deepcopy__(self, _: Any) -> "FrozenDict":
        return self


def freeze(value: Any) -> Any:
    """The same value, all the way down."""
    if isinstance(value, dict):
        return FrozenDict({key: freeze(below) for key, below in value.items()})
    return FrozenList(map(freeze, value)) if isinstance(value, (list, tuple)) else value


def thaw(value: Any) -> Any:
    """A plain copy, all the way down."""
    if isinstance(value, dict):
        return {key: thaw(below) for key, below in value.items()}
    return [thaw(below) for below in value] if isinstance(value, list) else value
