//! Child processes that do not outlive us.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All children that run, so that whoever ends the program can end them.
#[derive(Debug, Default)]
pub struct Registry {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Process numbers, none of which has been waited for: they cannot have been given to others.
    live: Vec<u32>,
    closed: bool,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A list of numbers is good whoever died while holding it.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a process as the head of a group of its own, so that a wrapper script does not leave its engine behind.
    pub fn spawn(&self, mut command: Command) -> io::Result<Process<'_>> {
        isolate(&mut command);
        let mut inner = self.lock();
        if inner.closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let child = command.spawn()?;
        inner.live.push(child.id());
        Ok(Process { child, registry: self })
    }

    /// Kills all children; none can be started any more.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.live.iter().for_each(|&id| kill_group(id));
    }

    /// Whether [`Registry::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }
}

/// A running child; killed with its whole group, and waited for, when dropped.
#[derive(Debug)]
pub struct Process<'a> {
    /// The child.
    pub child: Child,
    registry: &'a Registry,
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        let id = self.child.id();
        {
            let mut inner = self.registry.lock();
            kill_group(id);
            inner.live.retain(|&other| other != id);
        }
        // Fails only if the child is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn isolate(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent_dies = || {
            // SAFETY: prctl with these arguments only sets a property of the calling process.
            let done = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
        };
        // SAFETY: between fork and exec the closure makes one system call and allocates nothing.
        unsafe { command.pre_exec(parent_dies) };
    }
}

#[cfg(not(unix))]
fn isolate(_: &mut Command) {}

/// Kills a process and all that it has started. Nothing happens if they are gone.
#[cfg(unix)]
fn kill_group(id: u32) {
    if let Ok(id) = libc::pid_t::try_from(id) {
        // SAFETY: kill touches no memory; the number belongs to a child of ours that was not waited for.
        unsafe { libc::kill(-id, libc::SIGKILL) };
    }
}

/// Without process groups [`Process`] kills its child alone.
#[cfg(not(unix))]
fn kill_group(_: u32) {}
