#!/usr/bin/env python3
"""Games of the engine against itself through pipes, from the start position to the end.

Every move is judged by refrules.py, an independent implementation of the rules; the result is compared with what the
engine says of the last position, and the time between `go` and `bestmove` with what was allowed.

    python3 tests/clients/games.py                     two games of each variant, a limit of 120 moves
    python3 tests/clients/games.py --full              the same to the natural end
    python3 tests/clients/games.py --movetime 10 --games 8 --random 6
"""

import argparse
import json
import os
import random
import select
import subprocess
import sys
import time

import refrules
from usi import PATIENCE, Failure

VARIANTS = ("shogi", "happokei", "aihappokei", "flanking", "hasami")
GOALS = {"capture5": "hasami5", "lead3": "hasami3", "captureall": "hasamiall"}

# Long enough for games to end by themselves, short enough for a fortress in hasami to end at all.
FULL_LIMIT = 1000


class Engine:
    def __init__(self, path, options):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.buffer = b""
        self.send("usi")
        self.until("usiok")
        for name, value in options:
            self.send(f"setoption name {name} value {value}")
        self.send("isready")
        self.until("readyok")

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def line(self):
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                raise Failure("the engine is silent")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise Failure(f"the engine died: {self.process.stderr.read().decode()}")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def until(self, start):
        while True:
            line = self.line()
            if line.startswith("info string error"):
                raise Failure(line)
            if line.startswith(start):
                return line

    def quit(self):
        """Ends the engine, which must have nothing more to say."""
        self.send("quit")
        rest, errors = self.process.communicate(timeout=PATIENCE)
        rest = self.buffer + rest
        if rest or errors or self.process.returncode:
            raise Failure(f"left at the end: {rest!r} {errors!r}, exit status {self.process.returncode}")


class Judge(refrules.Game):
    """The referee's game, with what long games would work out again and again kept."""

    def __init__(self, variant, limit, sfen=None):
        super().__init__(variant, sfen, move_limit=limit or None)
        self.seen = {self.pos.key(): [0]}

    def is_legal(self, move):
        """As `move in legal_moves()`, without a look at the other moves."""
        if move not in self.pos.pseudo_moves():
            return False
        if self.pos.variant not in refrules.CHECK_GAMES:
            return True
        after = self.pos.apply(move)
        mates = move.startswith("P*") and after.in_check(after.stm) and not after.has_legal_move()
        return not after.in_check(self.pos.stm) and not mates

    def play(self, move):
        if not self.is_legal(move):
            raise Failure(f"illegal move {move} in {self.pos.sfen()}")
        self.pos = self.pos.apply(move)
        self.moves.append(move)
        self.trail.append(self.pos)
        checks = self.pos.variant in refrules.CHECK_GAMES and self.pos.in_check(self.pos.stm)
        self.checks.append(checks)
        self.seen.setdefault(self.pos.key(), []).append(len(self.trail) - 1)

    def play_turn(self, token):
        """Plays what one token says, which must be a whole turn."""
        side = self.pos.stm
        for move in token.split(","):
            if self.pos.stm != side or self.decided():
                raise Failure(f"{token} goes on after the end of the turn")
            self.play(move)
        if self.pos.stm == side and not self.decided():
            raise Failure(f"{token} is half a turn")

    def decided(self):
        """Whether there is nothing left to play, whatever repetition and limit say."""
        return self.pos.winner is not None or not self.pos.has_legal_move()

    def result(self):
        # The comparison of all positions is only needed where it finds a fourth occurrence.
        if len(self.seen[self.pos.key()]) < 4 and not self.decided():
            return (None, "move limit") if self.move_limit and self.pos.ply > self.move_limit else None
        return super().result()

    def impasse(self):
        """Points in camp and hand, and what they let the side to move claim by CSA's 27-point rule, the engine's default."""
        position, us = self.pos, self.pos.stm
        points, men = {}, {}
        for side in "bw":
            camp = [k for s, (c, k) in position.board.items() if c == side and k != "K" and refrules.in_zone(side, s)]
            points[side] = sum(5 if k.lstrip("+") in "RB" else 1 for k in camp)
            points[side] += sum(n * (5 if k in "RB" else 1) for k, n in position.hands[side].items())
            men[side] = len(camp)
        king = position.king_square(us)
        entered = king is not None and refrules.in_zone(us, king) and not position.in_check(us)
        wins = entered and men[us] >= 10 and points[us] >= (28 if us == "b" else 27)
        return {**points, "claim": "win" if wins else None}

    def may_declare(self):
        return self.pos.variant == "shogi" and self.impasse()["claim"] == "win"


def ponder_is_legal(judge, token):
    position = judge.pos
    probe = Judge.__new__(Judge)
    for move in token.split(","):
        probe.pos = position
        if position.winner is not None or not probe.is_legal(move):
            return False
        position = position.apply(move)
    return True


