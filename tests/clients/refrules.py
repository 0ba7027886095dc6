"""refrules: a slow, plain, independent oracle for the rules of

    shogi       ordinary shogi
    happokei    eight-way knight shogi, four-piece handicap (Black = the stronger side)
    aihappokei  Ai-Happo-Kei (even game, both sides' knights leap 8 ways)
    flanking    flanking shogi (two moves a turn, capture by flanking)
    hasami5     hasami shogi, win by capturing five      (the default goal)
    hasami3     hasami shogi, win by a lead of three captures
    hasamiall   hasami shogi, win by capturing every enemy piece

Written only from the pages that describe the games (the seeds), not from the engine.
Plain mailbox on a dict, everything recomputed from scratch, nothing incremental.

Conventions
  * A square is (file, rank): file 1..9, rank 1..9 = a..i; printed as in USI, "7g".
  * Black ('b') moves towards rank 1 (a), White ('w') towards rank 9 (i).
  * A piece is (colour, kind), kind in P L N S G B R K and +P +L +N +S +B +R.
  * Moves are USI strings: "7g7f", "8h2b+", "P*5e".
  * In flanking shogi one ply = one HALF-move; the same side plays two plies in a row.

DECISIONS on what the seeds leave open (referred to below as D1..D24)
  General
  D1  'Position' for repetition = board + hands + side to move (+ half-move state in
      flanking).  The fourth occurrence ends the game, the first occurrence counting.
  D2  Order of adjudication after a ply: (1) a win by capture (king flanked, hasami goal),
      (2) no legal reply = loss for the side to move, (3) repetition, (4) move limit.
      So a mate on the move that would also make the fourth repetition is still mate.
  D3  No legal move = loss in every game here (no stalemate draw).
  D4  Perft ignores repetition, move limit and impasse.  A position already won (flanked
      king, hasami goal reached) has no children.
  Shogi, happokei, aihappokei
  D5  Repetition with perpetual check: if, from the first to the fourth occurrence, every
      move of one side gave check, that side loses; else draw.  (Both at once is not
      possible for legal play; were it so, the seeds do not say: draw.)
  D6  Promotion is optional where the move starts or ends in the zone; forced only for a
      piece that would have no move on an empty board from the target square.
  D7  Pawn-drop mate: a pawn drop that gives check and leaves the enemy with no legal reply
      is illegal.  The replies counted include eight-way knight moves and every drop.
      (The enemy's replies cannot be pawn-drop mates answering a contact check, so there
      is no recursion: a drop can never answer a pawn's check.)
  D28 Move limit: the SFEN's move number less one plus the moves since, every half-move one.
  D8  Impasse (jishogi) is only a point count here (impasse_points); it never ends a game by
      itself: the shogi seed states it for agreement ('neither can be checkmated'), and
      the happokei seed does not mention it.
  Happokei (handicap)
  D9  Black (first mover) is the stronger side; its start lacks R, B and both L.
      SFEN lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1 b - 1
  D10 The kind of a knight is decided by its owner: 'N' on the board or in Black's hand is
      eight-way, 'n' is ordinary.  So the capture 'conversion' is just the colour flip.
  D11 +N of Black = gold + eight-way knight.  +n of White = gold.
  D12 Black's knight: promotion always optional, never forced; may be dropped on any
      empty square.  White's knight keeps both bans.
  D13 Promotion of an eight-way knight follows the normal zone rule also for backward and
      sideways moves that leave, enter or stay in the zone.
  Aihappokei
  D14 Both N are eight-way, never dead, never forced; both +N = gold only.
  Flanking
  D15 Black's first turn also has two moves (the seed has no 1-move first turn).
  D16 Both moves are compulsory, no passing; but the second may undo the first (the seed:
      'the same piece twice').  A side with no legal half-move when it has to make one
      (first or second) loses.  (The seed: 'if your opponent has no legal move'.)
  D17 A drop is one of the two moves; both may be drops; a piece captured by the first
      half-move may be dropped by the second; a piece dropped by the first may be moved by
      the second and may capture then (it is then 'a piece moved on the board').
  D18 Moves never end on an occupied square; rook, bishop, lance are blocked by any piece.
  D19 Flanking: from the target square of a board move, in each of the 4 orthogonal
      directions, an unbroken run of >= 1 enemy pieces closed by an own piece (any kind,
      the king included) is captured; all directions at once.  The edge never closes a run.
  D20 Corner: the enemy piece in a corner is captured if both its orthogonal neighbours are
      own pieces AND the moved piece is one of the two (the capture belongs to the move
      that forms it).  A drop never captures, so a drop may leave a 'ripe' trap which is
      only captured when one of its members moves away and another/that one moves in.
  D21 The king may be flanked like any piece, alone or within a run, or in a corner: the
      game ends at once, also on the first half-move.  No check, no checkmate: kings may
      be moved or left where they can be flanked; no pins; no pawn-drop-mate rule.
  D22 Captured promoted pieces go to the hand unpromoted.  A captured king is not put
      in the hand.  Nifu counts own unpromoted pawns on the file at the time of the drop.
      Moving pieces can not create two pawns on a file (pawns never change file).
  D23 Capture is judged after the move with the piece on the target square and gone from its
      source; promotion makes no difference to it.
  D24 Repetition: every half-move position counts, keyed with the half-move state
      (REP_TURN_STARTS_ONLY = True counts only positions at the start of a turn).
      Half-move state in SFEN: a token 'step=2' after the move number (rules.md).
  Hasami
  D25 Pieces are written P / p; the hand field holds the captures made by each side
      ('3P2p': Black has captured 3, White 2) and can never be dropped; '-' in a given
      diagram means 9 minus the pieces left.
  D26 Custodial capture as D19, corner as D20 (in play from the start position the
      'moved piece is one of the two' clause never matters: nothing can slide into a corner
      whose two neighbours are both occupied).
  D27 Five: captures >= 5 wins (one move may pass five).  Lead: own captures - enemy
      captures >= 3 wins at once (the JSA page instead lets the other side answer).
      All: the enemy has no piece left.  In every goal an enemy without a legal move
      (also: without a piece) loses.  1 v 1 piece in 'all' or 'lead' is not ended: it runs
      on to repetition or the move limit.
"""

