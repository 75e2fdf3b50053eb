//! Errors of devices.

use std::fmt;

/// The reason why a device cannot do its work.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The system has no OpenCL library.
    NoLibrary,
    /// The OpenCL library finds no platform, or none with a device.
    NoDevice,
    /// There is no device of this number.
    NoSuchDevice { number: usize, devices: usize },
    /// The device lacks what a kernel needs.
    Lacks { device: String, what: &'static str },
    /// The driver does not compile a kernel.
    Build { device: String, driver: String, log: String },
    /// The device does not have this much memory, or groups of this size.
    TooLarge { device: String, what: &'static str, wanted: u64, allowed: u64 },
    /// A kernel on this device gives other bits than the CPU: a fault of the driver.
    SelfTest { device: String, driver: String, kernel: &'static str },
    /// A function of OpenCL failed.
    Call { device: String, function: &'static str, code: i32 },
    /// An argument is wrong.
    Argument { name: &'static str, why: String },
    /// A function of the library failed.
    Library(hotloops::Error),
}

impl Error {
    pub(crate) fn argument(name: &'static str, why: impl Into<String>) -> Self {
        Error::Argument { name, why: why.into() }
    }

    /// Whether there is no device at all.
    pub fn is_absence(&self) -> bool {
        matches!(self, Error::NoLibrary | Error::NoDevice)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoLibrary => f.write_str(
                "no OpenCL library; install the loader (Debian: ocl-icd-libopencl1) and the device's driver",
            ),
            Error::NoDevice => f.write_str(
                "no OpenCL device: no driver in /etc/OpenCL/vendors, or where OCL_ICD_VENDORS points, finds one; \
                 install the device's driver; in a container, mount its .icd file and libraries",
            ),
            Error::NoSuchDevice { number, devices } => {
                write!(f, "no device {number}: there are {devices}, counted from 0; see `hotloops devices`")
            }
            Error::Lacks { device, what } => write!(f, "{device} lacks {what}"),
            Error::Build { device, driver, log } => {
                write!(f, "{device} (driver {driver}) does not compile a kernel: {}", log.trim())
            }
            Error::TooLarge { device, what, wanted, allowed } => {
                write!(f, "{device}: {what} of {wanted} bytes wanted, at most {allowed} allowed")
            }
            Error::SelfTest { device, driver, kernel } => write!(
                f,
                "{device} (driver {driver}) fails the self-test of `{kernel}`: its bits are not those of the CPU; \
                 update the driver"
            ),
            Error::Call { device, function, code } => {
                write!(f, "{device}: {function} failed: {}{}", opencl3::error_codes::error_text(*code), hint(*code))
            }
            Error::Argument { name, why } => write!(f, "{name}: {why}"),
            Error::Library(error) => error.fmt(f),
        }
    }
}

/// The probable cause of a status.
fn hint(code: i32) -> &'static str {
    use opencl3::error_codes::*;
    match code {
        CL_OUT_OF_RESOURCES | CL_INVALID_COMMAND_QUEUE => " (the driver's watchdog may have ended the kernel)",
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY => " (memory ran out)",
        _ => "",
    }
}

impl std::error::Error for Error {}

impl From<hotloops::Error> for Error {
    fn from(error: hotloops::Error) -> Self {
        Error::Library(error)
    }
}
