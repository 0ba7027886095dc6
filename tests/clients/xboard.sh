#!/bin/bash
# A game of shogi between two engines in XBoard, a window under a virtual screen, through UCI2WB; both think in the
# other's time. Fails unless XBoard itself, which knows the rules, ends the game by them and saves it.
#
#     tests/clients/xboard.sh [--engine FILE] [--shot FILE.png]
#
# --shot leaves a picture of the window there; --ci makes no difference.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Debian keeps games where root does not look for them.
PATH=$PATH:/usr/games

engine=target/release/happo
shot=
while (($#)); do
    case $1 in
        --engine) engine=$2; shift ;;
        --shot) shot=$(realpath "$2"); shift ;;
        --ci) ;;
        *) echo "unknown argument $1" >&2; exit 2 ;;
    esac
    shift
done
engine=$(realpath "$engine")

# UCI2WB cuts its command line at blanks, and XBoard writes into the home directory.
work=$(mktemp -d)
screen=
board=
end() {
    for process in $board $screen; do
        kill "$process" 2> /dev/null || true
        wait "$process" 2> /dev/null || true
    done
    rm -rf "$work"
}
trap end EXIT
fail() {
    tail -n 20 "$work/debug.log" "$work/xboard.log" >&2 || true
    printf 'FAILED: %s\n' "$1" >&2
    exit 1
}

# The conversation of each engine is copied to files of its own.
cat > "$work/engine" <<END
#!/bin/sh
tee "$work/\$\$.in" | "$engine" | tee "$work/\$\$.out"
END
chmod +x "$work/engine"

# Xvfb finds a free screen and tells its number.
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1000x700x24 -nolisten tcp 3> "$work/number" > "$work/xvfb.log" 2>&1 &
screen=$!
read -r -t 20 number < "$work/number" || fail "no screen: $(cat "$work/xvfb.log")"

# Whether an engine has not answered what it was asked for. A search that ponders waits for `ponderhit` or `stop`.
owes() {
    local input asked answered last
    for input in "$work"/*.in; do
        asked=$(grep -c '^go' "$input" || true)
        answered=$(grep -c '^bestmove' "${input%.in}.out" || true)
        last=$(grep -E '^(go|stop|ponderhit)' "$input" | tail -n 1 || true)
        ((asked == answered)) && continue
        ((asked == answered + 1)) && [[ $last == "go ponder"* ]] && continue
        return 0
    done
    return 1
}

# The match is over when XBoard ends. By then its window is gone, so the picture is of the middle of the game.
play() {
    local first="uci2wb -s $work/engine" tenths
    rm -f "$work"/*.in "$work"/*.out
    HOME=$work DISPLAY=:$number xboard -variant shogi -fcp "$first" -scp "$first" -matchGames 1 \
        -timeControl 0:08 -timeIncrement 0.1 -saveGameFile "$work/game.pgn" -ponderNextMove true -xpopup -xexit \
        -soundProgram "" -debug -nameOfDebugFile "$work/debug.log" > "$work/xboard.log" 2>&1 &
    board=$!
    for ((tenths = 0; tenths < 900; tenths++)); do
        kill -0 "$board" 2> /dev/null || return 0
        if ((tenths % 20 == 0)); then
            DISPLAY=:$number import -window root "$work/now.png" 2> /dev/null || true
            # A board has many colours, an empty screen one.
            if [[ -e $work/now.png ]] && (($(identify -format %k "$work/now.png") > 20)); then
                mv "$work/now.png" "$work/board.png"
            fi
        fi
        sleep 0.1
    done
    owes && fail "the game has not ended, and an engine has not answered"
    kill "$board"
    wait "$board" 2> /dev/null || true
    return 1
}

# On a loaded machine UCI2WB now and then does not pass a move on, and both engines wait for it: the game is begun again.
play || play || play || fail "the game has not ended"
[[ -e $work/board.png ]] || fail "XBoard has never shown a board"
[[ -z $shot ]] || cp "$work/board.png" "$shot"

[[ -s $work/game.pgn ]] || fail "no game was saved"
cat "$work/game.pgn"
end=$(tr '\n' ' ' < "$work/game.pgn" | grep -oE '\{[^{}]*\} (1-0|0-1|1/2-1/2) *$') || fail "the game has no result"
# Mate, repetition, and a declaration, which UCI2WB passes on.
case $end in
    *Checkmate* | *epetition* | *claim*) ;;
    *) fail "the game ended by $end" ;;
esac
moves=$(grep -c '^position startpos moves' "$work"/*.in | sort -t: -k2 -n | tail -n 1 | cut -d: -f2)
((moves > 10)) || fail "only $moves positions were asked about"
grep -q '^ponderhit' "$work"/*.in || fail "no reply was ever expected"
# What the engine complains of, XBoard shows as its thoughts.
! grep -H '^info string error' "$work"/*.out || fail "the engine did not like what it heard"
! grep -E '^[0-9]+ [<>].*(Illegal move|tellusererror)' "$work/debug.log" || fail "XBoard or the engine saw an illegal move"
# XBoard sends back every option as it was told it.
! grep -h '^setoption name EnteringKingRule value' "$work"/*.in | grep -v 'CSARule27$' || fail "a default was changed"
echo "ok: $end"
