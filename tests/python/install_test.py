"""pip makes and installs the package from the checkout, without network; `cmake --install` puts it below its prefix."""

import os
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, DATA, GPT, SOURCE, has, main, skip

# The machine, and the devices, models and frameworks of the configuration, are called by name: what comes with the program came along.
ASK = """
import orrery, sys
print(orrery.__file__, orrery.path(sys.argv[1]).verdict, orrery.motif_run("allreduce", machine="dgx_h100").ok, orrery.llm(sys.argv[2]).ok)
"""
CONFIGURATION = DATA + "/llm/gpt_3_175b_64xa100.yml"


class Install(unittest.TestCase):
    def ask(self, python, path=None):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        if path:
            environment["PYTHONPATH"] = path
        return subprocess.run([python, "-c", ASK, GPT, CONFIGURATION], env=environment, cwd="/", stdout=subprocess.PIPE, text=True, check=True).stdout

    @unittest.skipUnless(has("pip") and has("ensurepip"), "pip or venv is not installed")
    def test_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True, stdout=subprocess.DEVNULL)
            python = folder + "/bin/python3"
            # What was built already is packed: the tests do not build again.
            environment = {**os.environ, "ORRERY_PYTHON_BUILD": BUILD, "PIP_NO_INDEX": "1"}
            done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", SOURCE], env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            said = self.ask(python)
            self.assertTrue(said.startswith(folder), said)
            self.assertIn("CPU-bound True True", said)

    def test_prefix(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", folder, ], check=True, stdout=subprocess.DEVNULL)
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            said = self.ask(sys.executable, f"{folder}/lib/python{version}/dist-packages")
            self.assertTrue(said.startswith(folder), said)
            self.assertIn("CPU-bound True True", said)


if __name__ == "__main__":
    main()
