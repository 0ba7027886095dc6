#!/usr/bin/env python3
"""A USI player of shogi that looks one move ahead and counts material: the yardstick for the lowest level.

It takes the most it can take, counts what a promotion adds, mates where it can, and else plays at random. Captured
pieces count twice, once off the enemy's board and once in the own hand, so nothing is taken for less than it is worth;
it never looks at the reply.
"""

import random
import sys

import refrules

VALUES = {"P": 90, "L": 315, "N": 405, "S": 495, "G": 540, "B": 855, "R": 990}
PROMOTED = {"P": 540, "L": 540, "N": 540, "S": 540, "B": 945, "R": 1395}


def square(text):
    return int(text[0]), ord(text[1]) - ord("a") + 1


def gain(position, move):
    """Centipawns won by a move at once."""
    won = 0
    taken = position.board.get(square(move[2:4]))
    if taken:
        kind = taken[1]
        plain = kind.lstrip("+")
        won += (PROMOTED[plain] if kind != plain else VALUES.get(plain, 0)) + VALUES.get(plain, 0)
    if move.endswith("+"):
        kind = position.board[square(move[:2])][1]
        won += PROMOTED[kind] - VALUES[kind]
    return won


def legal(position, move):
    after = position.apply(move)
    if after.in_check(position.stm):
        return None
    replies = not after.in_check(after.stm) or after.has_legal_move()
    return None if not replies and move.startswith("P*") else replies


def choose(position, rng):
    """The best move, `None` if there is none."""
    moves = position.pseudo_moves()
    rng.shuffle(moves)
    moves.sort(key=lambda move: -gain(position, move))
    best = None
    for move in moves:
        # The first that is legal is the best, unless a later one mates; mates are rare, so only checks are asked.
        if best is None or position.apply(move).in_check(refrules.other(position.stm)):
            replies = legal(position, move)
            if replies is False:
                return move
            if replies and best is None:
                best = move
    return best


def main():
    rng = random.Random(1)
    position = refrules.Position.from_sfen("shogi")
    for line in sys.stdin:
        words = line.split()
        match words:
            case ["usi", *_]:
                print("id name material\nusiok", flush=True)
            case ["isready", *_]:
                print("readyok", flush=True)
            case ["position", *rest]:
                moves = rest[rest.index("moves") + 1 :] if "moves" in rest else []
                sfen = " ".join(rest[1:5]) if rest[0] == "sfen" else None
                position = refrules.Position.from_sfen("shogi", sfen)
                for move in moves:
                    position = position.apply(move)
            case ["go", *_]:
                print("bestmove", choose(position, rng) or "resign", flush=True)
            case ["quit", *_]:
                return


if __name__ == "__main__":
    main()
