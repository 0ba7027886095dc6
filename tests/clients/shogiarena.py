#!/usr/bin/env python3
"""A tournament, an SPRT and single searches in shogiarena, the engine against itself with other options.

shogiarena needs libraries of versions of its own: it lives in a virtual environment that install.sh makes.

    python3 tests/clients/shogiarena.py           12 games a match
    python3 tests/clients/shogiarena.py --ci      2
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import usi
from usi import require

# Ends of a game that speak against nobody; others are forfeits of several kinds.
FAIR = {
    "BLACK_WIN",
    "WHITE_WIN",
    "BLACK_WIN_BY_DECLARATION",
    "WHITE_WIN_BY_DECLARATION",
    "DRAW_BY_REPETITION",
    "DRAW_BY_MAX_PLIES",
    "DRAW_BY_IMPASSE",
}
PLIES = 60
# The engine has to keep the time without any of the half second that shogiarena grants by default.
MARGIN = 100

BYOYOMI = {"time_ms": 500, "byoyomi_ms": 60, "expiry_margin_ms": MARGIN}
INCREMENT = {"time_ms": 800, "increment_ms": 60, "expiry_margin_ms": MARGIN}


class Arena:
    def __init__(self, command, engine, folder):
        self.command, self.folder = command, folder
        self.write("engine.yaml", {"name": "happo", "engine_path": engine})
        self.write("cleared.yaml", {"name": "happo", "engine_path": engine, "options": {"Clear Hash": None}})

    def write(self, name, content):
        # What is JSON is YAML.
        (self.folder / name).write_text(json.dumps(content))

    def call(self, *arguments, tolerated=None, timeout=300):
        done = subprocess.run(
            [self.command, "--output-dir", self.folder / "output", *arguments],
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )
        if done.returncode and not (tolerated and tolerated in done.stdout):
            raise usi.Failure(f"{arguments}: exit status {done.returncode}\n{done.stdout[-4000:]}")
        return done.stdout

    def match(self, kind, engines, games, extra=None):
        """Runs a match, checks its result, and returns what the engines were told."""
        self.write(
            f"{kind}.yaml",
            {
                "experiment_name": kind,
                "engines": engines,
                "tournament": {"games_per_pair": games, "num_parallel": 1, "seed": 1},
                "rules": {
                    "initial_positions": {"type": "startpos", "flip_policy": "pair_both"},
                    "adjudication": {
                        "enable_max_plies": True,
                        "max_plies": PLIES,
                        "sync_max_plies_with_engine": True,
                    },
                    "repetition_occurrences_to_draw": 4,
                },
                "dashboard": {"enabled": False},
                "logging": {"usi_transcript": True, "usi_transcript_detail": "commands_and_info"},
                **(extra or {}),
            },
        )
        run = self.folder / kind
        said = self.call("run", kind, f"{kind}.yaml", "--no-resume", "--run-dir", str(run))
        require("[ERROR]" not in said, said)
        status = json.loads((run / "completion_status.json").read_text())
        require(status["status"] == "clean" and not status["error_games"], f"{status}\n{said}")
        summary = self.call("results", "summary", "--format", "json", str(run))
        summary = json.loads(summary[summary.index("{") :])
        ends = summary["raw_result_counts"]
        require(not summary["failures"] and set(ends) <= FAIR, f"{ends}, {summary['failures']}")
        require(summary["completed_games"] == (games if kind == "tournament" else status["completed"]), f"{summary}")
        talk = [line for file in sorted((run / "transcripts").iterdir()) for line in file.read_text().splitlines()]
        require(not [line for line in talk if " info string error" in line], "the engine did not like what it heard")
        scores = ", ".join(f"{engine['engine']} {engine['score']}" for engine in summary["engines"])
        print(f"  {kind}: {scores}; {ends}; {status['termination_reason']}", flush=True)
        return [line.split(" ", 3)[3] for line in talk if line.split(" ", 2)[1] == "out"]


def tournament(arena, games):
    """Byoyomi against increments, with and without pondering, the table cleared by its button."""
    told = arena.match(
        "tournament",
        [
            {
                "name": "byoyomi",
                "engine_path": "engine.yaml",
                "options": {"USI_Hash": 16, "MultiPV": 2, "NetworkDelay2": 30},
                "time_control": BYOYOMI,
            },
            {
                "name": "increment",
                "engine_path": "cleared.yaml",
                "options": {"USI_Hash": 1, "Threads": 1, "USI_Ponder": True, "DrawValueBlack": -100},
                "time_control": INCREMENT,
            },
        ],
        games,
    )
    for line in ("setoption name Clear Hash", f"setoption name MaxMovesToDraw value {PLIES}", "ponderhit", "stop"):
        require(line in told, f"{line!r} was never sent")
    gos = [line for line in told if line.startswith("go ")]
    for word in ("byoyomi", "inc", "ponder"):
        require([line for line in gos if word in line], f"no go with {word} in {gos}")


def sprt(arena, games):
    """A test that hardly any game can decide in favour of the weak side."""
    arena.match(
        "sprt",
        [
            {"name": "weak", "engine_path": "engine.yaml", "options": {"Skill_Level": -20}, "time_control": INCREMENT},
            {"name": "strong", "engine_path": "engine.yaml", "options": {}, "time_control": INCREMENT},
        ],
        games,
        {"sprt": {"elo0": 0.0, "elo1": 100.0, "alpha": 0.3, "beta": 0.3, "min_games": 2, "max_games": games}},
    )


def searches(arena, _):
    said = arena.call("run", "analyze", "engine.yaml", "startpos moves 7g7f", "--movetime", "200")
    require("bestmove" in said, said)
    # Whatever the engine can say of mates, shogiarena understands it, if only to report it as an error.
    position = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
    none = "Engine reported checkmate notimplemented"
    said = arena.call("run", "mate", "engine.yaml", position, "--timeout", "10", tolerated=none)
    print("  mate: " + said.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--arena", default="target/clients/shogiarena/bin/shogiarena")
    parser.add_argument("--ci", action="store_true", help="short")
    args = parser.parse_args()
    command, engine = os.path.abspath(args.arena), os.path.abspath(args.engine)
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(command, engine, Path(folder))
        games = 2 if args.ci else 12
        tests = [(f.__name__, lambda f=f: f(arena, games)) for f in (tournament, sprt, searches)]
        sys.exit(usi.run(tests))


if __name__ == "__main__":
    main()
