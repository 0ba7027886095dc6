//! Where lines go: one writer for all threads.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The engine's side of the conversation. Clones write to the same place, one line at a time, ASCII only.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Inner>>);

struct Inner {
    sink: Box<dyn Write + Send>,
    log: Option<File>,
    written: u64,
}

/// A line and its place among all lines, so that it can be told whether it is still the last one.
#[derive(Clone, Debug)]
pub struct Written {
    text: String,
    number: u64,
}

impl Output {
    /// Lines go to `sink`.
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Inner { sink: Box::new(sink), log: None, written: 0 })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one line, or several that must stay together.
    pub fn line(&self, text: impl Display) -> Written {
        let text = text.to_string();
        let mut inner = self.lock();
        inner.write(&text);
        Written { text, number: inner.written }
    }

    /// Tells people something.
    pub fn info(&self, text: impl Display) {
        self.line(format_args!("info string {text}"));
    }

    /// Tells people what went wrong. Runners take a line that begins with `error` for a crash.
    pub fn error(&self, text: impl Display) {
        self.line(format_args!("info string error: {text}"));
    }

    /// Writes the line that ends a `go`. Clients read the score from the line before, so `last` is repeated if
    /// something else was said since.
    pub fn finish(&self, last: Option<&Written>, closing: &str) {
        let mut inner = self.lock();
        if let Some(last) = last.filter(|last| last.number != inner.written) {
            inner.write(&last.text);
        }
        inner.write(closing);
    }

    /// Copies the conversation to a file from now on; an empty path ends that.
    pub fn set_log(&self, path: &str) -> io::Result<()> {
        let log = if path.is_empty() { None } else { Some(OpenOptions::new().create(true).append(true).open(path)?) };
        self.lock().log = log;
        Ok(())
    }

    /// Notes what the client said in the log.
    pub fn log_input(&self, line: &str) {
        if let Some(log) = &mut self.lock().log {
            // A full disk must not end a game.
            let _ = writeln!(log, "> {line}");
        }
    }
}

impl Inner {
    fn write(&mut self, text: &str) {
        for line in text.lines() {
            let mut ascii: String =
                line.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).collect();
            if let Some(log) = &mut self.log {
                let _ = writeln!(log, "< {ascii}");
            }
            ascii.push('\n');
            // A client that has closed its end is told by the end of our input; there is nobody to complain to.
            let _ = self.sink.write_all(ascii.as_bytes()).and_then(|()| self.sink.flush());
            self.written += 1;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A sink that can be read.
    #[derive(Clone, Default)]
    pub struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Buffer {
        /// What was written since the last call.
        pub fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }
    }

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn ascii_only_and_the_last_line_is_repeated() {
        let buffer = Buffer::default();
        let output = Output::new(buffer.clone());
        let last = output.line("info depth 1");
        output.finish(Some(&last), "bestmove 7g7f");
        assert_eq!(buffer.take(), "info depth 1\nbestmove 7g7f\n");
        let last = output.line("info depth 1");
        output.error("no option \u{e9}\r");
        output.finish(Some(&last), "bestmove 7g7f");
        assert_eq!(buffer.take(), "info depth 1\ninfo string error: no option ??\ninfo depth 1\nbestmove 7g7f\n");
    }
}
