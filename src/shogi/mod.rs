//! shogi
