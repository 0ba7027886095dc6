#!/usr/bin/env python3
"""Drives the engine as lishogi's worker does, in both of its slots.

The worker has two engines: one is set up as YaneuraOu and plays shogi alone, the other one as Fairy-Stockfish. It never
sends `stop`, `quit` or `gameover`; what it takes for the result of an analysis is the last `info` line as deep as any.

    python3 tests/clients/lishogi.py           --ci makes no difference
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import usi
from games import Judge
from usi import require

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
TWO_PIECES = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
# One legal move, mated, declarable, and a puzzle with a mate.
FORCED = "4k4/9/9/9/9/9/9/1r7/K8 b - 1"
MATED = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2"
ENTERED = "SGSGKGSGS/1R5B1/9/9/9/9/9/9/4k4 b RB5P 1"
PUZZLE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
GAME = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f"

# How long after SIGTERM the worker kills.
PATIENT = 0.5


class Engine(usi.Process):
    def __init__(self, path, fairy):
        super().__init__([path])
        self.fairy = fairy
        self.send("usi")
        self.names = {line.split(" ")[2] for line in self.until("usiok") if line.startswith("option ")}
        own = {
            "Threads": "1",
            "USI_Hash": "32",
            "EnteringKingRule": "CSARule27H",
            "EvalDir": os.path.join(os.getcwd(), "eval"),
            "BookFile": "no_book",
            "ConsiderationMode": "true",
            "OutputFailLHPV": "true",
        }
        for name in ["Threads", "USI_Hash"] if fairy else own:
            self.set(name, own[name])
        self.send("isready")
        self.until("readyok")

    def set(self, name, value):
        # Only warned of there, but who reads warnings.
        require(name in self.names or name in UNKNOWN, f"{name} is not among {self.names}")
        self.send(f"setoption name {name} value {value}")

    def prepare(self, lines=1, skill=None, analyse=False, variant="shogi"):
        """What precedes each piece of work."""
        if self.fairy:
            self.set("USI_Variant", variant)
            if analyse:
                self.set("USI_AnalyseMode", "true")
            if skill is not None:
                self.set("Skill_Level", skill)
        self.set("USI_MultiPV" if self.fairy else "MultiPV", lines)
        self.send("usinewgame")

    def search(self, sfen, moves, go):
        """The lines of a search and the move found."""
        self.send("isready")
        self.until("readyok")
        # Without moves the line ends in a blank.
        self.send(f"position sfen {sfen} moves {' '.join(moves)}")
        self.send(f"go {go}")
        said = self.until("bestmove ")
        for line in said[:-1]:
            require(line.startswith("info "), f"{line!r} during a search")
        return [line[5:] for line in said[:-1]], said[-1].split()[1]

    def silent(self):
        said = self.lines(usi.A_WHILE)
        require(not said, f"{said} after the answer")


# Names of other engines, which are sent whether or not they are declared.
UNKNOWN = {"EvalDir", "BookFile", "USI_MultiPV"}


def parse(line):
    """As the worker reads it."""
    words, info = line.split(), {}
    while words:
        word = words.pop(0)
        if word in ("depth", "seldepth", "multipv", "nodes", "nps", "time"):
            info[word] = int(words.pop(0))
        elif word == "score":
            kind, value = words.pop(0), words.pop(0)
            info["score"] = {kind: value}
        elif word == "pv":
            info[word], words = words, []
    return info


def deepest(lines):
    """What the worker keeps of an analysis."""
    kept = None
    for info in map(parse, lines):
        if not info.get("depth") or not (kept or {}).get("depth") or info["depth"] >= kept["depth"]:
            kept = info
    return kept


def analysis(path, fairy, ci):
    """A game from its end to its start, each position with all limits at once."""
    moves = GAME.split()
    with Engine(path, fairy) as engine:
        engine.prepare(analyse=True, skill=20)
        judge = Judge("shogi", 0)
        judges = [judge.pos]
        for move in moves:
            judge.play(move)
            judges.append(judge.pos)
        for ply in range(len(moves), -1, -1):
            begun = time.monotonic()
            lines, best = engine.search(START, moves[:ply], "movetime 1000 depth 8 nodes 20000")
            require(time.monotonic() - begun < 1.2, "movetime was passed")
            kept = deepest(lines)
            require(kept and {"score", "nodes", "time", "pv"} <= kept.keys(), f"ply {ply}: {kept} of {lines}")
            require(kept["pv"][0] == best and best in judges[ply].legal_moves(), f"ply {ply}: {kept} and {best}")
            require(kept["depth"] <= 8 and kept["nodes"] < 25000, f"ply {ply}: {kept} is beyond the limits")
            require(all("score" in parse(line) for line in lines if " pv " in line), f"ply {ply}: {lines}")
        engine.silent()
        # Positions in which there is little or nothing to think about are analysed like any other.
        for sfen, answer in ((FORCED, "9i8h"), (MATED, "resign"), (ENTERED, "win"), (TWO_PIECES, None)):
            lines, best = engine.search(sfen, [], "movetime 300 depth 20 nodes 100000")
            kept = deepest(lines)
            require(kept and "score" in kept, f"{sfen}: {kept} of {lines}")
            require(kept.get("pv", [best])[0] == best, f"{sfen}: {kept} and {best}")
            require(answer in (None, best), f"{sfen}: {best}")
        engine.silent()
        ended(engine)


def moves(path, fairy, ci):
    """Moves of all levels. Clocks come in any mix with the other limits."""
    with Engine(path, fairy) as engine:
        judge = Judge("shogi", 0)
        for skill in range(-9, 21):
            engine.prepare(skill=skill)
            clocks = ["", " btime 60000 wtime 59000 byoyomi 0", " btime 0 wtime 100 byoyomi 10000 binc 1000 winc 1000"]
            limits = "movetime 200 depth 5 nodes 3000" + clocks[skill % 3]
            best = engine.search(START, judge.moves, limits)[1]
            judge.play(best)
        engine.silent()
        ended(engine)


def puzzle(path, fairy, ci):
    """Three lines, of which the last scores count."""
    with Engine(path, fairy) as engine:
        engine.prepare(lines=3, analyse=True, skill=20)
        lines, best = engine.search(PUZZLE, [], "movetime 500 depth 10")
        scores = {info.get("multipv", 1): info["score"] for info in map(parse, lines) if "score" in info}
        require(best == "G*5b" and scores[1] == {"mate": "1"}, f"{best}: {scores}")
        require(set(scores) == {1, 2, 3}, f"{scores} for three lines")
        engine.silent()
        ended(engine)


def variants(path, fairy, ci):
    """The games the worker asks for by name; what the engine does not play it does not play as shogi either."""
    with Engine(path, fairy) as engine:
        for name in ("minishogi", "chushogi", "annanshogi", "kyotoshogi", "checkshogi"):
            engine.prepare(variant=name)
            engine.send("isready")
            said = engine.until("readyok")
            require(any("known are shogi" in line for line in said), f"{name} is not refused: {said}")
            require(engine.search(START, [], "movetime 200 depth 5")[1] == "resign", f"{name} is played as shogi")
        engine.prepare()
        require(engine.search(START, [], "movetime 200 depth 5")[1] != "resign", "shogi is not played any more")
        ended(engine)


def ended(engine):
    """The input is closed and SIGTERM sent; the worker kills soon after."""
    engine.process.stdin.close()
    engine.process.send_signal(signal.SIGTERM)
    try:
        status = engine.process.wait(PATIENT)
    except subprocess.TimeoutExpired:
        raise usi.Failure(f"still there {PATIENT} s after SIGTERM") from None
    # Whichever of the two comes first.
    require(status in (0, -signal.SIGTERM), f"exit status {status}")
    require(not engine.process.stderr.read(), "something on standard error")


def ends(path, fairy, ci):
    """At the end of a task that takes too long the worker drops the engine in the middle of a search."""
    for threads, way in ((1, "both"), (2, "both"), (2, "closed")):
        with Engine(path, fairy) as engine:
            engine.set("Threads", threads)
            engine.prepare()
            engine.send("isready")
            engine.until("readyok")
            # No book knows this position.
            engine.send(f"position sfen {START} moves 1g1f 9c9d 9g9f 1c1d")
            engine.send("go movetime 60000 nodes 1000000000")
            engine.until("info depth 5 ")
            if way == "both":
                ended(engine)
                continue
            # Without the signal it ends in time as well.
            begun = time.monotonic()
            said, errors = engine.process.communicate(timeout=PATIENT)
            require(engine.process.returncode == 0 and not errors, f"{engine.process.returncode}, {errors!r}")
            require((engine.buffer + said).count(b"bestmove") == 1, "not one answer at the end")
            require(time.monotonic() - begun < PATIENT, "slow")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--ci", action="store_true", help="accepted as by all clients")
    args = parser.parse_args()
    tests = []
    for slot in ("fairy", "yaneuraou"):
        fairy = slot == "fairy"
        for test in (analysis, moves, puzzle, ends) + ((variants,) if fairy else ()):
            how = lambda test=test, fairy=fairy: test(os.path.abspath(args.engine), fairy, args.ci)
            tests.append((f"{test.__name__} in the slot of {slot}", how))
    sys.exit(usi.run(tests))


if __name__ == "__main__":
    main()
