#!/usr/bin/env python3
"""A match against Fairy-Stockfish at shogi, played by cshogi's runner.

The score is only printed: strength is measured elsewhere. What fails is a game that the engine loses by anything but
the play: an illegal move, its time, perpetual check, a resignation before mate, or an end of the process.

    python3 tests/clients/cshogi_match.py              20 games at 100 ms a move
    python3 tests/clients/cshogi_match.py --games 4
"""

import argparse
import os
import re
import signal
import subprocess
import sys

ENGINE = "happo"
# Longest game the runner lets be played, and how much longer than planned a turn may take before the match is given
# up: the runner itself waits forever for an engine that has died.
MOVES = 320
SLOWNESS = 4

# What the runner prints at the end of a game.
END = re.compile(r"^まで(\d+)手で(?:(持将棋|千日手|入玉宣言)|(先手|後手)の(反則負け|反則勝ち|切れ負け|勝ち))$")


def loss(black, kind, side, how):
    """The reason why the engine has lost in a way it must not, if it has."""
    if side is None:
        return None
    winner_named = how in ("反則勝ち", "勝ち")
    black_lost = (side == "先手") != winner_named
    if black_lost != (black == ENGINE):
        return None
    return {
        "反則負け": "an illegal move or perpetual check",
        "反則勝ち": "perpetual check",
        "切れ負け": "time",
    }.get(how)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--rival", default="/usr/games/fairy-stockfish")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--byoyomi", type=int, default=100)
    parser.add_argument("--options", default="USI_Hash:64")
    parser.add_argument("--ci", action="store_true", help="2 games")
    args = parser.parse_args()
    if args.ci:
        args.games = 2

    command = [
        sys.executable, "-m", "cshogi.cli", os.path.abspath(args.engine), args.rival,
        "--name1", ENGINE, "--name2", "rival",
        "--options1", args.options, "--options2", "Hash:64",
        "--time", "0", "--byoyomi", str(args.byoyomi), "--games", str(args.games), "--draw", str(MOVES),
        "--keep-process", "--debug",
    ]  # fmt: skip
    runner = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
    )
    # The runner's engines are in its process group and would outlive it.
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(runner.pid, signal.SIGKILL))
    signal.alarm(10 + args.games * MOVES * args.byoyomi * SLOWNESS // 1000)

    faults, ended, black, score, tail = [], 0, None, None, []
    for line in map(str.rstrip, runner.stdout):
        tail = [*tail[-30:], line]
        if start := re.match(r"(\S+) vs (\S+) start\.$", line):
            black = start[1]
        elif end := END.match(line):
            ended += 1
            print(f"game {ended}, {ENGINE} plays {'Black' if black == ENGINE else 'White'}: {line}", flush=True)
            if why := loss(black, *end.groups()[1:]):
                faults.append(f"game {ended} lost by {why}")
        elif line.startswith(f"{ENGINE} vs rival: "):
            score = line
        elif re.match(r"1:(bestmove resign|info string error)", line):
            faults.append(f"game {ended + 1}: {line}")
    status = runner.wait()
    signal.alarm(0)
    print(score or "no score")
    if status or ended != args.games:
        faults.append(f"{ended} games ended, exit status {status} after\n  " + "\n  ".join(tail))
    for fault in faults:
        print(f"FAILED: {fault}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
