#!/usr/bin/env python3
"""clang-tidy over every source of a unity configuration, the sources of a group joined into one text.

    lint_all.py BUILD CHECKER...      BUILD: configured with ORRERY_UNITY and CMAKE_EXPORT_COMPILE_COMMANDS; CHECKER: clang-tidy and its options

Headers are read once for a group; but for clang's path analysis that is most of the work. The text is joined and not included, since path
analysis looks at the main file only. Findings are printed where they are in the sources. Exit status 1 if there are any.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SOURCE = re.compile(r'#include "(.*/src/.*\.cc)"')


def joined(unity: pathlib.Path) -> tuple[str, list[tuple[int, str]]]:
    """The text, and where each source begins in it (line, path)."""
    lines: list[str] = []
    begins = []
    for line in unity.read_text().splitlines():
        if source := SOURCE.match(line):
            begins.append((len(lines) + 1, source.group(1)))
            lines += pathlib.Path(source.group(1)).read_text().splitlines()
        else:
            lines.append(line)
    return "\n".join(lines) + "\n", begins


def in_source(text: str, begins: list[tuple[int, str]], line: int) -> str:
    first, source = max((begin for begin in begins if begin[0] <= line), default=(1, text))
    return f"{os.path.relpath(source)}:{line - first + 1}"


def main() -> int:
    build, checker = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    folder = build / "joined"
    folder.mkdir(exist_ok=True)
    commands, places, count = [], {}, 0
    for command in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(command["file"])
        begins = [(1, str(source))]
        text = source.read_text()
        if source.name.startswith("unity_"):
            text, begins = joined(source)
        elif "/src/" not in str(source):
            continue
        count += len(begins)
        copy = folder / f"{len(commands)}.cxx"
        copy.write_text(text)
        places[str(copy)] = begins
        commands.append({**command, "file": str(copy), "command": command["command"].replace(str(source), str(copy))})
    (folder / "compile_commands.json").write_text(json.dumps(commands))

    def check(copy: str) -> tuple[bool, str]:
        run = subprocess.run([*checker, "-p", str(folder), copy], capture_output=True, text=True)
        position = re.compile(re.escape(copy) + r":(\d+)")
        words = run.stdout if run.returncode == 0 else run.stdout + re.sub(r"^\d+ warnings.*generated\.\n", "", run.stderr, flags=re.M)
        return run.returncode == 0, position.sub(lambda found: in_source(copy, places[copy], int(found.group(1))), words)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        content = True
        for is_content, words in pool.map(check, sorted(places, key=lambda copy: -len(places[copy]))):
            content = content and is_content
            print(words, end="", flush=True)
    if content:
        print(f"lint: clang-tidy is content with all {count} sources")
    return 0 if content else 1


sys.exit(main())
