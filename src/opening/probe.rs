//! Choosing a move from a book.

use std::io;

use crate::board::{Color, Move};
use crate::game::Position;
use crate::random::Random;
use crate::search::{Bound, Info};
use crate::turns::play_turn;

use super::key::{Query, is_symmetric};
use super::record::{BookMove, BookTurn, sort};
use super::settings::Settings;
use super::shelf::Shelf;

/// What a book has to say of a position.
#[derive(Default)]
pub struct Probe {
    /// The move, if there is one to be played.
    pub answer: Option<Answer>,
    /// What there is to tell people.
    pub notes: Vec<String>,
}

/// A move of the book.
pub struct Answer {
    /// The candidates, best first, as many as were asked for; the move to play is always among them.
    pub lines: Vec<Info>,
    /// Which line begins with the move to play.
    pub chosen: usize,
    /// The move to play, a whole turn.
    pub best: Vec<Move>,
    /// The reply expected, a whole turn; empty if none is known.
    pub ponder: Vec<Move>,
}

/// A book, as one game uses it.
struct Reader<'a> {
    shelf: &'a mut Shelf,
    settings: &'a Settings,
    notes: Vec<String>,
}

/// Looks a position up and chooses a move. `shown` is the number of candidates that are wanted as lines.
pub fn probe<P: Position>(shelf: &mut Shelf, position: &P, settings: &Settings, shown: usize) -> Probe {
    let ignored = settings.ignore_rate as usize > shelf.dice().below(100);
    // A book that leads back to where the game has been before leads nowhere.
    if !settings.own_book
        || !shelf.is_open()
        || ignored
        || position.moves_played() >= settings.moves
        || position.occurrences() > 1
    {
        return Probe::default();
    }
    let mut reader = Reader { shelf, settings, notes: Vec::new() };
    let answer = reader.answer(position, shown);
    Probe { answer, notes: reader.notes }
}

impl Reader<'_> {
    fn answer<P: Position>(&mut self, position: &P, shown: usize) -> Option<Answer> {
        let listed = self.moves(position);
        let mut allowed = listed.clone();
        self.narrow(&mut allowed, position.side_to_move());
        let chosen = choose(&allowed, self.settings.consider_count, self.shelf.dice())?;
        let place = listed.iter().position(|m| m.turn == chosen.turn)?;
        let shown = shown.clamp(1, listed.len());
        let mut candidates: Vec<BookMove> = listed.into_iter().take(shown).collect();
        let chosen_line = place.min(shown - 1);
        if let Some(last) = candidates.get_mut(chosen_line) {
            *last = chosen;
        }
        let lines = candidates.iter().zip(1..).map(|(m, number)| self.line(position, m, number)).collect();
        let mut after = position.clone();
        play_turn(&mut after, chosen.turn.moves());
        let ponder = self.reply(&after, chosen.ponder).map_or_else(Vec::new, |reply| reply.turn.moves().to_vec());
        Some(Answer { lines, chosen: chosen_line, best: chosen.turn.moves().to_vec(), ponder })
    }

    /// The legal moves of a position, best first.
    fn moves<P: Position>(&mut self, position: &P) -> Vec<BookMove> {
        match self.look_up(position) {
            Ok(moves) => moves,
            Err(error) => {
                self.shelf.discard();
                self.notes.push(format!("the book cannot be read any more: {error}"));
                Vec::new()
            }
        }
    }

    fn look_up<P: Position>(&mut self, position: &P) -> io::Result<Vec<BookMove>> {
        let query = Query::new(position.diagram(), P::variant());
        let ignore_ply = self.settings.ignore_ply;
        let mut moves = self.shelf.lookup(&query, ignore_ply)?;
        if moves.is_empty() && self.settings.flipped && is_symmetric(P::variant()) {
            moves = self.shelf.lookup(&query.rotated(), ignore_ply)?.into_iter().map(BookMove::rotated).collect();
        }
        let mut trial = position.clone();
        moves.retain(|m| {
            let legal = play_turn(&mut trial, m.turn.moves());
            if legal {
                m.turn.moves().iter().for_each(|_| trial.unmake());
            } else if self.shelf.is_news(query.key, m.turn.to_string()) {
                self.notes.push(format!("book move {} is illegal in {}", m.turn, query.diagram));
            }
            legal
        });
        sort(&mut moves);
        Ok(moves)
    }

    /// Leaves the moves that the settings allow.
    fn narrow(&mut self, moves: &mut Vec<BookMove>, side: Color) {
        let settings = self.settings;
        let before = moves.len();
        if settings.narrow {
            let total: u64 = moves.iter().map(|m| u64::from(m.count)).sum();
            moves.retain(|m| u64::from(m.count) * 10 >= total);
        }
        moves.retain(|m| settings.depth_limit == 0 || u32::from(m.depth) >= settings.depth_limit);
        if let Some(best) = moves.first().map(|m| m.value) {
            let least = best.saturating_sub(settings.eval_diff).max(settings.eval_limit[side]);
            moves.retain(|m| m.value >= least);
        }
        if moves.is_empty() && before > 0 {
            self.notes.push(format!("{before} book moves, none within the limits set"));
        }
    }

    /// The best reply: the one that goes with the move before, if it can be played, else the book's.
    fn reply<P: Position>(&mut self, position: &P, expected: BookTurn) -> Option<BookMove> {
        if !position.has_legal_move() {
            return None;
        }
        let moves = self.moves(position);
        if play_turn(&mut position.clone(), expected.moves()) {
            let known = moves.into_iter().find(|m| m.turn == expected);
            return Some(known.unwrap_or(BookMove::new(expected)));
        }
        moves.first().copied()
    }

    /// The line that begins with a move and goes on as the book does.
    fn line<P: Position>(&mut self, position: &P, m: &BookMove, number: usize) -> Info {
        let mut position = position.clone();
        let mut pv = Vec::new();
        let mut next = *m;
        for _ in 0..self.settings.pv_moves.max(1) {
            if !play_turn(&mut position, next.turn.moves()) {
                break;
            }
            pv.extend_from_slice(next.turn.moves());
            if position.occurrences() > 1 || position.result().is_some() {
                break;
            }
            let Some(reply) = self.reply(&position, next.ponder) else { break };
            next = reply;
        }
        Info {
            depth: m.depth.into(),
            seldepth: m.depth.into(),
            multipv: number,
            score: m.value,
            bound: Bound::Exact,
            nodes: 0,
            time: 0,
            hashfull: 0,
            pv,
        }
    }
}

/// One of the moves: any, or each as often as it was played.
fn choose(moves: &[BookMove], by_count: bool, dice: &mut Random) -> Option<BookMove> {
    let total: u64 = moves.iter().map(|m| u64::from(m.count)).sum();
    if !by_count || total == 0 {
        return moves.get(dice.below(moves.len().max(1))).copied();
    }
    let mut left = dice.below(total as usize) as u64;
    moves
        .iter()
        .find(|m| {
            let count = u64::from(m.count);
            let here = left < count;
            left = left.saturating_sub(count);
            here
        })
        .copied()
}
