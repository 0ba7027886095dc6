#!/usr/bin/env python3
"""Positions in the formats of other trainers, compared with what cshogi reads and writes.

Games of self-play, some of them at handicaps, are replayed by cshogi. What `happo data export` makes of them has to
be the same position by position, and byte by byte what cshogi itself packs. Then the way back: `happo data import` of
these files, and of others that cshogi has written of random positions, some of them spoilt; what comes in has to be fit
for the trainer and the tuner.

    python3 tests/clients/packed.py                    200 games of self-play, 20,000 random positions
    python3 tests/clients/packed.py --games 20 --positions 1000
"""

import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import cshogi
import numpy as np
from cshogi import Board, HuffmanCodedPosAndEval, PackedSfenValue, move16, move16_from_psv, move16_to_psv, move_to_usi

from usi import require, run

DTYPES = {"psv": PackedSfenValue, "hcpe": HuffmanCodedPosAndEval}
NO_SCORE = -32768
# Start positions of the random games.
STARTS = (
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B2G2S2N2L9P2g2s2n2l9p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBrb3gsnlp 1",
)


class Row:
    """A position as cshogi has it."""

    def __init__(self, board, move, score, winner):
        self.sfen = board.sfen()
        self.number = board.move_number
        self.side = board.turn
        self.move = move
        self.score = score
        self.winner = winner
        loud = move_to_usi(move).endswith("+") or board.piece(cshogi.move_to(move))
        self.check = board.is_check()
        self.quiet = not self.check and not loud
        self.result = 0 if winner is None else 1 if winner == board.turn else -1
        self.psv = np.zeros(1, PackedSfenValue)
        self.hcpe = np.zeros(1, HuffmanCodedPosAndEval)
        board.to_psfen(self.psv[0]["sfen"])
        board.to_hcp(self.hcpe[0]["hcp"])
        code = move16(move)
        rest = (score, move16_to_psv(code), min(self.number, 65535), self.result, 0)
        self.psv[0] = (self.psv[0]["sfen"], *rest)
        self.hcpe[0] = (self.hcpe[0]["hcp"], score, code, 0 if winner is None else winner + 1, 0)

    def record(self, form):
        return getattr(self, form).tobytes()


def stored(path):
    """The games of one of happo's files, as src/data/mod.rs describes them: start, (move, score) a ply, winner."""
    data = path.read_bytes()
    at = struct.unpack_from("<H", data, 10)[0]
    while at < len(data):
        require(data[at : at + 4] == b"\xc5GAM", f"no record at {at}")
        plies, winner, _, _, length = struct.unpack_from("<HBBBB", data, at + 20)
        start = data[at + 26 : at + 26 + length].decode()
        at += 26 + length
        end = at + 4 * plies
        yield start or STARTS[0], list(struct.iter_unpack("<Hh", data[at:end])), winner - 1 if winner else None
        at = end


def replay(path):
    """The positions with a score."""
    rows = []
    for start, plies, winner in stored(path):
        board = Board(start)
        for code, score in plies:
            move = board.move_from_move16(code)
            require(board.is_legal(move), f"{board.sfen()}: {move_to_usi(move)} is illegal")
            if score != NO_SCORE:
                rows.append(Row(board, move, score, winner))
            board.push(move)
    return rows


def random_rows(count, rng):
    """Positions of random games, in which pieces are often taken."""
    rows = []
    while len(rows) < count:
        board = Board(rng.choice(STARTS))
        winner = rng.choice((None, cshogi.BLACK, cshogi.WHITE))
        for _ in range(rng.randrange(300)):
            moves = list(board.legal_moves)
            if not moves:
                break
            takes = [move for move in moves if board.piece(cshogi.move_to(move))]
            move = rng.choice(takes if takes and rng.random() < 0.3 else moves)
            if rng.random() < 0.1:
                rows.append(Row(board, move, rng.randint(-32767, 32767), winner))
            board.push(move)
    return rows[:count]


def board_of(form, record):
    board = Board()
    if form == "psv":
        board.set_psfen(record["sfen"])
    else:
        board.set_hcp(record["hcp"])
    return board


def without_number(sfen):
    return sfen.rsplit(" ", 1)[0]


