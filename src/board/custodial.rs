//! Capture by trapping (flanking shogi and hasami).
