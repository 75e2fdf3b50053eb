//! The files that the job writes, on rank 0.

use std::path::Path;

use super::arguments::Arguments;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::output::NewFile;

/// The output files by their options; `None` on other ranks.
pub struct Outputs {
    pub table: Option<NewFile>,
    pub svg: Option<NewFile>,
    pub psi: Option<NewFile>,
    pub psi_svg: Option<NewFile>,
    pub covariance: Option<NewFile>,
}

impl Outputs {
    /// Creates the files, so that unusable paths are reported before the work.
    pub fn create(a: &Arguments, cluster: &Cluster) -> Result<Self, Failure> {
        let options = [
            ("--out", &a.out),
            ("--svg", &a.svg),
            ("--psi", &a.psi),
            ("--psi-svg", &a.psi_svg),
            ("--covariance", &a.covariance),
        ];
        // Without --out, the table is on standard output.
        let out = a.out.as_deref().unwrap_or(Path::new("-"));
        let [table, svg, psi, psi_svg, covariance] = options.map(|(option, path)| {
            let path = if option == "--out" { Some(out) } else { path.as_deref() };
            path.filter(|_| cluster.leads()).map(|path| NewFile::create(option, path)).transpose()
        });
        let (table, svg, psi, psi_svg, covariance) = (table?, svg?, psi?, psi_svg?, covariance?);
        let written = [
            ("--out", &table),
            ("--svg", &svg),
            ("--psi", &psi),
            ("--psi-svg", &psi_svg),
            ("--covariance", &covariance),
        ];
        for (option, file) in written {
            let Some(file) = file else { continue };
            let mask = a.mask.as_deref().map(|path| ("--mask", path));
            file.check_inputs(option, [("POINTS", a.points.as_path())].into_iter().chain(mask))?;
        }
        Ok(Outputs { table, svg, psi, psi_svg, covariance })
    }
}
