//! usi