FILES = range(1, 10)
RANKS = range(1, 10)
RANK_CHARS = "abcdefghi"
REP_TURN_STARTS_ONLY = False          # D24

SHOGI_START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
HASAMI_START = "ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1"
START = {
    "shogi": SHOGI_START,
    "happokei": "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1 b - 1",   # D9
    "aihappokei": SHOGI_START,
    "flanking": SHOGI_START,
    "hasami5": HASAMI_START,
    "hasami3": HASAMI_START,
    "hasamiall": HASAMI_START,
}
CHECK_GAMES = ("shogi", "happokei", "aihappokei")
HASAMI_GAMES = ("hasami5", "hasami3", "hasamiall")

HAND_ORDER = "RBGSNLP"

# Directions for Black: (file step, rank step); forward is rank -1.
ORTHO = [(0, -1), (0, 1), (-1, 0), (1, 0)]
DIAG = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
GOLD = [(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]
SILVER = [(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)]
KNIGHT = [(-1, -2), (1, -2)]
EIGHT = [(df, dr) for df in (-2, -1, 1, 2) for dr in (-2, -1, 1, 2) if abs(df) != abs(dr)]


def other(c):
    return "w" if c == "b" else "b"


def sq_name(s):
    return "%d%s" % (s[0], RANK_CHARS[s[1] - 1])


def sq_parse(t):
    return (int(t[0]), RANK_CHARS.index(t[1]) + 1)


def on_board(s):
    return 1 <= s[0] <= 9 and 1 <= s[1] <= 9


def knight_is_eight(variant, colour):
    """Is this colour's (unpromoted) knight an eight-way knight?  D10, D14."""
    if variant == "happokei":
        return colour == "b"
    return variant == "aihappokei"


def steps_and_slides(variant, colour, kind):
    """(step vectors, slide vectors) as seen by the piece's owner, turned for White."""
    steps, slides = [], []
    if kind == "P":
        steps = [(0, -1)]
    elif kind == "L":
        slides = [(0, -1)]
    elif kind == "N":
        steps = EIGHT if knight_is_eight(variant, colour) else KNIGHT
    elif kind == "S":
        steps = SILVER
    elif kind in ("G", "+P", "+L", "+S"):
        steps = GOLD
    elif kind == "+N":
        # D11: only the stronger side's promoted knight keeps the leap.  D14: gold only.
        steps = GOLD + EIGHT if (variant == "happokei" and colour == "b") else GOLD
    elif kind == "B":
        slides = DIAG
    elif kind == "R":
        slides = ORTHO
    elif kind == "+B":
        slides, steps = DIAG, ORTHO
    elif kind == "+R":
        slides, steps = ORTHO, DIAG
    elif kind == "K":
        steps = ORTHO + DIAG
    else:
        raise ValueError(kind)
    if colour == "w":
        steps = [(-a, -b) for a, b in steps]
        slides = [(-a, -b) for a, b in slides]
    return steps, slides


def rel_rank(colour, rank):
    """1 = the far rank for that colour."""
    return rank if colour == "b" else 10 - rank


def in_zone(colour, s):
    return rel_rank(colour, s[1]) <= 3


def is_dead(variant, colour, kind, s):
    """Would this piece on s have no move even on an empty board?"""
    steps, slides = steps_and_slides(variant, colour, kind)
    return not any(on_board((s[0] + a, s[1] + b)) for a, b in steps + slides)


class Position:
    __slots__ = ("variant", "board", "hands", "stm", "ply", "half", "winner")

    def __init__(self, variant):
        self.variant = variant
        self.board = {}                       # (file, rank) -> (colour, kind)
        self.hands = {"b": {}, "w": {}}       # kind -> count; in hasami: {'P': captures}
        self.stm = "b"
        self.ply = 1                          # the SFEN move number
        self.half = 0                         # flanking: 0 = first, 1 = second half-move
        self.winner = None                    # set when decided by a capture

    # ---------------------------------------------------------------- SFEN
    @classmethod
    def from_sfen(cls, variant, sfen=None):
        if variant not in START:
            raise ValueError("unknown variant " + variant)
        if sfen is None or sfen == "startpos":
            sfen = START[variant]
        t = sfen.split()
        if t and t[0] == "sfen":
            t = t[1:]
        if len(t) < 3:
            raise ValueError("bad sfen " + sfen)
        p = cls(variant)
        rows = t[0].split("/")
        if len(rows) != 9:
            raise ValueError("bad sfen board " + sfen)
        for r, row in enumerate(rows, 1):
            f, plus = 9, ""
            for ch in row:
                if ch == "+":
                    plus = "+"
                elif ch.isdigit():
                    f -= int(ch)
                else:
                    p.board[(f, r)] = ("b" if ch.isupper() else "w", plus + ch.upper())
                    plus = ""
                    f -= 1
            if f != 0:
                raise ValueError("bad sfen row " + row)
        if t[1] not in ("b", "w"):
            raise ValueError("bad sfen side " + t[1])
        p.stm = t[1]
        if t[2] != "-":
            n = ""
            for ch in t[2]:
                if ch.isdigit():
                    n += ch
                else:
                    h = p.hands["b" if ch.isupper() else "w"]
                    h[ch.upper()] = h.get(ch.upper(), 0) + (int(n) if n else 1)
                    n = ""
        p.ply = int(t[3]) if len(t) > 3 and t[3].isdigit() else 1
        if variant == "flanking":
            p.half = int("step=2" in t)       # D24
        if variant in HASAMI_GAMES:
            if t[2] == "-":                   # D25: captures follow from the board
                for c in ("b", "w"):
                    lost = 9 - sum(x[0] != c for x in p.board.values())
                    p.hands[c] = {"P": lost} if lost > 0 else {}
            for c in ("b", "w"):
                p.judge_goal(c)
        return p

    def board_hand_sfen(self):
        rows = []
        for r in RANKS:
            row, gap = "", 0
            for f in range(9, 0, -1):
                x = self.board.get((f, r))
                if x is None:
                    gap += 1
                    continue
                if gap:
                    row += str(gap)
                    gap = 0
                c, k = x
                row += k if c == "b" else k.lower()
            if gap:
                row += str(gap)
            rows.append(row)
        hand = ""
        for c in ("b", "w"):
            for k in HAND_ORDER:
                n = self.hands[c].get(k, 0)
                if n:
                    hand += (str(n) if n > 1 else "") + (k if c == "b" else k.lower())
        return "%s %s %s" % ("/".join(rows), self.stm, hand or "-")

    def sfen(self):
        return "%s %d%s" % (self.board_hand_sfen(), self.ply, " step=2" if self.half else "")

    def key(self):
        """What must be equal for 'the same position' (D1, D24)."""
        return self.board_hand_sfen() + (" /%d" % self.half if self.variant == "flanking" else "")

    def copy(self):
        q = Position(self.variant)
        q.board = dict(self.board)
        q.hands = {"b": dict(self.hands["b"]), "w": dict(self.hands["w"])}
        q.stm, q.ply, q.half, q.winner = self.stm, self.ply, self.half, self.winner
        return q

    # ---------------------------------------------------------------- attacks and check
    def targets(self, s, capture):
        """Squares the piece on s can go to.  capture: may it land on an enemy piece?"""
        c, k = self.board[s]
        steps, slides = steps_and_slides(self.variant, c, k)
        out = []
        for a, b in steps:
            d = (s[0] + a, s[1] + b)
            if on_board(d):
                x = self.board.get(d)
                if x is None or (capture and x[0] != c):
                    out.append(d)
        for a, b in slides:
            d = (s[0] + a, s[1] + b)
            while on_board(d):
                x = self.board.get(d)
                if x is None:
                    out.append(d)
                else:
                    if capture and x[0] != c:
                        out.append(d)
                    break
                d = (d[0] + a, d[1] + b)
        return out

    def king_square(self, c):
        for s, x in self.board.items():
            if x == (c, "K"):
                return s
        return None

    def in_check(self, c):
        """Could the other side take c's king on the next move?  (check games only)"""
        ks = self.king_square(c)
        if ks is None:
            return False
        for s, x in self.board.items():
            if x[0] != c and ks in self.targets(s, True):
                return True
        return False

    # ---------------------------------------------------------------- captures by flanking
    def flanked_from(self, d):
        """Enemy squares trapped by the piece that has just MOVED to d (D19, D20)."""
        me = self.board[d][0]
        out = []
        for a, b in ORTHO:
            run = []
            s = (d[0] + a, d[1] + b)
            while on_board(s) and s in self.board and self.board[s][0] != me:
                run.append(s)
                s = (s[0] + a, s[1] + b)
            if run and on_board(s) and s in self.board and self.board[s][0] == me:
                out += run
        for corner in ((1, 1), (9, 1), (1, 9), (9, 9)):
            x = self.board.get(corner)
            if x is None or x[0] == me:
                continue
            beside = [(corner[0] + a, corner[1] + b) for a, b in ORTHO]
            beside = [s for s in beside if on_board(s)]
            assert len(beside) == 2
            if d in beside and all(s in self.board and self.board[s][0] == me for s in beside):
                out.append(corner)
        assert len(out) == len(set(out))
        return out

    # ---------------------------------------------------------------- move generation
    def pseudo_moves(self):
        c = self.stm
        out = []
        if self.winner is not None:
            return out
        if self.variant in HASAMI_GAMES:
            for s in sorted(self.board):
                if self.board[s][0] != c:
                    continue
                for a, b in ORTHO:
                    d = (s[0] + a, s[1] + b)
                    while on_board(d) and d not in self.board:
                        out.append(sq_name(s) + sq_name(d))
                        d = (d[0] + a, d[1] + b)
            return out
        capture = self.variant != "flanking"          # D18
        for s in sorted(self.board):
            pc, k = self.board[s]
            if pc != c:
                continue
            for d in self.targets(s, capture):
                m = sq_name(s) + sq_name(d)
                if not is_dead(self.variant, c, k, d):        # D6, D12
                    out.append(m)
                if k in "PLNSBR" and (in_zone(c, s) or in_zone(c, d)):
                    out.append(m + "+")
        for k in HAND_ORDER:
            if not self.hands[c].get(k):
                continue
            for f in FILES:
                if k == "P" and any(self.board.get((f, r)) == (c, "P") for r in RANKS):
                    continue                                  # two pawns on a file
                for r in RANKS:
                    d = (f, r)
                    if d not in self.board and not is_dead(self.variant, c, k, d):
                        out.append("%s*%s" % (k, sq_name(d)))
        return out

    def legal_moves(self):
        if self.variant not in CHECK_GAMES:
            return self.pseudo_moves()                        # D21: no check
        out = []
        for m in self.pseudo_moves():
            q = self.apply(m)
            if q.in_check(self.stm):
                continue                                      # own king left open
            if m.startswith("P*") and q.in_check(q.stm) and not q.has_legal_move():
                continue                                      # pawn-drop mate, D7
            out.append(m)
        return out

    def has_legal_move(self):
        if self.variant not in CHECK_GAMES:
            return bool(self.pseudo_moves())
        for m in self.pseudo_moves():
            q = self.apply(m)
            if q.in_check(self.stm):
                continue
            if m.startswith("P*") and q.in_check(q.stm) and not q.has_legal_move():
                continue
            return True
        return False

    def judge_goal(self, c):
        """Hasami: has c reached the goal?"""
        mine, theirs = self.hands[c].get("P", 0), self.hands[other(c)].get("P", 0)
        if (self.variant == "hasami5" and mine >= 5
                or self.variant == "hasami3" and mine - theirs >= 3
                or self.variant == "hasamiall" and not any(x[0] != c for x in self.board.values())):
            self.winner = c

    # ---------------------------------------------------------------- making a move
    def apply(self, m):
        """The position after m.  m is trusted to be pseudo-legal."""
        q = self.copy()
        c = self.stm
        v = self.variant
        moved_to = None
        if m[1] == "*":
            assert v not in HASAMI_GAMES
            k, d = m[0], sq_parse(m[2:4])
            assert d not in q.board
            q.hands[c][k] -= 1
            if not q.hands[c][k]:
                del q.hands[c][k]
            q.board[d] = (c, k)
        else:
            s, d = sq_parse(m[0:2]), sq_parse(m[2:4])
            pc, k = q.board.pop(s)
            assert pc == c
            x = q.board.get(d)
            if x is not None:
                assert v in CHECK_GAMES and x[0] != c
                raw = x[1].lstrip("+")
                if raw != "K":
                    q.hands[c][raw] = q.hands[c].get(raw, 0) + 1     # D10: colour flip
            q.board[d] = (c, "+" + k if m.endswith("+") else k)
            moved_to = d
        q.ply += 1
        if v == "flanking":
            if moved_to is not None:                          # a drop never captures
                for s in q.flanked_from(moved_to):
                    raw = q.board.pop(s)[1].lstrip("+")
                    if raw == "K":
                        q.winner = c                          # D21
                    else:
                        q.hands[c][raw] = q.hands[c].get(raw, 0) + 1
            if self.half == 0:
                q.half = 1                                    # same side moves again
            else:
                q.half = 0
                q.stm = other(c)
        elif v in HASAMI_GAMES:
            for s in q.flanked_from(moved_to):
                del q.board[s]
                q.hands[c]["P"] = q.hands[c].get("P", 0) + 1
            q.stm = other(c)
            q.judge_goal(c)
        else:
            q.stm = other(c)
        return q

    # ---------------------------------------------------------------- perft
    def perft(self, depth):
        if depth == 0:
            return 1
        moves = self.legal_moves()
        if depth == 1:
            return len(moves)
        return sum(self.apply(m).perft(depth - 1) for m in moves)

    def impasse_points(self, c):
        """R, B (and promoted) 5, others 1, king 0; board and hand (shogi seed)."""
        n = 0
        for pc, k in self.board.values():
            if pc == c and k != "K":
                n += 5 if k.lstrip("+") in "RB" else 1
        for k, num in self.hands[c].items():
            n += num * (5 if k in "RB" else 1)
        return n


class Game:
    """A position with its history: play(), result()."""

    def __init__(self, variant, sfen=None, move_limit=None):
        self.pos = Position.from_sfen(variant, sfen)
        self.move_limit = move_limit
        self.moves = []
        self.trail = [self.pos]                       # every position so far
        self.checks = [None]                          # did the move into it give check?

    def play(self, m):
        if m not in self.pos.legal_moves():
            raise ValueError("illegal move %s in %s" % (m, self.pos.sfen()))
        q = self.pos.apply(m)
        self.moves.append(m)
        self.pos = q
        self.trail.append(q)
        self.checks.append(q.in_check(q.stm) if q.variant in CHECK_GAMES else False)

    def result(self):
        """None while the game goes on, else (winner 'b'/'w' or None for a draw, reason)."""
        p = self.pos
        if p.winner:
            return (p.winner, "king flanked" if p.variant == "flanking" else "goal")
        if not p.has_legal_move():
            why = "no legal move"
            if p.variant in CHECK_GAMES and p.in_check(p.stm):
                why = "checkmate"
            return (other(p.stm), why)
        if not (REP_TURN_STARTS_ONLY and p.half == 1):
            same = [i for i, q in enumerate(self.trail) if q.key() == p.key()]
            if len(same) >= 4:
                if p.variant in CHECK_GAMES:          # D5
                    first = same[-4]
                    last = len(self.trail) - 1
                    perpetual = {}
                    for c in "bw":
                        # moves made BY c are those leading to positions where other(c) is to move
                        idx = [i for i in range(first + 1, last + 1) if self.trail[i].stm != c]
                        perpetual[c] = bool(idx) and all(self.checks[i] for i in idx)
                    if perpetual["b"] != perpetual["w"]:
                        return ("w" if perpetual["b"] else "b", "perpetual check")
                return (None, "repetition")
        if self.move_limit is not None and p.ply - 1 >= self.move_limit:
            return (None, "move limit")
        return None


if __name__ == "__main__":
    import sys
    v = sys.argv[1] if len(sys.argv) > 1 else "shogi"
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    p = Position.from_sfen(v, " ".join(sys.argv[3:]) or None)
    for i in range(1, n + 1):
        print(i, p.perft(i))
