#!/usr/bin/env python3
"""The time an engine uses of which no option was set, as a GUI on the same machine measures it.

Moves of games against itself, from random openings, at a byoyomi: none may take longer, and of the hard positions named
here the engine must use 85 %.

    python3 tests/clients/clock.py                     200 moves at byoyomi 1000
    python3 tests/clients/clock.py --moves 50 --byoyomi 200
"""

import argparse
import random
import sys
import time

import refrules
from usi import Process, require, run

# Middle games in which no move is plain and no mate near.
HARD = (
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1g3nl/1r1skgb2/p2pppspp/2p3p2/1p5P1/2P1P1P2/PPBP1PS1P/2G1G2R1/LNS1K2NL b - 27",
)


def think(engine, position, byoyomi):
    """The move and the milliseconds it took."""
    engine.send(position)
    begun = time.monotonic()
    engine.send(f"go btime 0 wtime 0 byoyomi {byoyomi}")
    answer = engine.until("bestmove", patience=byoyomi / 1000 + 30)[-1]
    return answer.split()[1], (time.monotonic() - begun) * 1000


def started(args):
    engine = Process([args.engine])
    engine.send("usi")
    engine.until("usiok")
    engine.send("isready")
    engine.until("readyok")
    return engine


def used(args):
    """How much of the time is used where there is something to think about."""
    shares = []
    with started(args) as engine:
        # The books know the start position.
        engine.send("setoption name USI_OwnBook value false")
        for sfen in HARD:
            engine.send("usinewgame")
            _, taken = think(engine, f"position sfen {sfen}", args.byoyomi)
            shares.append(taken / args.byoyomi)
    print("  used " + ", ".join(f"{share:.1%}" for share in shares), flush=True)
    require(min(shares) >= args.share, f"less than {args.share:.0%} of {args.byoyomi} ms")


def kept(args):
    """No move of many takes longer than there is time."""
    rng = random.Random(args.seed)
    taken = []
    with started(args) as engine:
        while len(taken) < args.moves:
            engine.send("usinewgame")
            game = refrules.Position.from_sfen("shogi")
            moves = []
            for _ in range(rng.randrange(4, 20)):
                moves.append(rng.choice(game.legal_moves()))
                game = game.apply(moves[-1])
            for _ in range(20):
                move, milliseconds = think(engine, "position startpos moves " + " ".join(moves), args.byoyomi)
                taken.append(milliseconds)
                if move in ("resign", "win") or len(taken) == args.moves:
                    break
                moves.append(move)
    late = sum(milliseconds > args.byoyomi + args.slack for milliseconds in taken)
    print(f"  {len(taken)} moves, longest {max(taken):.0f} ms, mean {sum(taken) / len(taken):.0f} ms", flush=True)
    require(not late, f"{late} moves took longer than {args.byoyomi} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--byoyomi", type=int, default=1000, help="milliseconds")
    parser.add_argument("--slack", type=int, default=0, help="milliseconds a move may take longer")
    parser.add_argument("--share", type=float, default=0.85, help="least use of the time in hard positions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ci", action="store_true", help="15 moves, on a machine that may be busy")
    args = parser.parse_args()
    if args.ci:
        args.moves, args.slack, args.share = 15, 300, 0.7
    sys.exit(run([("use", lambda: used(args)), ("limits", lambda: kept(args))]))


if __name__ == "__main__":
    main()
