"""While the engine works other threads go on, and Ctrl-C gives the work up."""

import signal
import subprocess
import sys
import threading
import time
import unittest

import orrery
from support import DATA, GPT, data, main

# A simulation that would take hours.
LONG = f'orrery.motif_run("ring", machine="{DATA}/machines/dgx_h100.yaml", set=["iterations=10000000000"])'


def start(code):
    child = subprocess.Popen([sys.executable, "-c", "import orrery, sys, time\n" + code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "working\n"
    time.sleep(0.5)
    return child


class Work(unittest.TestCase):
    def test_ctrl_c(self):
        child = start(f"""
try:
    print("working", flush=True)
    {LONG}
except KeyboardInterrupt: print("interrupted", flush=True)
print(orrery.path({GPT!r}).verdict)
""")
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=240)
        self.assertEqual(child.returncode, 0)
        self.assertEqual(out.splitlines()[0], "interrupted")
        self.assertIn("CPU-bound", out)  # the engine works again

    def test_ctrl_c_ends_a_question_that_never_ends(self):
        child = start(f"""
try:
    print("working", flush=True)
    orrery.query({GPT!r}, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n")
except KeyboardInterrupt: print("interrupted", flush=True)
""")
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=240)
        self.assertEqual(out, "interrupted\n")

    def test_the_gil_is_released(self):
        code = f"""
import orrery, threading, time
worker = threading.Thread(target=lambda: {LONG}, daemon=True)
worker.start()
time.sleep(0.3)
begin, turns = time.monotonic(), 0
while time.monotonic() - begin < 0.5:
    sum(range(1000)); turns += 1
print(worker.is_alive(), turns > 200, flush=True)
import os; os._exit(0)
"""
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=240)
        self.assertEqual(done.stdout, "True True\n")

    def test_many_threads(self):
        expected, trace, answers = data("path", GPT), orrery.open(GPT), []

        def ask():
            answers.append(orrery.path(trace).json())
            answers.append(orrery.path(GPT).json())

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 8)
        self.assertTrue(all(answer == expected for answer in answers))

    def test_the_number_of_threads_does_not_matter(self):
        self.assertEqual(orrery.path(GPT, threads=1).json(), orrery.path(GPT, threads=3).json())

    def test_waiting_for_the_engine_can_be_interrupted(self):
        child = start(f"""
import threading, os
threading.Thread(target=lambda: {LONG}, daemon=True).start()
time.sleep(0.3)
try:
    print("working", flush=True)
    orrery.path({GPT!r})
except KeyboardInterrupt: print("interrupted", flush=True)
os._exit(0)
""")
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=240)
        self.assertEqual(out, "interrupted\n")


if __name__ == "__main__":
    main()
