#!/usr/bin/env python3
"""Drives the engine as ShogiHome does: its states, its reading of lines, its order of commands.

    python3 tests/clients/shogihome.py           games of 80 moves
    python3 tests/clients/shogihome.py --ci      games of 24
"""

import argparse
import math
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import usi
from games import Judge
from usi import A_WHILE, require

# What ShogiHome waits for `usiok`, and for the end of the process after `quit`.
LAUNCH, QUIT = 10, 5
# An answer that is due at once may take so long on a loaded machine.
AT_ONCE = 0.5
# Milliseconds that two engines and a referee on few cores may add to what a clock shows.
SLACK = 100

TWO_PIECES = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
ENTERED = "SGSGKGSGS/1R5B1/9/9/9/9/9/9/4k4 b RB5P 1"
MATED = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2"
MATE_IN_THREE = "7nl/7k1/6ppp/9/6N2/9/9/9/8K b RG 1"


def parse_option(line):
    """An `option` line as ShogiHome understands it; None where it leaves the option out."""
    args = line.split(" ")[1:]
    if len(args) < 4 or args[0] != "name" or args[2] != "type":
        return None
    option = {"name": args[1], "type": args[3], "vars": []}
    for key, value in zip(args[4::2], args[5::2]):
        if key == "var":
            option["vars"].append(value)
        else:
            option[key] = value
    return option


def parse_info(line):
    """An `info` line as ShogiHome understands it; scores of mate are plies or an infinity."""
    words = line.split(" ")[1:]
    info = {}
    while words:
        word = words.pop(0)
        if word in ("depth", "seldepth", "time", "nodes", "multipv", "hashfull", "nps"):
            info[word] = int(words.pop(0))
        elif word == "score":
            kind, value = words.pop(0), words.pop(0)
            signs = {"+": math.inf, "-": -math.inf}
            require(kind != "mate" or value not in ("0", "+0", "-0"), f"{line}: a mate that is no distance")
            info[kind] = signs[value] if kind == "mate" and value in signs else int(value)
        elif word in ("lowerbound", "upperbound"):
            info[word] = True
        elif word in ("pv", "string"):
            info[word], words = words, []
        else:
            raise usi.Failure(f"{line!r}: {word!r} has no meaning")
    return info


def check_line(line, judge):
    """Every move of a line shown must be playable."""
    position = judge.pos
    for move in parse_info(line).get("pv", []):
        require(move in position.legal_moves(), f"{move} of {line!r} is illegal")
        position = position.apply(move)


class Engine(usi.Process):
    """A session, in the states of ShogiHome's."""

    def __init__(self, path, early_ponder=False):
        self.early_ponder = early_ponder
        begun = time.monotonic()
        super().__init__([path], cwd=os.path.dirname(path))
        self.send("usi")
        self.introduction = self.until("usiok", LAUNCH)
        self.launched = time.monotonic() - begun
        self.options = {}
        for line in self.introduction:
            if line.startswith("option ") and (option := parse_option(line)):
                self.options[option["name"]] = option

    def set_options(self, values=()):
        """Every option that has a value is sent, also those the user has left alone and those it knows of itself."""
        own = {
            "USI_Hash": {"name": "USI_Hash", "type": "spin", "default": "32"},
            "USI_Ponder": {"name": "USI_Ponder", "type": "check", "default": "true"},
        }
        for name, option in {**own, **self.options}.items():
            value = dict(values).get(name, option.get("default"))
            if option["type"] != "button" and value is not None:
                self.send(f"setoption name {name} value {'' if value == '<empty>' else value}")

    def ready(self):
        """Begins a game."""
        self.send("isready")
        said = self.until("readyok")
        require(not any("error" in line for line in said), f"an option was refused: {said}")
        self.send("usinewgame")

    def start(self, values=()):
        self.set_options(values)
        self.ready()

    def go(self, position, what):
        self.send(f"position {position}")
        self.send(f"go {what}")

    def best(self, patience=usi.PATIENCE):
        """The answer as ShogiHome cuts it. The line said before it holds the score of the move."""
        words = self.until("bestmove ", patience)[-1].split(" ")[1:]
        require(len(words) == 1 or (len(words) == 3 and words[1] == "ponder"), f"bestmove {words}")
        said = [line for line in self.history if line.startswith("< ")][-2]
        ended = words[0] in ("win", "resign")
        require(said.startswith("< info depth ") and (ended or f" pv {words[0]}" in said), f"{said} before {words}")
        return words[0], words[2] if len(words) == 3 else None

    def due(self):
        """How many answers are still to come."""
        asked, answered = (sum(line.startswith(w) for line in self.history) for w in ("> go ", "< bestmove "))
        return asked - answered

    def no_answer(self, seconds=A_WHILE):
        for line in self.lines(seconds):
            require(not line.startswith(("bestmove", "checkmate")), f"{line}, which nobody has asked for")


