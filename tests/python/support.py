"""What the tests of the Python module share: the shipped traces, and the program to hold answers against."""

import json
import os
import subprocess
import sys
import unittest

BINARY = os.environ["ORRERY_BINARY"]
SOURCE = os.environ["ORRERY_SOURCE"]
BUILD = os.environ["ORRERY_BUILD"]
DATA = SOURCE + "/data"
GPT = DATA + "/gpt_small.kineto.json.gz"
OTHER_GPT = DATA + "/gpt_small_forloop_opt.kineto.json.gz"
DDP = [f"{DATA}/ddp4.rank{rank}.kineto.json.gz" for rank in range(4)]
SKIPPED = 77  # ctest's word for it (SKIP_RETURN_CODE)


def command(*arguments):
    """The envelope that the program prints."""
    done = subprocess.run([BINARY, "--json", *map(str, arguments)], stdout=subprocess.PIPE, check=False)
    if done.returncode > 1:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stdout[-500:]!r}")
    return json.loads(done.stdout)


def data(*arguments):
    return command(*arguments)["data"]


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def main():
    unittest.main(verbosity=1)
