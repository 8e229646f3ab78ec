"""A program that may take so long: then it ends, and with it what it has started.

  status, output, errors = call(["./app"], folder, 60)    # status None: it took longer
"""
import os
import signal
import subprocess


def call(command, folder, limit, merged=False):
    """merged: what it says as an error is in its output."""
    with subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merged else subprocess.PIPE,
                          text=True, errors="replace", start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, "", ""
        return process.returncode, output, errors or ""
