//! Files that do not outlive the process: drafts of output files, and their locks. The end of the process
//! removes them, whatever its reason, except a kill. The next run of the same command removes those of a
//! killed one.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The files. More of them than there is room for are not removed by [`remove_all`]. The room is static, so
/// that no allocation can fail while the lock is held.
static FILES: Mutex<[Option<CString>; 64]> = Mutex::new([const { None }; 64]);

fn files() -> MutexGuard<'static, [Option<CString>; 64]> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn named(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_encoded_bytes())?)
}

/// Creates a file by `create`, which is to be removed at the end. [`remove_all`] waits meanwhile.
pub fn create(path: &Path, create: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
    let name = named(path)?;
    let mut files = files();
    let file = create()?;
    if let Some(free) = files.iter_mut().find(|file| file.is_none()) {
        *free = Some(name);
    }
    Ok(file)
}

/// To be called when a file has been renamed or removed.
pub fn forget(path: &Path) {
    let Ok(name) = named(path) else { return };
    let found = files().iter_mut().find(|file| file.as_ref() == Some(&name)).map(mem::take);
    drop(found);
}

/// Removes all files. Nothing here allocates. No thread can create another file afterwards.
pub fn remove_all() {
    // The thread itself may hold the lock, so it waits for a limited time.
    let files = (0..100).find_map(|_| {
        let files = FILES.try_lock();
        if files.is_err() {
            thread::sleep(Duration::from_millis(1));
        }
        files.ok()
    });
    if let Some(files) = files {
        for name in files.iter().flatten() {
            // SAFETY: a string that ends in zero.
            unsafe { libc::unlink(name.as_ptr()) };
        }
        mem::forget(files);
    }
}
