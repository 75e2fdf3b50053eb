//! Messages that a rank waits for: it probes and sleeps meanwhile.

use super::link::Link;
use super::wait::Wait;

/// Waits for a message.
pub(super) fn wait_for(link: &Link, tag: i32) -> (usize, Vec<u8>) {
    let mut wait = Wait::new();
    loop {
        match link.receive(tag) {
            Some(message) => return message,
            None => wait.sleep(),
        }
    }
}

/// Sends messages and sleeps until they are on their way.
pub(super) fn send(link: &Link, messages: &[(usize, &[u8])], tag: i32) {
    let mut wait = Wait::new();
    link.send(messages, tag, &mut || wait.sleep());
}
