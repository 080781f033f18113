#!/usr/bin/env python3
"""Runs the commands in the console blocks of docs/ and holds the lines below each against what it prints now; documents may leave lines out.
Usage: document_examples.py ORRERY [--update] [PAGE...]   (see `make documents`)
--update puts in place of a line that is no longer printed the one that is most like it. Exit status 1: lines were stale."""
import difflib, glob, os, subprocess, sys, tempfile


def blocks(lines):
    """Per command of a console block: its text, and the places of the lines that are shown below it."""
    inside, command, shown = False, None, []
    for place, line in enumerate(lines):
        if line.startswith("```") or (inside and line.startswith("$ ")):
            if command is not None:
                yield command, shown
            inside = line == "```console" or (inside and not line.startswith("```"))
            command, shown = (line[2:] if line.startswith("$ ") else None), []
        elif inside and line.strip() not in ("", "…"):
            shown.append(place)


def most_like(line, printed, begin):
    """The place, at or behind `begin`, of the printed line that is most like this one; the line itself if it is there."""
    rest = range(begin, len(printed))
    same = next((place for place in rest if printed[place] == line), None)
    if same is not None or begin == len(printed):
        return same
    return max(rest, key=lambda place: difflib.SequenceMatcher(None, line, printed[place]).ratio())


def check(page, folder, environment, update):
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    stale = 0
    for command, shown in blocks(lines):
        if "mpirun" in command:  # tests/mpi runs these
            continue
        printed = subprocess.run(["bash", "-c", command + " 2>/dev/null"], cwd=folder, env=environment, capture_output=True, text=True).stdout
        printed = [line.rstrip() for line in printed.split("\n")]
        begin = 0
        for place in shown:
            found = most_like(lines[place].rstrip(), printed, begin)
            begin = begin if found is None else found + 1
            if found is not None and printed[found] == lines[place].rstrip():
                continue
            stale += 1
            print(f"{page}:{place + 1}: {lines[place]}\n  now: {'' if found is None else printed[found]}")
            if update and found is not None:
                lines[place] = printed[found]
    if update and stale:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return stale


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    pages = arguments[1:] or sorted(glob.glob(root + "/docs/**/*.md", recursive=True))
    program = os.path.dirname(os.path.abspath(arguments[0]))
    environment = dict(os.environ, PATH=program + ":" + os.environ["PATH"])
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(root + "/data", folder + "/data")
        stale = sum(check(page, folder, environment, "--update" in sys.argv) for page in pages)
    print(f"{stale} lines of examples were stale" if stale else "all examples are as the program prints them")
    return 1 if stale else 0


sys.exit(main())
