//! What the sources declare, read as text: a tree that does not build is read too.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use crate::assembly;

pub struct Tree {
    pub root: PathBuf,
}

/// A kernel, by its `kernel!`.
pub struct Kernel {
    pub symbol: String,
    /// Names and types.
    pub arguments: Vec<(String, String)>,
    /// `avx2_assembly`, best first.
    pub rows: Vec<String>,
    /// For each row, the fact of a CPU for which a call skips it.
    pub facts: Vec<Option<String>>,
}

/// `family/kernel/isa_form`.
pub struct Variant {
    pub family: String,
    pub name: String,
    pub isa: String,
    pub form: String,
    pub kernel: Kernel,
}

impl Tree {
    pub fn read(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.root.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    /// The text of each `kernels.rs` in a folder and those below it.
    fn declarations(&self, path: &str) -> Result<String, String> {
        let own = format!("{path}/kernels.rs");
        let mut text = if self.root.join(&own).is_file() { self.read(&own)? } else { String::new() };
        let entries = fs::read_dir(self.root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
            text += &self.declarations(&format!("{path}/{}", entry.file_name().display()))?;
        }
        Ok(text)
    }

    /// The families and their kernels, from `for_each_kernel!`.
    pub fn families(&self) -> Result<Vec<(String, Vec<String>)>, String> {
        let text = self.read("src/lib.rs")?;
        let list = text.split_once("$callback! {\n").and_then(|(_, rest)| rest.split_once("\n        }\n"));
        let (list, _) = list.ok_or("src/lib.rs: the list in for_each_kernel! is not found")?;
        let families = list.split('}').filter_map(|family| family.split_once('{')).map(|(family, kernels)| {
            let kernels = kernels.split(',').map(|kernel| kernel.trim().to_owned()).collect();
            (family.trim().to_owned(), kernels)
        });
        Ok(families.collect())
    }

    /// The kernels of a family.
    pub fn family(&self, name: &str) -> Result<Vec<String>, String> {
        let families = self.families()?;
        let found = families.iter().find(|(family, _)| family == name);
        found.map(|(_, kernels)| kernels.clone()).ok_or_else(|| {
            let names: Vec<_> = families.iter().map(|(family, _)| family.as_str()).collect();
            format!("no family is called `{name}`; there are {}", names.join(" "))
        })
    }

    fn kernel(&self, family: &str, name: &str) -> Result<Kernel, String> {
        let path = format!("src/{family}");
        let text = self.declarations(&path)?;
        let code: String =
            text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
        let head = format!("unsafe fn {name}(");
        let declaration = code.split("kernel! {").skip(1).find(|declaration| declaration.contains(&head));
        let parts = || {
            let (symbol, rest) = declaration?.trim_start().strip_prefix('"')?.split_once('"')?;
            let (signature, rest) = rest.split_once(&head)?.1.split_once(';')?;
            let arguments = signature.rsplit_once(')')?.0.split(',').filter_map(|argument| {
                let (name, kind) = argument.split_once(':')?;
                Some((name.trim().to_owned(), kind.trim().to_owned()))
            });
            let rows = assembly::rows_and_facts(rest.split('}').next()?).into_iter();
            let (rows, facts) = rows.map(|(row, fact)| (row.replace(' ', "_"), fact)).unzip();
            Some(Kernel { symbol: symbol.to_owned(), arguments: arguments.collect(), rows, facts })
        };
        parts().ok_or_else(|| format!("{path}: the declaration of {name} is not found"))
    }

    /// The rows of a kernel, best first, each with the fact of a CPU for which a call skips it.
    pub fn rows(&self, family: &str, name: &str) -> Result<Vec<(String, Option<String>)>, String> {
        let kernel = self.kernel(family, name)?;
        Ok(kernel.rows.into_iter().zip(kernel.facts).collect())
    }

    /// The instruction sets that `isa` includes, from src/frame/level.rs.
    pub fn included(&self, isa: &str) -> Result<Vec<String>, String> {
        let text = self.read("src/frame/level.rs")?;
        let list = text.split_once(&format!("\n    {isa} [")).and_then(|(_, rest)| rest.split_once(']'));
        let (list, _) = list.ok_or_else(|| format!("src/frame/level.rs: `{isa}` is not found"))?;
        Ok(list.split_whitespace().map(str::to_owned).collect())
    }

    /// The variant of this name.
    pub fn variant(&self, text: &str) -> Result<Variant, String> {
        let parts: Vec<_> = text.split('/').collect();
        let &[family, name, row] = &parts[..] else {
            return Err(format!("`{text}` is no variant: FAMILY/KERNEL/ISA_FORM, as reduce/sum_f32/avx2_assembly"));
        };
        let kernels = self.family(family)?;
        if !kernels.iter().any(|kernel| kernel == name) {
            return Err(format!("no kernel of `{family}` is called `{name}`; there are {}", kernels.join(" ")));
        }
        let kernel = self.kernel(family, name)?;
        if !kernel.rows.iter().any(|known| known == row) {
            return Err(format!("{family}/{name} has no variant `{row}`; there are {}", kernel.rows.join(" ")));
        }
        let (isa, form) = row.split_once('_').ok_or_else(|| format!("`{row}` is not ISA_FORM"))?;
        let [family, name, isa, form] = [family, name, isa, form].map(str::to_owned);
        Ok(Variant { family, name, isa, form, kernel })
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}/{}_{}", self.family, self.name, self.isa, self.form)
    }
}

impl Variant {
    pub fn is_assembly(&self) -> bool {
        self.form == "assembly"
    }

    /// The symbol of an assembly function; of a Rust function, what its mangled name contains.
    pub fn symbol(&self) -> String {
        let Variant { family, name, isa, kernel, .. } = self;
        if self.is_assembly() {
            return format!("{}_{isa}", kernel.symbol);
        }
        let words = ["hotloops", family, isa, name];
        words.map(|word| format!("{}{word}", word.len())).concat()
    }
}
