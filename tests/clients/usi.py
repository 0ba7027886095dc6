"""The engine's process and what comes out of it, as the scripts that stand for a client need it."""

import os
import select
import subprocess
import time

# Far beyond every limit of time: an engine that is silent for so long hangs.
PATIENCE = 30
# Long enough for an engine to say what it must not say.
A_WHILE = 0.15


class Failure(Exception):
    pass


def require(condition, why):
    """`assert` goes away under -O, and says nothing of the conversation."""
    if not condition:
        raise Failure(why)


class Process:
    """Lines in, lines out; what passed is kept for the report of a failure."""

    def __init__(self, command, cwd=None, ending="\n", env=None):
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.ending = ending
        self.buffer = b""
        self.history = []

    def __enter__(self):
        return self

    def __exit__(self, kind, failure, trace):
        self.process.kill()
        self.process.wait()
        if isinstance(failure, Failure):
            raise Failure(f"{failure}\n  " + "\n  ".join(self.history[-20:])) from failure

    def send(self, line):
        self.history.append(f"> {line}")
        self.process.stdin.write((line + self.ending).encode())

    def line(self, patience=PATIENCE):
        """The next line; nothing is stripped but its end."""
        end = time.monotonic() + patience
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failure(f"nothing was said for {patience} s")
            data = os.read(self.process.stdout.fileno(), 65536)
            require(data, "the engine has ended")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        require(line.isascii(), f"not ASCII: {line!r}")
        self.history.append(f"< {line.decode()}")
        return line.decode()

    def lines(self, seconds):
        """All lines that come in that time."""
        lines, end = [], time.monotonic() + seconds
        while True:
            ready = b"\n" in self.buffer
            left = max(0, end - time.monotonic())
            if not ready and not select.select([self.process.stdout], [], [], left)[0]:
                return lines
            lines.append(self.line())

    def until(self, start, patience=PATIENCE):
        """The lines up to the first one that begins so, that one last."""
        lines = [self.line(patience)]
        while not lines[-1].startswith(start):
            lines.append(self.line(patience))
        return lines

    def quit(self, seconds=5):
        """`quit` ends the process, which has nothing more to say."""
        self.send("quit")
        try:
            rest, errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"still there {seconds} s after quit") from None
        said = self.buffer + rest
        require(not said and not errors, f"left at the end: {said!r} {errors!r}")
        require(self.process.returncode == 0, f"exit status {self.process.returncode}")


def run(tests):
    """Runs the tests, says how each went, and returns the exit status."""
    failures = 0
    for name, test in tests:
        start = time.monotonic()
        try:
            test()
            print(f"{name}: ok, {time.monotonic() - start:.1f} s", flush=True)
        except Failure as failure:
            failures += 1
            print(f"{name}: FAILED: {failure}", flush=True)
    return failures > 0
