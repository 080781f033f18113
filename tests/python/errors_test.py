"""What fails is an exception with the sentence and the hint of the command line; the streams of the process stay silent."""

import gzip
import os
import subprocess
import sys
import tempfile
import unittest

import orrery
from orrery import _engine
from support import DDP, GPT, main


class Errors(unittest.TestCase):
    def test_a_file_that_is_not_there(self):
        with self.assertRaises(orrery.Error) as caught:
            orrery.open("/no/such/trace.json")
        self.assertIn("/no/such/trace.json", str(caught.exception))
        self.assertEqual(caught.exception.file, "/no/such/trace.json")
        self.assertTrue(caught.exception.hint)
        self.assertIsNone(caught.exception.offset)

    def test_a_damaged_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = folder + "/cut.json"
            text = gzip.open(GPT).read()
            with open(file, "wb") as out:
                out.write(text[: len(text) // 2])
            for ask in (orrery.open, orrery.path):
                with self.assertRaises(orrery.Error) as caught:
                    ask(file)
                self.assertEqual(caught.exception.file, file)
                self.assertIsInstance(caught.exception.offset, int)
            salvaged = orrery.open(file, salvage=True)
            self.assertGreater(len(salvaged[0]), 0)
            self.assertTrue(salvaged.diagnostics)
            # Its answers are about what was salvaged, without being asked again.
            self.assertEqual(orrery.info(salvaged).ranks[0]["events"], len(salvaged[0]))

    def test_what_makes_no_sense(self):
        trace = orrery.open(GPT)
        for ask in (
            lambda: orrery.whatif(trace, ["gap:lunch = 0"]),
            lambda: orrery.whatif(trace, []),
            lambda: orrery.run(["pth", GPT]),
            lambda: orrery.run([]),
            lambda: orrery.run("path x"),
            lambda: orrery.path(trace, no_such_keyword=1),
            lambda: orrery.path(trace, breakdown=3),
            lambda: orrery.path(trace, csv=True),
            lambda: orrery.path(trace, instance="x"),
            lambda: orrery.open(GPT, threads=-1),
        ):
            with self.assertRaises(orrery.UsageError) as caught:
                ask()
            self.assertTrue(str(caught.exception))
        with self.assertRaises(ValueError):
            orrery.whatif(trace, "nonsense")
        with self.assertRaises(orrery.UsageError) as caught:
            orrery.whatif(trace, "gap:lunch = 0")
        self.assertIn("^", str(caught.exception))
        self.assertIn("launch", caught.exception.hint)

    def test_nothing_at_all(self):
        trace = orrery.open(GPT)
        for ask in (
            lambda: orrery.open([]),
            lambda: orrery.step([]),
            lambda: orrery.path(()),
            lambda: orrery.whatif([], "cpu * 1"),
            lambda: orrery.diff([], []),
            lambda: orrery.diff(trace, []),
            lambda: orrery.report(trace, "never.html", against=[]),
        ):
            with self.assertRaises(orrery.UsageError) as caught:
                ask()
            self.assertTrue(caught.exception.hint)
        with self.assertRaises(orrery.Error):  # the engine itself does not fall over it, either
            _engine.open([], False, 0)

    def test_an_output_must_not_replace_what_was_read(self):
        with self.assertRaises(orrery.Failure):
            orrery.path(orrery.open(GPT), overlay=GPT)
        self.assertGreater(os.path.getsize(GPT), 1000)

    def test_a_rank_that_is_not_there(self):
        with self.assertRaises(orrery.Error) as caught:
            orrery.path(orrery.open(DDP), rank=17)
        self.assertIn("17", str(caught.exception))

    def test_silence(self):
        code = """
import orrery, sys
t = orrery.open(sys.argv[1]); orrery.path(t); orrery.run(["path", sys.argv[1], "-v"])
try: orrery.open("/no/such/file")
except orrery.Error: pass
"""
        done = subprocess.run([sys.executable, "-c", code, GPT], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        self.assertEqual(done.stdout, b"")


if __name__ == "__main__":
    main()
