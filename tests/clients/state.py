#!/usr/bin/env python3
"""What the command `state` says, compared with refrules.py, an independent implementation of the rules.

Random games of every variant, some of them played back and forth so that positions recur, some with a move limit, some
entered in the middle of a flanking turn; at every position legal moves, result, check, captures, occurrences, points and
the rest of the line have to be the same.

    python3 tests/clients/state.py                     5,000 positions of each game
    python3 tests/clients/state.py --positions 100 --variant hasami3
"""

import argparse
import collections
import json
import random
import sys

import refrules
from games import Judge
from usi import Failure, Process, require

GOALS = {"hasami5": "capture5", "hasami3": "lead3", "hasamiall": "captureall"}
GAMES = ("shogi", "happokei", "aihappokei", "flanking", *GOALS)


def tokens(moves, flanking):
    """Half-moves as USI writes them: in flanking those of a turn are joined by a comma."""
    if not flanking:
        return moves
    return [",".join(moves[i : i + 2]) for i in range(0, len(moves), 2)]


def expected(game, limit):
    """What the referee says of a position, with the names of `state`."""
    position, variant = game.pos, game.pos.variant
    result = game.result()
    hasami = variant in GOALS
    return {
        "variant": "hasami" if hasami else variant,
        "goal": GOALS.get(variant),
        "limit": limit,
        "turn": position.stm,
        "step": position.half + 1 if variant == "flanking" else 1,
        "movesPlayed": position.ply - 1,
        "legal": [] if result else sorted(position.legal_moves()),
        "check": variant in refrules.CHECK_GAMES and position.in_check(position.stm),
        "captures": {side: position.hands[side].get("P", 0) for side in "bw"} if hasami else None,
        "repetition": len(game.seen[position.key()]),
        "impasse": game.impasse() if variant == "shogi" else None,
        "result": {"winner": result[0], "reason": result[1]} if result else None,
    }


def choose(game, rng, restless):
    """A random move, with a liking for captures; where positions shall recur, often the last own move taken back."""
    moves = game.pos.pseudo_moves()
    if not restless and rng.random() < 0.8:
        back = 4 if game.pos.variant == "flanking" else 2
        for last in game.moves[-back:]:
            undone = last[2:4] + last[:2]
            if "*" not in last and undone in moves and game.is_legal(undone):
                return undone
    rng.shuffle(moves)
    if rng.random() < 0.3:
        pieces = len(game.pos.board)
        captures = [m for m in moves[:20] if "*" not in m and len(game.pos.apply(m).board) < pieces]
        moves = captures + moves
    return next(m for m in moves if game.is_legal(m))


def walk(engine, variant, rng, budget, seen):
    """One random game; returns how many positions were compared."""
    restless = rng.random() < 0.8
    limit = rng.randrange(1, 120) if rng.random() < 0.2 else None
    head = f"position startpos variant={'hasami' if variant in GOALS else variant}"
    head += f" goal={GOALS[variant]}" if variant in GOALS else ""
    head += f" limit={limit}" if limit else ""
    game = Judge(variant, limit)
    compared = 0
    while compared < budget and len(game.moves) < 300:
        if rng.random() < 0.75 and not game.result():
            game.play(choose(game, rng, restless))
            continue
        line = head + (" moves " + " ".join(tokens(game.moves, variant == "flanking")) if game.moves else "")
        engine.send(line)
        engine.send("state")
        said = json.loads(engine.until("{")[-1])
        due = expected(game, limit)
        sfen = said.pop("sfen")
        require(len(set(said["legal"])) == len(said["legal"]), f"a move twice: {line}")
        said["legal"].sort()
        require(said == due, f"{line}\n  said {said}\n  due  {due}")
        plain = game.pos.sfen().split()
        require(sfen.split()[0] == plain[0], f"{line}: {sfen}, not {game.pos.sfen()}")
        compared += 1
        if due["result"]:
            seen[due["result"]["reason"]] += 1
            break
        game.play(choose(game, rng, restless))
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--variant", nargs="+", choices=GAMES, default=GAMES)
    parser.add_argument("--positions", type=int, default=5000, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ci", action="store_true", help="150 positions of each")
    args = parser.parse_args()
    positions = 150 if args.ci else args.positions
    failures = 0
    for variant in args.variant:
        rng = random.Random(f"{variant} {args.seed}")
        seen = collections.Counter()
        compared = games = 0
        try:
            with Process([args.engine]) as engine:
                engine.send("isready")
                engine.until("readyok")
                while compared < positions:
                    compared += walk(engine, variant, rng, positions - compared, seen)
                    games += 1
                engine.quit()
            ends = ", ".join(f"{reason} {count}" for reason, count in seen.most_common())
            print(f"{variant}: {compared} positions of {games} games agree ({ends})", flush=True)
        except Failure as failure:
            failures += 1
            print(f"{variant}: FAILED: {failure}", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
