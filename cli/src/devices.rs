//! `hotloops devices`.

use std::path::PathBuf;

use hotloops_gpu::{Device, Error, Form as DeviceForm, Queue, selftest};
use serde::Serialize;

use crate::failure::{Failure, say};
use crate::form::Form;
use crate::output::{self, NewFile};

/// List the OpenCL devices that `--device` can name, and test them
///
/// Compares the results of all kernels on each device with those of this CPU. A device that fails is
/// refused by `--device`, with the version of its driver.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops devices --format json")]
pub struct Arguments {
    /// Form of the output. JSON is an array of {"number", "name", "platform", "driver", "form", "units", "memory",
    /// "local_memory", "max_buffer", "exact_f32", "test"}
    #[arg(long, value_enum, default_value_t)]
    format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Row {
    number: usize,
    name: String,
    platform: String,
    driver: String,
    form: &'static str,
    units: u32,
    /// In bytes, as the next two.
    memory: u64,
    local_memory: u64,
    max_buffer: u64,
    exact_f32: bool,
    /// `passed`, or why not.
    test: String,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = NewFile::or_standard_output("--out", arguments.out.as_deref())?;
    let devices = match Device::all() {
        Ok(devices) => devices,
        Err(error @ (Error::NoLibrary | Error::NoDevice)) => {
            say(format_args!("hotloops: {error}"));
            Vec::new()
        }
        Err(error) => return Err(Failure::Job(error.to_string())),
    };
    let rows: Vec<Row> = devices.iter().map(row).collect();
    if arguments.format == Form::Json {
        return out.write((serde_json::to_string_pretty(&rows).expect("plain data") + "\n").as_bytes());
    }
    let mut table = output::table(&["number", "name", "driver", "form", "units", "memory", "exact f32", "self-test"]);
    for row in rows {
        let memory = format!("{:.1} GiB", row.memory as f64 / (1_u64 << 30) as f64);
        let exact = if row.exact_f32 { "yes" } else { "" };
        table.add_row([
            &row.number.to_string(),
            &row.name,
            &row.driver,
            row.form,
            &row.units.to_string(),
            &memory,
            exact,
            &row.test,
        ]);
    }
    out.write(format!("{table}\n").as_bytes())
}

fn row(device: &Device) -> Row {
    let tested = Queue::open(device).and_then(|queue| selftest::check(&queue));
    Row {
        number: device.number,
        name: device.name.clone(),
        platform: device.platform.clone(),
        driver: device.driver.clone(),
        form: match device.form {
            DeviceForm::Gpu => "GPU",
            DeviceForm::Cpu => "CPU",
            DeviceForm::Other => "other",
        },
        units: device.units,
        memory: device.memory,
        local_memory: device.local_memory,
        max_buffer: device.max_buffer,
        exact_f32: device.has_exact_f32,
        test: tested.map_or_else(|error| error.to_string(), |()| "passed".to_owned()),
    }
}
