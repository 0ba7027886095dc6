"""What wine.sh says to the Windows executable: all five games, lines that end in CRLF, a folder as users have them.

    python3 tests/clients/windows.py FOLDER/happo.exe       FOLDER should not be ASCII
"""

import os
import sys
import time
from pathlib import Path

import usi
from games import Judge
from usi import require


def start(path, *options):
    engine = usi.Process(["wine", path.name], cwd=path.parent, ending="\r\n", env={**os.environ, "WINEDEBUG": "-all"})
    engine.send("usi")
    said = [line.rstrip("\r") for line in engine.until("usiok", patience=120)]
    require(said[0].startswith("id name happo") and said[-1] == "usiok", f"{said}")
    for option in options:
        engine.send(f"setoption name {option}")
    engine.send("isready")
    said = engine.until("readyok")
    require(len(said) == 1, f"an option was refused: {said}")
    return engine


def quit_(engine):
    engine.send("quit")
    # Wine itself may write to standard error.
    said, _ = engine.process.communicate(timeout=20)
    require(engine.process.returncode == 0, f"exit status {engine.process.returncode}")
    require(b"bestmove" not in engine.buffer + said, "an answer that nobody has asked for")


def play(path, variant):
    """A short game, judged by the referee; then a search that is stopped."""
    judge = Judge("hasami5" if variant == "hasami" else variant, 0)
    with start(path, f"USI_Variant value {variant}", "USI_Hash value 16", "Threads value 2", "Clear Hash") as engine:
        engine.send("usinewgame")
        tokens = []
        for limit in ("movetime 200", "btime 0 wtime 0 byoyomi 200", "btime 2000 wtime 2000 binc 100 winc 100", "nodes 2000"):
            engine.send("position startpos" + (f" moves {' '.join(tokens)}" if tokens else ""))
            engine.send(f"go {limit}")
            begun = time.monotonic()
            said = [line.rstrip("\r") for line in engine.until("bestmove ")]
            require(time.monotonic() - begun < 2, f"too long for {limit}")
            tokens.append(said[-1].split()[1])
            require(f" pv {tokens[-1]}" in said[-2], f"{said[-2:]}")
            judge.play_turn(tokens[-1])
        engine.send(f"position startpos moves {' '.join(tokens)}")
        for go, end in (("go infinite", "stop"), ("go ponder btime 0 wtime 0 byoyomi 100", "ponderhit")):
            engine.send(go)
            require(not [line for line in engine.lines(0.2) if line.startswith("bestmove")], f"{go} is answered")
            engine.send(end)
            engine.until("bestmove ", patience=2)
        quit_(engine)


def log(path):
    """Text that is not ASCII comes through, also as the name of a file."""
    name = "対局 記録.log"
    with start(path, f"DebugLogFile value {name}") as engine:
        engine.send("go depth 2")
        engine.until("bestmove ")
        quit_(engine)
    text = path.with_name(name).read_text()
    require("> go depth 2" in text and "< bestmove" in text and "\r\r" not in text, f"the log is {text!r}")


def main():
    path = Path(sys.argv[1])
    tests = [(v, lambda v=v: play(path, v)) for v in ("shogi", "happokei", "aihappokei", "flanking", "hasami")]
    sys.exit(usi.run([*tests, ("log", lambda: log(path))]))


if __name__ == "__main__":
    main()