def play(args, variant, goal, mode, engines, rng):
    """One game; returns its result, its number of moves and the slowest turn in milliseconds."""
    name = GOALS[goal] if variant == "hasami" else variant
    judge = Judge(name, args.limit)
    head = f"position startpos variant={variant} limit={args.limit}" + (f" goal={goal}" if variant == "hasami" else "")
    go = f"go movetime {args.movetime}" if mode == "movetime" else f"go btime 0 wtime 0 byoyomi {args.movetime}"
    tokens = []
    slowest = 0
    for engine in engines.values():
        engine.send("usinewgame")
        engine.send("isready")
        engine.until("readyok")

    def position():
        return head + (" moves " + " ".join(tokens) if tokens else "")

    declared = None
    try:
        while not (result := judge.result()):
            if len(tokens) < args.random:
                turn, side = [], judge.pos.stm
                while judge.pos.stm == side and not judge.decided():
                    turn.append(rng.choice(judge.pos.legal_moves()))
                    judge.play(turn[-1])
                tokens.append(",".join(turn))
                continue
            engine = engines[judge.pos.stm]
            engine.send(position())
            begun = time.monotonic()
            engine.send(go)
            answer = engine.until("bestmove").split()
            taken = (time.monotonic() - begun) * 1000
            slowest = max(slowest, taken)
            if taken > args.movetime + args.slack:
                raise Failure(f"{taken:.0f} ms for {go}")
            if answer[1] == "win" and judge.may_declare():
                declared = result = (judge.pos.stm, "declaration")
                tokens.append("win")
                break
            if answer[1] in ("win", "resign"):
                raise Failure(f"{answer[1]} in {judge.pos.sfen()}")
            judge.play_turn(answer[1])
            tokens.append(answer[1])
            if answer[2:] and (answer[2] != "ponder" or judge.decided() or not ponder_is_legal(judge, answer[3])):
                raise Failure(f"illegal reply to ponder on: {' '.join(answer)}")
        for engine in engines.values():
            engine.send(position())
            engine.send("state")
            said = json.loads(engine.until("{"))["result"]
            if said != {"winner": result[0], "reason": result[1]}:
                raise Failure(f"the referee says {result}, the engine {said}")
        if not declared and judge.decided():
            engine.send("go byoyomi 10")
            if engine.until("bestmove") != "bestmove resign":
                raise Failure("a move after the end of the game")
    except Failure as failure:
        raise Failure(f"{failure}\n  {position()}") from None
    return result, len(judge.moves), slowest


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--variant", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--goal", nargs="+", choices=GOALS, default=["capture5"], help="goals of hasami")
    parser.add_argument("--mode", nargs="+", choices=("movetime", "byoyomi"), default=("movetime", "byoyomi"))
    parser.add_argument("--movetime", type=int, default=100, help="milliseconds a turn, in both modes")
    parser.add_argument("--slack", type=int, default=30, help="milliseconds a turn may take longer")
    parser.add_argument("--limit", type=int, default=120, help="the move limit, 0 for none")
    parser.add_argument("--full", action="store_true", help=f"a limit of {FULL_LIMIT}")
    parser.add_argument("--games", type=int, default=1, help="games of each kind")
    parser.add_argument("--random", type=int, default=0, help="random turns at the start")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="", help="NAME:VALUE,... for the engines")
    parser.add_argument("--ci", action="store_true", help="short games at 30 ms a turn, then 25 at 10 ms, with much slack for a busy machine")
    args = parser.parse_args()
    if args.full:
        args.limit = FULL_LIMIT
    failures = 0
    if args.ci:
        args.movetime, args.slack = 30, 150
    failures += series(args)
    if args.ci:
        # A sample of what runs by the thousand outside: five games of each kind, from random openings.
        args.movetime, args.random, args.games, args.mode = 10, 6, 5, ("movetime",)
        failures += series(args)
    sys.exit(failures > 0)


def series(args):
    """All games asked for; returns the number of those that failed."""
    options = [pair.split(":", 1) for pair in args.options.split(",") if pair]
    rng = random.Random(args.seed)
    failures = 0
    for variant in args.variant:
        for goal in args.goal if variant == "hasami" else [None]:
            for mode in args.mode:
                for _ in range(args.games):
                    failures += not one(args, variant, goal, mode, options, rng)
    return failures


def one(args, variant, goal, mode, options, rng):
    """Plays and reports one game; returns whether all went well."""
    engines = {}
    label = f"{variant}{' ' + goal if goal else ''}, {mode} {args.movetime}"
    try:
        for color in "bw":
            engines[color] = Engine(args.engine, options)
        (winner, reason), moves, slowest = play(args, variant, goal, mode, engines, rng)
        for engine in engines.values():
            engine.quit()
        who = {"b": "Black wins", "w": "White wins", None: "draw"}[winner]
        print(f"{label}: {moves} moves, {who} ({reason}), slowest {slowest:.0f} ms", flush=True)
        return True
    except Failure as failure:
        print(f"{label}: FAILED: {failure}", flush=True)
        return False
    finally:
        for engine in engines.values():
            engine.process.kill()
            engine.process.wait()


if __name__ == "__main__":
    main()
