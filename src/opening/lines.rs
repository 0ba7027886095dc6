//! Lines of a file that may be anything.

use std::io::{self, BufRead};

/// Longer lines are none of a book; the rest of them is not even kept.
const LONGEST: usize = 4096;

/// Reads lines one by one into the same buffer.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: u64,
    next: u64,
}

/// A line without what ends it.
pub struct Line<'a> {
    /// White space around it is cut off.
    pub text: std::borrow::Cow<'a, str>,
    /// From 1.
    pub number: u64,
    /// Where it begins in the file.
    pub offset: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of a reader that stands at `offset` in its file.
    pub fn new(reader: R, offset: u64) -> Self {
        Self { reader, buffer: Vec::new(), number: 0, next: offset }
    }

    /// The next line, `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let offset = self.next;
        loop {
            let bytes = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(bytes.len(), |end| end + 1);
            let part = bytes.get(..end.unwrap_or(used)).unwrap_or_default();
            let room = LONGEST.saturating_sub(self.buffer.len()).min(part.len());
            self.buffer.extend_from_slice(part.get(..room).unwrap_or_default());
            self.reader.consume(used);
            self.next += used as u64;
            if end.is_some() || used == 0 {
                break;
            }
        }
        if self.next == offset {
            return Ok(None);
        }
        self.number += 1;
        let text = match String::from_utf8_lossy(&self.buffer) {
            std::borrow::Cow::Borrowed(text) => trim(text).into(),
            std::borrow::Cow::Owned(text) => trim(&text).to_owned().into(),
        };
        Ok(Some(Line { text, number: self.number, offset }))
    }
}

/// Some editors put a byte order mark before the first line.
fn trim(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}
