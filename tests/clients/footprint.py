#!/usr/bin/env python3
"""What an engine costs that waits: processor time until `readyok`, memory before a search, a hundred processes at once.

Reads /proc, so it runs on Linux alone. Other engines named are measured in the same run, for comparison.

    python3 tests/clients/footprint.py --others /usr/games/fairy-stockfish sekirei
"""

import argparse
import pathlib
import sys

from usi import Failure, Process, require, run

# Megabytes in what /proc counts in kilobytes.
MIB = 1024
OURS = [("USI_Hash", 1), ("Threads", 1)]


def ready(command, options):
    engine = Process([command])
    engine.send("usi")
    engine.until("usiok")
    for name, value in options:
        engine.send(f"setoption name {name} value {value}")
    engine.send("isready")
    engine.until("readyok")
    return engine


def processor(engine):
    """Seconds of processor time so far, of all threads: schedstat counts nanoseconds where stat counts ticks."""
    tasks = pathlib.Path(f"/proc/{engine.process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def memory(engine, key, file="smaps_rollup"):
    """Mebibytes of a kind."""
    for line in pathlib.Path(f"/proc/{engine.process.pid}/{file}").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / MIB
    raise Failure(f"no {key} in {file}")


def start(command, options):
    """The least processor time of several starts, in milliseconds, and what is resident then, in mebibytes."""
    times, resident = [], 0
    for _ in range(7):
        with ready(command, options) as engine:
            times.append(processor(engine) * 1000)
            resident = memory(engine, "VmRSS:", "status")
    return min(times), resident


def one(args):
    time, resident = start(args.engine, OURS)
    print(f"  {args.engine}: {time:.1f} ms of processor time to readyok, {resident:.1f} MiB resident", flush=True)
    for other in args.others:
        theirs = start(other, [("Hash", 1), ("Threads", 1)])
        print(f"  {other}: {theirs[0]:.1f} ms, {theirs[1]:.1f} MiB", flush=True)
    require(time <= 30 and resident <= 24, "more than 30 ms or 24 MiB")


def many(args):
    engines = []
    try:
        for _ in range(args.processes):
            engines.append(ready(args.engine, OURS))
        total = sum(memory(engine, "Pss:") for engine in engines)
        # Each is alive and plays.
        for engine in engines:
            engine.send("position startpos moves 7g7f\ngo nodes 200")
        for engine in engines:
            engine.until("bestmove")
        playing = sum(memory(engine, "Pss:") for engine in engines)
    finally:
        for engine in engines:
            engine.process.kill()
            engine.process.wait()
    print(f"  {args.processes} processes: {total:.0f} MiB ready, {playing:.0f} MiB after a move", flush=True)
    require(total <= 6 * args.processes, f"more than {6 * args.processes} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--others", nargs="*", default=[], help="engines to compare with")
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--ci", action="store_true", help="the same")
    args = parser.parse_args()
    sys.exit(run([("one", lambda: one(args)), ("many", lambda: many(args))]))


if __name__ == "__main__":
    main()
