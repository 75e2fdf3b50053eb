//! The other libraries and their versions.

use crate::arguments::Arguments;
use crate::foreign::{Blas, Xsmm};

pub struct Libraries {
    pub blas: Vec<Blas>,
    pub xsmm: Option<Xsmm>,
}

impl Libraries {
    pub fn load(arguments: &Arguments) -> Self {
        let missing = |name: &str, error: &libloading::Error| eprintln!("without {name}: {error}");
        let blas = arguments.blas.iter().filter_map(|path| Blas::load(path).inspect_err(|e| missing(path, e)).ok());
        let xsmm = Xsmm::load(&arguments.xsmm).inspect_err(|e| missing(&arguments.xsmm, e)).ok();
        Libraries { blas: blas.collect(), xsmm }
    }

    pub fn print(&self) {
        for library in &self.blas {
            println!("{}: {}", library.name, library.build);
        }
        if let Some(library) = &self.xsmm {
            println!("libxsmm: kernels for {}", library.target);
        }
        for name in ["gemm", "matrixmultiply", "faer", "nano-gemm", "numkong"] {
            println!("{name}: {}", version(name));
        }
        let masks = numkong::available();
        println!("numkong: capabilities {masks:#x}");
    }

    /// The libraries with products, and their versions.
    pub fn names(&self) -> String {
        let blas = self.blas.iter().map(|library| library.name.clone());
        let crates = ["gemm", "matrixmultiply", "faer", "nano-gemm"].map(|name| format!("{name} {}", version(name)));
        let xsmm = self.xsmm.iter().map(|library| format!("libxsmm ({})", library.target));
        blas.chain(xsmm).chain(crates).collect::<Vec<_>>().join(", ")
    }
}

/// The version of a crate, from the lock file.
fn version(name: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}