def clock(times, byoyomi, increment):
    """The clocks as `go` tells them: byoyomi or increments, never both."""
    if increment:
        return f"btime {times['b']} wtime {times['w']} binc {increment} winc {increment}"
    return f"btime {times['b']} wtime {times['w']} byoyomi {byoyomi}"


def game(path, early, sfen, main_time, byoyomi, increment, plies):
    """Both sides are the engine, both think in the other's time."""
    start = f"sfen {sfen}" if sfen else "startpos"
    judge = Judge("shogi", 0, sfen)
    with Engine(path, early) as black, Engine(path, early) as white:
        engines = {"b": black, "w": white}
        expected = {"b": None, "w": None}
        left = {"b": main_time, "w": main_time}
        hits = misses = 0
        for engine in engines.values():
            engine.start({"USI_Ponder": "true", "USI_Hash": "16"})

        def position(*more):
            moves = [*judge.moves, *more]
            return start + (f" moves {' '.join(moves)}" if moves else "")

        while len(judge.moves) < plies and not judge.result():
            side = judge.pos.stm
            engine, times = engines[side], clock(left, byoyomi, increment)
            pondered, expected[side] = expected[side], None
            if pondered and pondered == judge.moves[-1]:
                hits += 1
                engine.no_answer(0)
                engine.send(f"ponderhit {times}" if early else "ponderhit")
            else:
                if pondered:
                    misses += 1
                    engine.no_answer(0)
                    engine.send("stop")
                    engine.best(AT_ONCE)
                engine.go(position(), times)
            begun = time.monotonic()
            move, ponder = engine.best()
            taken = (time.monotonic() - begun) * 1000
            require(taken <= left[side] + byoyomi + increment + SLACK, f"{taken:.0f} ms with {times}")
            left[side] = max(0, left[side] + increment - math.ceil(taken))
            if move in ("win", "resign"):
                require(move == "resign" or judge.may_declare(), f"a false declaration in {judge.pos.sfen()}")
                break
            judge.play(move)
            if ponder:
                require(not judge.decided() and judge.is_legal(ponder), f"{ponder} cannot follow {move}")
                expected[side] = ponder
                engine.go(position(ponder), "ponder" if early else f"ponder {times}")
        # The end: whoever still thinks is stopped and told, without being waited for, and the same process plays on.
        for side, engine in engines.items():
            if expected[side]:
                engine.send("stop")
            engine.send("gameover " + ("win" if side == "b" else "lose"))
            engine.ready()
            engine.go("startpos", clock(left, 100, 0))
            while engine.due() > 0:
                engine.until("bestmove ")
            engine.no_answer()
            require(engine.due() == 0, f"{engine.due()} answers are missing")
            engine.quit(QUIT)
    print(f"  {len(judge.moves)} moves, {hits} expected replies, {misses} others", flush=True)
    require(plies < 20 or hits + misses > 0, "the engine has never named a reply")


def introduction(path):
    with Engine(path) as engine:
        require(engine.launched < LAUNCH / 2, f"usiok took {engine.launched:.1f} s")
        require(engine.introduction[0].startswith("id name "), "no name")
        require(engine.introduction[1].startswith("id author "), "no author")
        for line in engine.introduction:
            if not line.startswith("option "):
                continue
            option = parse_option(line)
            if option is None:
                # ShogiHome shows no option whose name has a space. A button is no loss: `usinewgame` does the same.
                require(line.endswith(" type button"), f"ShogiHome leaves out {line!r}")
            elif option["type"] == "spin":
                least, value, most = (int(option[key]) for key in ("min", "default", "max"))
                require(least <= value <= most, line)
            elif option["type"] == "combo":
                require(option["default"] in option["vars"], line)
            elif option["type"] == "check":
                require(option["default"] in ("true", "false"), line)
            else:
                require(option["type"] in ("string", "filename") and option["default"], line)
        engine.quit(QUIT)


def buttons(path):
    """A button is pressed in a process of its own, which is told to quit at once."""
    with Engine(path) as engine:
        engine.send("setoption name Clear Hash")
        engine.quit(QUIT)


def options(path):
    with Engine(path) as engine:
        engine.start()
        # What was stored of an older version, and a text that the user has emptied.
        for text in ("USI_OwnBook value true", "DebugLogFile value ", "USI_Hash value 32", "USI_Ponder value true"):
            engine.send(f"setoption name {text}")
        engine.ready()
        # Names without a path are meant in the engine's folder, where it was started.
        log = Path(path).with_name("conversation.log")
        engine.send(f"setoption name DebugLogFile value {log.name}")
        engine.ready()
        engine.quit(QUIT)
        require("usinewgame" in log.read_text(), f"{log} has not got the conversation")


