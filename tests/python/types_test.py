"""The annotations hold: mypy, strictly, over the package and over a program that uses it."""

import os
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, SOURCE, has, main, skip

USE = """
import numpy as np
import orrery

t: orrery.Trace = orrery.open(["a.json", "b.json"], salvage=True)
starts: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]" = t[0].start_ps
answer: orrery.Path = orrery.path(t, rank=1, annotation="ProfilerStep", instance=(0, 3))
text: str = t.names[3]
step: orrery.Step = orrery.step(t)
length: int = step.solve(step.weight_ps).length_ps
rows: "list[dict[str, object]]" = [dict(row) for row in orrery.query(t, "select 1")]
try:
    orrery.whatif(t, ["op * 0.5"], sweep=[0.5])
except orrery.UsageError as problem:
    hint: str = problem.hint
"""


class Types(unittest.TestCase):
    def check(self, *what):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "--config-file", os.devnull, *what], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, env={**os.environ, "MYPYPATH": BUILD + "/python"})
        ours = [line for line in done.stdout.splitlines() if "pandas" not in line]  # pandas brings no annotations
        self.assertEqual([line for line in ours if ": error:" in line], [], done.stdout)

    def test_the_package(self):
        self.check(BUILD + "/python/orrery")

    def test_a_program_that_uses_it(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/use.py", "w") as file:
                file.write(USE)
            self.check(folder + "/use.py")

    def test_what_is_shipped(self):
        names = os.listdir(BUILD + "/python/orrery")
        self.assertIn("py.typed", names)
        self.assertIn("_engine.pyi", names)
        self.assertLessEqual(set(os.listdir(SOURCE + "/python/orrery")) - {"__pycache__"}, set(names))


if __name__ == "__main__":
    if not has("mypy"):
        skip("mypy is not installed")
    main()
