#!/usr/bin/env python3
"""The strength levels against each other and the lowest one against a player that counts material one move ahead.

Plays `happo match`; of the levels -20, -10, 0, 10 and 20 each must score 60 % against the next lower one and the four
steps of a game 75 % on average, and in shogi level -20 must lose nine games of ten against material.py.

    python3 tests/clients/levels.py                    40 games a step in all games
    python3 tests/clients/levels.py --variant hasami-lead3 --step 5
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
GAMES = ("shogi", "happokei", "aihappokei", "flanking", "hasami-capture5")
# Asked for by name. Where all has to be captured careful players draw, so the upper steps say little.
GOALS = ("hasami-lead3", "hasami-captureall")


def match(args, variant, games, *rest):
    """The share of points of the first engine, and how the games ended."""
    variant, _, goal = variant.partition("-")
    command = [args.engine, "match", "--variant", variant, "--games", str(games), "--seed", str(args.seed)]
    command += ["--concurrency", str(args.concurrency), *(["--goal", goal] if goal else []), *rest]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    result = json.loads(said.splitlines()[-1])
    return result["score"], result["endings"]


def level(number):
    return f"Skill_Level:{number},USI_OwnBook:false"


def clean(endings):
    return not set(endings) & {"time", "no answer", "illegal move", "died"}


def ladder(args, variant, games):
    """The score of every step."""
    scores, good = [], True
    levels = list(range(-20, 21, args.step))
    for low, high in zip(levels, levels[1:]):
        limit = ["--nodes", str(args.nodes)]
        score, endings = match(args, variant, games, "--options1", level(high), "--options2", level(low), *limit)
        print(f"  {variant}: {high} against {low}: {score:.1%} {endings}", flush=True)
        scores.append(score)
        good &= clean(endings)
    return scores, good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--variant", nargs="+", choices=(*GAMES, *GOALS), default=GAMES)
    parser.add_argument("--games", type=int, default=40, help="a step")
    parser.add_argument("--step", type=int, default=10, choices=(5, 10), help="levels between the players")
    parser.add_argument("--nodes", type=int, default=30_000, help="a turn; lower levels search fewer")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--ci", action="store_true", help="shogi and hasami, 10 games a step, 20,000 nodes a turn")
    args = parser.parse_args()
    if args.ci:
        args.variant, args.games, args.nodes = ("shogi", "hasami-capture5"), 10, 20_000
    failures = 0
    for variant in args.variant:
        scores, good = ladder(args, variant, args.games)
        mean = sum(scores) / len(scores)
        # With the small steps only the order is asked for.
        good &= min(scores) >= (0.6 if args.step == 10 else 0.5) and (mean >= 0.75 or args.step < 10)
        failures += not good
        print(f"{variant}: mean {mean:.1%}, least {min(scores):.1%}{'' if good else ': FAILED'}", flush=True)
        if variant == "shogi":
            material = ["--engine2", sys.executable, "--args2", str(HERE / "material.py"), "--byoyomi", "5000"]
            score, endings = match(args, variant, args.games, "--options1", level(-20), *material)
            good = score <= 0.1 and clean(endings)
            failures += not good
            print(f"shogi: -20 against material {score:.1%}{'' if good else ': FAILED'}", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
