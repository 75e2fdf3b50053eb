//! The devices of this machine and their facts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use opencl3::device::{
    CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, CL_FP_DENORM,
    CL_FP_ROUND_TO_NEAREST, Device as Handle,
};
use opencl3::platform::get_platforms;

use crate::error::Error;

/// The kind of hardware behind a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Gpu,
    /// A CPU, by a compiler such as PoCL.
    Cpu,
    Other,
}

/// An OpenCL device. Devices are numbered in the order of platforms, then of their devices.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) handle: Handle,
    /// Its number, from 0.
    pub number: usize,
    pub platform: String,
    pub name: String,
    pub vendor: String,
    /// The driver's version.
    pub driver: String,
    pub form: Form,
    /// Compute units.
    pub units: u32,
    /// Bytes of global memory.
    pub memory: u64,
    /// Maximum number of bytes of a buffer.
    pub max_buffer: u64,
    /// Bytes of local memory of a work-group.
    pub local_memory: u64,
    /// Maximum number of items of a work-group.
    pub max_group: usize,
    /// Whether sums and products of f32 have the CPU's bits: rounds to nearest, keeps subnormal numbers.
    pub has_exact_products: bool,
    /// Whether f32 has the CPU's bits: rounds to nearest, keeps subnormal numbers, divides correctly rounded.
    pub has_exact_f32: bool,
}

impl Device {
    /// All devices with an OpenCL C compiler and little-endian memory.
    ///
    /// # Errors
    /// Fails without an OpenCL library, and if there is no device.
    pub fn all() -> Result<Vec<Device>, Error> {
        if !cl3::is_opencl_runtime_available() {
            return Err(Error::NoLibrary);
        }
        let _alone = alone();
        // The loader reports the absence of platforms as an error.
        let platforms = get_platforms().unwrap_or_default();
        let mut devices = Vec::new();
        for platform in platforms {
            let name = platform.name().unwrap_or_default();
            for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
                if let Ok(Some(device)) = Device::read(Handle::new(id), devices.len(), &name) {
                    devices.push(device);
                }
            }
        }
        if devices.is_empty() { Err(Error::NoDevice) } else { Ok(devices) }
    }

    /// The device of this number.
    ///
    /// # Errors
    /// Fails as [`all`](Self::all) does, and if there is no such device.
    pub fn numbered(number: usize) -> Result<Device, Error> {
        let mut devices = Device::all()?;
        let count = devices.len();
        if number < count {
            Ok(devices.swap_remove(number))
        } else {
            Err(Error::NoSuchDevice { number, devices: count })
        }
    }

    fn read(handle: Handle, number: usize, platform: &str) -> opencl3::Result<Option<Device>> {
        if !(handle.available()? && handle.compiler_available()? && handle.endian_little()?) {
            return Ok(None);
        }
        let kind = handle.dev_type()?;
        let floats = handle.single_fp_config()?;
        let products = CL_FP_ROUND_TO_NEAREST | CL_FP_DENORM;
        let exact = products | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
        Ok(Some(Device {
            number,
            platform: platform.into(),
            name: handle.name()?.trim().into(),
            vendor: handle.vendor()?.trim().into(),
            driver: handle.driver_version()?,
            form: match kind {
                _ if kind & CL_DEVICE_TYPE_GPU != 0 => Form::Gpu,
                _ if kind & CL_DEVICE_TYPE_CPU != 0 => Form::Cpu,
                _ => Form::Other,
            },
            units: handle.max_compute_units()?,
            memory: handle.global_mem_size()?,
            max_buffer: handle.max_mem_alloc_size()?,
            local_memory: handle.local_mem_size()?,
            max_group: handle.max_work_group_size()?,
            has_exact_products: floats & products == products,
            has_exact_f32: floats & exact == exact,
            handle,
        }))
    }

    pub(crate) fn called(&self, function: &'static str) -> impl FnOnce(opencl3::error_codes::ClError) -> Error {
        let device = self.name.clone();
        move |error| Error::Call { device, function, code: error.0 }
    }

    pub(crate) fn too_large(&self, what: &'static str, wanted: u64, allowed: u64) -> Error {
        Error::TooLarge { device: self.name.clone(), what, wanted, allowed }
    }
}

/// Keeps other threads from listing and opening devices and from compiling: PoCL 3.1 crashes where two threads begin
/// to use it.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static BEGINNING: Mutex<()> = Mutex::new(());
    BEGINNING.lock().unwrap_or_else(PoisonError::into_inner)
}
