//! A device's queue of commands: programs, buffers, launches.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::size_of_val;
use std::ptr;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::event::Event;
use opencl3::kernel::Kernel as Handle;
use opencl3::memory::{Buffer as Memory, CL_MEM_READ_WRITE};
use opencl3::program::Program as Built;
use opencl3::types::CL_BLOCKING;

use crate::device::{Device, alone};
use crate::error::Error;

/// Plain data, with the same layout in OpenCL C.
///
/// # Safety
/// Any bytes are a value, and there is no padding.
pub(crate) unsafe trait Plain: Copy + Default {}
macro_rules! plain {
    ($($t:ty)*) => {
        $(
            // SAFETY: a primitive type of numbers.
            unsafe impl Plain for $t {}
        )*
    };
}
plain!(u8 u16 u32 u64 i8 f32);

/// A device with a context and a queue. Commands run one after the other.
pub struct Queue {
    device: Device,
    context: Context,
    queue: CommandQueue,
    /// The launches since the last [`kernel_seconds`](Self::kernel_seconds), of a queue that times them.
    timed: Option<RefCell<Vec<Event>>>,
}

/// The kernels of a source.
pub(crate) struct Program {
    built: Built,
}

pub(crate) struct Kernel {
    handle: Handle,
    name: &'static str,
    /// Bytes of local memory that its variables take.
    local: u64,
    /// Maximum number of items of a group.
    max_group: usize,
}

/// Memory of a device. It has at least one element, because OpenCL has no empty buffers.
pub(crate) struct Buffer<T> {
    memory: Memory<u8>,
    len: usize,
    element: PhantomData<T>,
}

/// An argument of a kernel, in the order of its declaration.
#[derive(Clone, Copy)]
pub(crate) enum Argument<'a> {
    Memory(&'a Memory<u8>),
    U32(u32),
    U64(u64),
    F32(f32),
    /// A local array of this many bytes.
    Local(usize),
}

impl<'a, T> From<&'a Buffer<T>> for Argument<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Argument::Memory(&buffer.memory)
    }
}

impl From<u32> for Argument<'_> {
    fn from(value: u32) -> Self {
        Argument::U32(value)
    }
}

impl From<u64> for Argument<'_> {
    fn from(value: u64) -> Self {
        Argument::U64(value)
    }
}

impl From<f32> for Argument<'_> {
    fn from(value: f32) -> Self {
        Argument::F32(value)
    }
}

/// The arguments of a kernel as an array.
macro_rules! arguments {
    ($($value:expr),* $(,)?) => { [$($crate::queue::Argument::from($value)),*] };
}
pub(crate) use arguments;

impl Queue {
    /// Opens a device.
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn open(device: &Device) -> Result<Queue, Error> {
        Queue::with(device, 0, None)
    }

    /// Opens a device, and times its kernels by its own clock.
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn timed(device: &Device) -> Result<Queue, Error> {
        Queue::with(device, CL_QUEUE_PROFILING_ENABLE, Some(RefCell::default()))
    }

    fn with(device: &Device, properties: u64, timed: Option<RefCell<Vec<Event>>>) -> Result<Queue, Error> {
        let _alone = alone();
        let context = Context::from_device(&device.handle).map_err(device.called("clCreateContext"))?;
        let queue =
            CommandQueue::create_default(&context, properties).map_err(device.called("clCreateCommandQueue"))?;
        Ok(Queue { device: device.clone(), context, queue, timed })
    }

