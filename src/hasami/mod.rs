//! hasami