def research(path):
    """Another position or number of lines is asked for while the engine thinks: one stop, one answer, then the next."""
    judge = Judge("shogi", 0)
    with Engine(path) as engine:
        engine.start()
        for move, lines in (("7g7f", 1), ("3c3d", 3), ("2g2f", 2), ("8c8d", 1)):
            judge.play(move)
            engine.send(f"setoption name MultiPV value {lines}")
            engine.go("startpos moves " + " ".join(judge.moves), "infinite")
            said = [line for line in engine.lines(0.4) if " pv " in line]
            require(said, "nothing is said during a research")
            numbers = {parse_info(line).get("multipv", 1) for line in said}
            require(numbers == set(range(1, lines + 1)), f"{numbers} of {lines} lines")
            for line in said:
                require({"cp", "mate"} & set(parse_info(line)), f"no score in {line!r}")
            for line in said[-lines:]:
                check_line(line, judge)
            engine.no_answer(0)
            engine.send("stop")
            best = engine.best(AT_ONCE)[0]
            require(judge.is_legal(best), f"{best} is illegal")
            engine.no_answer(0.05)
        engine.quit(QUIT)


def mates(path):
    """Whatever the engine can say about mates, it says it in one line that begins with `checkmate`."""
    with Engine(path) as engine:
        engine.start()
        for sfen, limit in ((MATE_IN_THREE, "3000"), (MATE_IN_THREE, "infinite"), (None, "1000"), (None, "infinite")):
            engine.go(f"sfen {sfen}" if sfen else "startpos", f"mate {limit}")
            said = engine.lines(1.5)
            if not any(line.startswith("checkmate ") for line in said):
                engine.send("stop")
                said += engine.until("checkmate ", AT_ONCE)
            answers = [line for line in said if line.startswith(("checkmate", "bestmove"))]
            require(len(answers) == 1 and answers[0].startswith("checkmate "), f"{answers} to go mate")
            words = answers[0].split(" ")[1:]
            if words not in (["notimplemented"], ["timeout"], ["nomate"]):
                judge = Judge("shogi", 0, sfen)
                for move in words:
                    judge.play(move)
                require((judge.result() or "")[1:] == ("checkmate",), f"{answers[0]} is no mate")
            elif sfen:
                require(words != ["nomate"], "there is a mate")
            engine.no_answer(0.05)
        # The engine plays on.
        engine.go("startpos", "btime 0 wtime 0 byoyomi 100")
        engine.best()
        engine.quit(QUIT)


def ends(path):
    """Wins that are declared and games that are lost, with and without thinking in the other's time."""
    judge = Judge("shogi", 0, ENTERED)
    require(judge.may_declare(), "the referee sees no declaration")
    with Engine(path, early_ponder=True) as engine:
        engine.start()
        for sfen, answer in ((ENTERED, "win"), (MATED, "resign")):
            engine.go(f"sfen {sfen}", "btime 1000 wtime 1000 byoyomi 1000")
            require(engine.best()[0] == answer, f"not {answer}")
            for end in ("ponderhit btime 1000 wtime 1000 byoyomi 1000", "stop"):
                engine.go(f"sfen {sfen}", "ponder")
                engine.no_answer()
                engine.send(end)
                require(engine.best(AT_ONCE)[0] == answer, f"not {answer}")
        # The game ends while the engine thinks: one answer, which ShogiHome throws away.
        for what in ("btime 600000 wtime 600000 byoyomi 0", "ponder", "infinite"):
            for result in ("win", "lose", "draw"):
                engine.go("startpos moves 7g7f", what)
                engine.no_answer(0.05)
                engine.send("stop")
                engine.send(f"gameover {result}")
                engine.best(AT_ONCE)
                engine.ready()
                engine.no_answer(0.02)
        # It is left in the middle of a thought.
        engine.go("startpos", "infinite")
        engine.lines(0.1)
        engine.send("quit")
        said, errors = engine.process.communicate(timeout=QUIT)
        require((engine.buffer + said).count(b"bestmove ") == 1 and not errors, f"{said!r} {errors!r} after quit")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--ci", action="store_true", help="short")
    args = parser.parse_args()
    plies = 24 if args.ci else 80
    # A folder as users have them, which the engine is started in.
    with tempfile.TemporaryDirectory(prefix="将棋 エンジン ") as folder:
        path = shutil.copy(args.engine, folder)
        tests = [(f.__name__, lambda f=f: f(path)) for f in (introduction, buttons, options, research, mates, ends)]
        for name, *how in (
            ("game with byoyomi, early ponder", True, None, 2000, 150, 0),
            ("game with increments, ponder", False, None, 2000, 0, 100),
            ("game with increments, early ponder", True, None, 1000, 0, 150),
            ("game with a handicap, byoyomi only", False, TWO_PIECES, 0, 150, 0),
        ):
            tests.append((name, lambda how=how: game(path, *how, plies)))
        sys.exit(usi.run(tests))


if __name__ == "__main__":
    main()
