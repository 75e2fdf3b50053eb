//! The environment variable `HOTLOOPS_ISA`.

use core::ffi::CStr;

use crate::frame::isa::detected;
use crate::frame::level::Isa;

/// The cap in `HOTLOOPS_ISA`, unless it is unset or the process is privileged. An invalid value
/// ends the process.
pub(crate) fn requested() -> Option<Isa> {
    if is_privileged() {
        return None;
    }
    // SAFETY: the name is a C string; the result is null or a C string that nobody frees.
    let word = unsafe {
        let value = libc::getenv(c"HOTLOOPS_ISA".as_ptr());
        if value.is_null() {
            return None;
        }
        CStr::from_ptr(value).to_bytes()
    };
    match Isa::from_word(word) {
        Ok(isa) if detected(isa) => Some(isa),
        Ok(_) => refuse(word, "is not supported by this CPU"),
        Err(_) => refuse(word, "is not the name of an instruction set"),
    }
}

/// Whether the process has more rights than the user who set its environment (setuid, setgid, file
/// capabilities), according to the operating system.
fn is_privileged() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: no precondition.
    let privileged = unsafe { libc::getauxval(libc::AT_SECURE) != 0 };
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let privileged = false;
    privileged
}

fn refuse(word: &[u8], why: &str) -> ! {
    let say = |text: &[u8]| {
        // SAFETY: the pointer and the length belong to one slice. A failed write is ignored.
        let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len() as _) };
    };
    say(b"hotloops: HOTLOOPS_ISA=");
    say(word);
    say(b" ");
    say(why.as_bytes());
    say(b"; valid here:");
    for isa in Isa::ALL.iter().filter(|&&isa| detected(isa)) {
        say(b" ");
        say(isa.word().as_bytes());
    }
    say(b"\n");
    // SAFETY: no precondition.
    unsafe { libc::abort() }
}