    /// The seconds that kernels took since the last call, without transfers: those of a [`timed`](Self::timed) queue,
    /// else 0.
    ///
    /// # Errors
    /// Fails if the device does.
    pub fn kernel_seconds(&self) -> Result<f64, Error> {
        let Some(timed) = &self.timed else { return Ok(0.0) };
        let mut nanoseconds = 0;
        for event in timed.take() {
            let called = |function| self.device.called(function);
            event.wait().map_err(called("clWaitForEvents"))?;
            let [start, end] = [event.profiling_command_start(), event.profiling_command_end()];
            let name = "clGetEventProfilingInfo";
            nanoseconds += end.map_err(called(name))?.saturating_sub(start.map_err(called(name))?);
        }
        Ok(nanoseconds as f64 * 1e-9)
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Compiles a source. Options are those of OpenCL's compiler.
    pub(crate) fn program(&self, source: &str, options: &str) -> Result<Program, Error> {
        let _alone = alone();
        let options = format!("-cl-std=CL1.2 {options}");
        let built = Built::create_and_build_from_source(&self.context, source, &options).map_err(|log| {
            Error::Build { device: self.device.name.clone(), driver: self.device.driver.clone(), log }
        })?;
        Ok(Program { built })
    }

    pub(crate) fn kernel(&self, program: &Program, name: &'static str) -> Result<Kernel, Error> {
        let called = |function| self.device.called(function);
        let id = self.device.handle.id();
        let handle = Handle::create(&program.built, name).map_err(called("clCreateKernel"))?;
        let local = handle.get_local_mem_size(id).map_err(called("clGetKernelWorkGroupInfo"))?;
        let max_group = handle.get_work_group_size(id).map_err(called("clGetKernelWorkGroupInfo"))?;
        Ok(Kernel { handle, name, local, max_group })
    }

    /// Memory whose contents are undefined.
    pub(crate) fn buffer<T: Plain>(&self, len: usize) -> Result<Buffer<T>, Error> {
        let bytes = (len.max(1) as u64).saturating_mul(size_of::<T>() as u64);
        if bytes > self.device.max_buffer {
            return Err(self.device.too_large("a buffer", bytes, self.device.max_buffer));
        }
        // SAFETY: without a pointer to host memory, OpenCL allocates.
        let memory = unsafe { Memory::create(&self.context, CL_MEM_READ_WRITE, bytes as usize, ptr::null_mut()) }
            .map_err(self.device.called("clCreateBuffer"))?;
        Ok(Buffer { memory, len, element: PhantomData })
    }

    /// Memory with these contents.
    pub(crate) fn upload<T: Plain>(&self, data: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = self.buffer(data.len())?;
        self.write(&mut buffer, 0, data)?;
        Ok(buffer)
    }

    /// Memory of zeros.
    pub(crate) fn zeros<T: Plain>(&self, len: usize) -> Result<Buffer<T>, Error> {
        self.upload(&vec![T::default(); len])
    }

    /// Overwrites the elements from `first` on.
    ///
    /// # Panics
    /// Panics if the buffer ends before the data.
    pub(crate) fn write<T: Plain>(&self, buffer: &mut Buffer<T>, first: usize, data: &[T]) -> Result<(), Error> {
        assert!(first + data.len() <= buffer.len, "a buffer that is too short");
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: `Plain` data has no padding; the bounds are checked above; the call waits for the copy.
        unsafe {
            let bytes = std::slice::from_raw_parts(data.as_ptr().cast::<u8>(), size_of_val(data));
            self.queue
                .enqueue_write_buffer(&mut buffer.memory, CL_BLOCKING, first * size_of::<T>(), bytes, &[])
                .map_err(self.device.called("clEnqueueWriteBuffer"))?;
        }
        Ok(())
    }

    /// Copies the elements from `first` on, after all commands so far.
    ///
    /// # Panics
    /// Panics if the buffer ends before `data`.
    pub(crate) fn read<T: Plain>(&self, buffer: &Buffer<T>, first: usize, data: &mut [T]) -> Result<(), Error> {
        assert!(first + data.len() <= buffer.len, "a buffer that is too short");
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: any bytes are a `Plain` value; the bounds are checked above; the call waits for the copy.
        unsafe {
            let bytes = std::slice::from_raw_parts_mut(data.as_mut_ptr().cast::<u8>(), size_of_val(data));
            self.queue
                .enqueue_read_buffer(&buffer.memory, CL_BLOCKING, first * size_of::<T>(), bytes, &[])
                .map_err(self.device.called("clEnqueueReadBuffer"))?;
        }
        Ok(())
    }

    /// The whole contents, after all commands so far.
    pub(crate) fn download<T: Plain>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, Error> {
        let mut data = vec![T::default(); buffer.len];
        self.read(buffer, 0, &mut data)?;
        Ok(data)
    }

    /// Enqueues a kernel for `groups` groups of `items` items, in one or two dimensions. Without groups, does
    /// nothing.
    ///
    /// # Safety
    /// With these arguments the kernel stays within its buffers and ends.
    pub(crate) unsafe fn launch(
        &self,
        kernel: &Kernel,
        groups: &[usize],
        items: &[usize],
        arguments: &[Argument],
    ) -> Result<(), Error> {
        if groups.contains(&0) {
            return Ok(());
        }
        self.fits(kernel, items, arguments)?;
        let global: Vec<usize> = groups.iter().zip(items).map(|(groups, items)| groups * items).collect();
        let handle = &kernel.handle;
        // SAFETY: the caller passes arguments of the kernel's types, and buffers that are long enough.
        unsafe {
            for (index, argument) in (0..).zip(arguments) {
                match argument {
                    Argument::Memory(memory) => handle.set_arg(index, *memory),
                    Argument::U32(value) => handle.set_arg(index, value),
                    Argument::U64(value) => handle.set_arg(index, value),
                    Argument::F32(value) => handle.set_arg(index, value),
                    Argument::Local(bytes) => handle.set_arg_local_buffer(index, *bytes),
                }
                .map_err(self.device.called("clSetKernelArg"))?;
            }
            let event = self
                .queue
                .enqueue_nd_range_kernel(
                    handle.get(),
                    global.len() as u32,
                    ptr::null(),
                    global.as_ptr(),
                    items.as_ptr(),
                    &[],
                )
                .map_err(self.device.called(kernel.name))?;
            if let Some(timed) = &self.timed {
                timed.borrow_mut().push(event);
            }
        }
        Ok(())
    }

    /// Waits for all commands so far.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        self.queue.finish().map_err(self.device.called("clFinish"))
    }

    /// Refuses a launch that the device has no room for. (PoCL ends the process instead.)
    fn fits(&self, kernel: &Kernel, items: &[usize], arguments: &[Argument]) -> Result<(), Error> {
        let dynamic: usize = arguments.iter().map(|a| if let Argument::Local(bytes) = a { *bytes } else { 0 }).sum();
        let (local, allowed) = (kernel.local + dynamic as u64, self.device.local_memory);
        if local > allowed {
            return Err(self.device.too_large("local memory", local, allowed));
        }
        let (items, allowed) = (items.iter().product::<usize>(), kernel.max_group.min(self.device.max_group));
        if items > allowed {
            return Err(self.device.too_large("a work-group", items as u64, allowed as u64));
        }
        Ok(())
    }
}

impl<T> Buffer<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
