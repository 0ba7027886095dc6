//! flanking