class Tests:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.rng = random.Random(args.seed)
        self.games = folder / "games"
        self.some = random_rows(args.positions, self.rng)

    def happo(self, *words):
        """The summary that a command ends with."""
        command = [self.args.engine, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        require(done.returncode == 0, f"{' '.join(command)}: {done.stderr}{done.stdout}")
        return json.loads(done.stdout.splitlines()[-1]) if words[0] in ("selfplay", "data") else None

    def selfplay(self):
        self.happo("selfplay", "--nodes", 60, "--games", self.args.games, "--out", self.games, "--quiet")
        self.rows = [row for path in sorted(self.games.glob("*.games")) for row in replay(path)]
        handicaps = sum(not self.whole(row.sfen) for row in self.rows)
        print(f"  {len(self.rows)} positions, {handicaps} at handicaps", flush=True)
        require(len(self.rows) > 200 and handicaps > 20, "too few to compare")

    @staticmethod
    def whole(sfen):
        board = Board(sfen)
        return sum(map(bool, board.pieces)) + sum(map(sum, board.pieces_in_hand)) == 40

    def export(self):
        for form, dtype in DTYPES.items():
            out = self.folder / f"out.{form}"
            told = self.happo("data", "export", self.games, "--format", form, "--out", out, "--quiet")
            left_out = told["loud"] + told["kingless"] + told["illegal"] + told["damaged"]
            require(told["positions"] == len(self.rows) and not left_out, told)
            records = np.fromfile(out, dtype)
            require(len(records) == len(self.rows), f"{len(records)} records of {form}")
            for record, row in zip(records, self.rows):
                self.compare(form, record, row)

    @staticmethod
    def compare(form, record, row):
        """What cshogi reads of a record, and the bytes it would have written."""
        board = board_of(form, record)
        if form == "psv":
            code, score = move16_from_psv(record["move"]), record["score"]
            result = int(record["game_result"])
            require(record["gamePly"] == row.number, f"{row.sfen}: ply {record['gamePly']}")
        else:
            code, score = int(record["bestMove16"]), record["eval"]
            winner = {0: None, 1: cshogi.BLACK, 2: cshogi.WHITE}[int(record["gameResult"])]
            result = 0 if winner is None else 1 if winner == board.turn else -1
        move = board.move_from_move16(code)
        found = (without_number(board.sfen()), move_to_usi(move), int(score), result)
        wanted = (without_number(row.sfen), move_to_usi(row.move), row.score, row.result)
        require(found == wanted, f"{form}: {found}, wanted {wanted}")
        require(record.tobytes() == row.record(form), f"{form}: other bytes for {row.sfen}")

    def quiet(self):
        for form in DTYPES:
            out = self.folder / f"quiet.{form}"
            told = self.happo("data", "export", self.games, "--format", form, "--out", out, "--quiet-only", "--quiet")
            wanted = [row for row in self.rows if row.quiet]
            require(told["positions"] == len(wanted) and told["loud"] == len(self.rows) - len(wanted), told)
            require(out.read_bytes() == b"".join(row.record(form) for row in wanted), f"{form}: not the quiet ones")

    def back(self, name, form, rows, spoilt=0):
        """What comes in, and goes out again."""
        source, games, again = (self.folder / f"{name}.{form}{end}" for end in ("", ".games", ".again"))
        told = self.happo("data", "import", source, "--format", form, "--out", games, "--quiet")
        expected = {"records": len(rows) + spoilt, "positions": len(rows), "refused": spoilt}
        require(told == expected, f"{told}, wanted {expected}")
        told = self.happo("data", "stats", games)
        require((told["positions"], told["illegal"], told["damaged"]) == (len(rows), 0, 0), told)
        for (start, plies, winner), row in zip(stored(games), rows, strict=True):
            number = row.number if form == "psv" else 1
            found = (start, plies, winner)
            wanted = (f"{without_number(row.sfen)} {number}", [(move16(row.move), row.score)], row.winner)
            require(found == wanted, f"{name}, {form}: {found}, wanted {wanted}")
        self.happo("data", "export", games, "--format", form, "--out", again, "--quiet")
        require(again.read_bytes() == b"".join(row.record(form) for row in rows), f"{name}, {form}: not the same again")

    def imports(self):
        for form in DTYPES:
            self.back("out", form, self.rows)

    def random(self):
        for form in DTYPES:
            (self.folder / f"random.{form}").write_bytes(b"".join(row.record(form) for row in self.some))
            self.back("random", form, self.some)

    def spoilt(self):
        """Rubbish, moves that cannot be made, and half a record are counted and left out."""
        for form, dtype in DTYPES.items():
            data, spoilt = b"", 1
            for row in self.some:
                data += row.record(form)
                bad = bytearray(row.record(form))
                code = int.from_bytes(bad[34:36], "little")
                match self.rng.randrange(3):
                    case 0:
                        bad = self.rng.randbytes(32) + bad[32:]
                    case 1 if row.check:
                        # It is the other side's turn, and the king can be taken.
                        bad[0] ^= 1
                    case 1:
                        # The move comes from where nothing of that side stands.
                        bad[34:36] = ((code & 127) << 7 | code >> 7 & 127).to_bytes(2, "little")
                    case _:
                        bad[34:36] = b"\0\0"
                data += bad
                spoilt += 1
            (self.folder / f"spoilt.{form}").write_bytes(data + data[: dtype.itemsize // 2])
            self.back("spoilt", form, self.some, spoilt)

    def learn(self):
        games = self.folder / "out.hcpe.games"
        self.happo(
            "train", "--data", games, "--width", 32, "--buckets", 1, "--epochs", 1, "--batch", 256,
            "--out", self.folder / "net", "--quiet",
        )  # fmt: skip
        require((self.folder / "net" / "net.happonet").exists(), "no network")
        self.happo("tune", "eval", games, "--steps", 1, "--out", self.folder / "weights.rs")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="target/release/happo")
    parser.add_argument("--games", type=int, default=200, help="games of self-play")
    parser.add_argument("--positions", type=int, default=20_000, help="of random games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ci", action="store_true", help="20 games, 2,000 positions")
    args = parser.parse_args()
    if args.ci:
        args.games, args.positions = 20, 2000
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(args, pathlib.Path(folder))
        return run(
            [
                ("self-play", tests.selfplay),
                ("export", tests.export),
                ("quiet positions", tests.quiet),
                ("import", tests.imports),
                ("random positions", tests.random),
                ("spoilt records", tests.spoilt),
                ("training", tests.learn),
            ]
        )


if __name__ == "__main__":
    sys.exit(main())
