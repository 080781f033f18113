"""Runs a command and says what it took: CPU seconds, peak memory, what it wrote."""
import json, subprocess, sys

# Linux counts the memory of the process that starts another into the peak of the new one (the old address space is charged to it at exec). After
# a few results were loaded that is more than what is measured. So a small process in between does the starting.
STARTER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)]), file=sys.stderr)
"""


def measured_run(command):
    """CPU seconds, peak MB, exit status, standard output."""
    done = subprocess.run([sys.executable, "-S", "-c", STARTER, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    cpu, mb, status = json.loads(done.stderr.splitlines()[-1])
    return cpu, mb, status, done.stdout
