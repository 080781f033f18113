#!/usr/bin/env python3
"""How long a newcomer waits, as rows of docs/PERFORMANCE.md.

    build_rows.py PAGE      puts what is in bench/build_times.json into the page, in the place of what was measured before
"""
import json
import pathlib
import sys

MEASURED = pathlib.Path(__file__).parent.parent / "bench" / "build_times.json"


def build_rows() -> list[tuple[str, str, str, bool]]:
    """What, measured, target, met; none if scripts/build_times.sh was never run."""
    if not MEASURED.exists():
        return []
    times = json.loads(MEASURED.read_text())
    demo, both = times["demo_seconds"], times["demo_seconds"] + times["test_seconds"]
    return [(f"`make demo` from nothing, without ccache, {times['cores']} cores", f"{demo / 60:.1f} min", "<= 4 min", demo <= 240),
            ("`make demo` and then `make test`, in all", f"{both / 60:.1f} min", "<= 10 min", both <= 600)]


def main() -> None:
    page = pathlib.Path(sys.argv[1])
    lines = page.read_text().splitlines()
    for what, measured, target, met in build_rows():
        places = [i for i, line in enumerate(lines) if line.startswith(f"| {what} |")]
        if not places:
            sys.exit(f"{page}: no row \"{what}\": make bench writes it")
        lines[places[0]] = f"| {what} | {measured} | {target} | {'yes' if met else 'NO'} |"
    page.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
