"""What the documents show runs: the examples of docs/PYTHON.md in order, and the notebooks cell by cell."""

import ast
import contextlib
import io
import json
import os
import re
import tempfile
import unittest

from support import DATA, SOURCE, has, main, skip


def execute(code, scope, name):
    """As a notebook does it: what the last expression gives is shown."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, name, "exec"), scope)
        return repr(eval(compile(ast.Expression(last.value), name, "eval"), scope)) if last is not None else ""


class Documents(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())

    def test_the_manual(self):
        with open(SOURCE + "/docs/PYTHON.md", encoding="utf-8") as file:
            examples = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        self.assertGreater(len(examples), 5)
        scope = {}
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(DATA, folder + "/data")
            os.chdir(folder)
            for place, example in enumerate(examples):
                execute(example, scope, f"docs/PYTHON.md, example {place + 1}")
            os.chdir("/")

    def test_the_notebooks(self):
        notebooks = sorted(name for name in os.listdir(SOURCE + "/examples") if name.endswith(".ipynb"))
        self.assertEqual(notebooks, ["compare_two_runs.ipynb", "why_is_my_step_slow.ipynb"])
        os.chdir(SOURCE + "/examples")
        for name in notebooks:
            with open(name, encoding="utf-8") as file:
                cells = json.load(file)["cells"]
            scope, shown = {}, []
            for place, cell in enumerate(cells):
                if cell["cell_type"] == "code":
                    self.assertEqual(cell["outputs"], [], "outputs are made, not kept")
                    shown.append(execute("".join(cell["source"]), scope, f"{name}, cell {place}"))
            self.assertTrue(any(shown), name)


if __name__ == "__main__":
    if not has("pandas"):
        skip("pandas is not installed")
    main()
