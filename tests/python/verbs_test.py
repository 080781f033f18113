"""Every verb gives the data of the command line, on files and on opened traces."""

import copy
import json
import operator
import os
import pickle
import shutil
import tempfile
import unittest

import orrery
from support import DATA, DDP, GPT, OTHER_GPT, command, data, has, main

ALL = DATA + "/ddp4.rank*.kineto.json.gz"


class Equality(unittest.TestCase):
    maxDiff = 2000

    def test_one_rank(self):
        trace = orrery.open(GPT)
        for given in (trace, GPT):
            self.assertEqual(orrery.path(given).json(), data("path", GPT))
            self.assertEqual(orrery.path(given, annotation="", breakdown=True).json(), data("path", GPT, "--annotation", "", "--breakdown"))
            self.assertEqual(orrery.path(given, annotation="ProfilerStep", instance=(0, 1)).json(),
                             data("path", GPT, "--annotation", "ProfilerStep", "--instance", "0:1"))
            self.assertEqual(orrery.whatif(given, ["op * 0.5", "gap:launch = 0"]).json(), data("whatif", GPT, "op * 0.5", "gap:launch = 0"))
            self.assertEqual(orrery.whatif(given, "cpu * 1", sweep=[0.25, 2.0]).json(), data("whatif", GPT, "cpu * 1", "--sweep", "0.25,2"))
            self.assertEqual(orrery.info(given).json(), data("info", GPT))
            self.assertEqual(orrery.check(given, causality=True).json(), data("check", GPT, "--causality"))
            self.assertEqual(orrery.breakdown(given).json(), data("breakdown", GPT))
            self.assertEqual(orrery.kernels(given, top=3).json(), data("kernels", GPT, "--top", 3))
            self.assertEqual(orrery.launches(given).json(), data("launches", GPT))
            self.assertEqual(orrery.memory(given).json(), data("memory", GPT))
            self.assertEqual(orrery.steps(given).json(), data("steps", GPT))
            self.assertEqual(orrery.graphs(given).json(), data("graphs", GPT))
            self.assertEqual(orrery.roofline(given, top=3).json(), data("roofline", GPT, "--top", 3))

    def test_a_job(self):
        trace = orrery.open(DDP)
        self.assertEqual(orrery.path(trace).json(), data("path", *DDP))
        self.assertEqual(orrery.path(trace, rank=2).json(), data("path", *DDP, "--rank", 2))
        self.assertEqual(orrery.breakdown(trace, rank=1).json(), data("breakdown", *DDP, "--rank", 1))
        self.assertEqual(orrery.blame(trace).json(), data("blame", *DDP))
        self.assertEqual(orrery.top(trace).json(), data("top", *DDP))
        self.assertEqual(orrery.whatif(trace, "rank:1 kernel * 0.5").json(), data("whatif", ALL, "rank:1 kernel * 0.5"))
        self.assertEqual(orrery.whatif(DDP, "rank:1 kernel * 0.5").json(), data("whatif", ALL, "rank:1 kernel * 0.5"))
        self.assertEqual(orrery.check(trace).json(), data("check", *DDP))

    def test_two_runs(self):
        expected = data("diff", GPT, OTHER_GPT)
        self.assertEqual(orrery.diff(GPT, OTHER_GPT).json(), expected)
        self.assertEqual(orrery.diff(orrery.open(GPT), orrery.open(OTHER_GPT)).json(), expected)

    def test_writers_and_simulators(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(orrery.align(DDP, dry_run=True, force=True).json(), data("align", *DDP, "--dry-run", "--force"))
            host = DATA + "/gpt_small.et.json.gz"
            linked = orrery.link(host=host, device=GPT, output=folder + "/x.et").json()
            self.assertEqual(linked, data("link", "--host", host, "--device", GPT, "-o", folder + "/x.et"))
            self.assertEqual(orrery.replay(folder + "/x.et").json(), data("replay", folder + "/x.et"))
        machine = DATA + "/machines/dgx_h100.yaml"
        self.assertEqual(orrery.motif_run("allreduce", machine=machine, set=["iterations=3", "count=1000"]).json(),
                         data("motif", "run", "allreduce", "--machine", machine, "--set", "iterations=3", "--set", "count=1000"))
        configuration = DATA + "/llm/" + sorted(name for name in os.listdir(DATA + "/llm") if name.endswith(".yml"))[0]
        self.assertEqual(orrery.llm(configuration).json(), data("llm", configuration))
        serving = DATA + "/llm/serving_documents.yml"
        summary = orrery.llm(serving, summary=True)
        self.assertEqual(summary.json(), data("llm", serving, "--summary"))
        self.assertEqual(summary["summary"]["requests"], 48)
        self.assertEqual(len(orrery.llm(serving)["requests"]), 48)
        self.assertEqual(orrery.whatif(serving, ["prefix cache off", "blocks * 2"]).json(), data("whatif", serving, "prefix cache off", "blocks * 2"))

    def test_files_are_not_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = shutil.copy(GPT, folder)
            trace, expected = orrery.open(file), data("path", GPT)
            os.remove(file)
            self.assertEqual(orrery.path(trace).json(), expected)

    def test_questions_in_sql(self):
        sql = "select activity, count(*) as n from events group by activity order by activity"
        for given in (GPT, orrery.open(GPT)):
            rows = orrery.query(given, sql)
            self.assertEqual(list(rows[0]), ["activity", "n"])
            self.assertEqual([list(row.values()) for row in rows], data("query", GPT, sql)["rows"])
        ranks = "select rank, count(*) as n from events group by rank order by rank"
        self.assertEqual([list(row.values()) for row in orrery.query(orrery.open(DDP), ranks)], data("query", *DDP, ranks)["rows"])
        with self.assertRaises(orrery.UsageError):
            orrery.query(GPT, "select no_such_column from events")

    def test_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = orrery.report(orrery.open(GPT), folder + "/page.html")
            self.assertEqual(answer.json(), data("report", GPT, "-o", folder + "/page.html"))
            self.assertGreater(os.path.getsize(folder + "/page.html"), 10000)

    def test_run(self):
        envelope, expected = orrery.run(["path", GPT]), command("path", GPT)
        self.assertEqual(envelope, expected)
        self.assertEqual(orrery.run(["info", orrery.open(GPT)])["schema"], "orrery.info/1")
        self.assertEqual(orrery.run(["--version"])["data"]["version"], orrery.__version__)


class Results(unittest.TestCase):
    def test_frozen(self):
        answer = orrery.path(GPT)
        with self.assertRaises(Exception):
            answer.ok = False
        self.assertEqual(answer.verdict, answer.json()["verdict"])
        self.assertEqual(answer["verdict"], answer.verdict)
        with self.assertRaises(AttributeError):
            answer.no_such_member
        self.assertEqual(answer, orrery.path(GPT))
        for change in (
            lambda: answer.data.update(verdict=""),
            lambda: answer.bound_by_us.clear(),
            lambda: answer.contributors.append({}),
            lambda: answer.contributors.sort(key=str),
            lambda: answer.contributors[0].__setitem__("name", ""),
            lambda: answer.provenance.pop("tool", None),
            lambda: operator.iadd(answer.contributors, [1]),
        ):
            with self.assertRaises(TypeError):
                change()
        own = answer.json()
        own["contributors"].clear()
        self.assertTrue(answer.contributors)
        self.assertEqual(json.loads(json.dumps(answer.contributors)), answer.contributors)

    def test_pickles(self):
        answer = orrery.path(GPT)
        self.assertEqual(pickle.loads(pickle.dumps(answer)), answer)
        self.assertEqual(copy.deepcopy(answer), answer)
        for problem in (orrery.UsageError("what", "hint"), orrery.Error("what", "hint", "file", 7)):
            again = pickle.loads(pickle.dumps(problem))
            self.assertEqual((again.message, again.hint, again.file, again.offset), (problem.message, problem.hint, problem.file, problem.offset))

    def test_a_check_that_does_not_hold_is_a_result(self):
        answer = orrery.whatif(GPT, "op:no_such_operator * 2")
        self.assertFalse(answer.ok)
        self.assertEqual([remark.severity for remark in answer.diagnostics if remark.code == "W401"], ["error"])

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_tables(self):
        answer = orrery.path(GPT)
        frame = answer.to_pandas("contributors")
        self.assertEqual(frame.to_dict("records"), answer.contributors)
        self.assertEqual(set(answer.to_pandas()["bound_by_us"]["key"]), set(answer.bound_by_us))
        categories = orrery.info(DDP).to_pandas("ranks.categories")
        self.assertEqual(sorted(set(categories["rank"])), [0, 1, 2, 3])
        causes = orrery.diff(GPT, OTHER_GPT).to_pandas()
        self.assertLessEqual(set(causes["causes.ranks"]["name"]), set(causes["causes"]["name"]))
        with self.assertRaises(KeyError):
            answer.to_pandas("no such table")

    def test_pandas_is_not_needed(self):
        import subprocess
        import sys

        code = "import sys; sys.modules['pandas'] = None\nimport orrery\nprint(orrery.path(sys.argv[1]).verdict)"
        done = subprocess.run([sys.executable, "-c", code, GPT], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"CPU-bound", done.stdout)


if __name__ == "__main__":
    main()
