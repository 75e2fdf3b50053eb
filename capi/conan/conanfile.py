"""Conan 2 recipe of the C library: conan create capi/conan [-o hotloops/*:shared=True]

Builds the checkout that it is in, with the cargo, make and C compiler of the machine. Its targets for CMake are
hotloops::hotloops, and hotloops::blas with routines of BLAS.
"""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, load, rm, rmdir
from conan.tools.layout import basic_layout


class Hotloops(ConanFile):
    name = "hotloops"
    description = "Kernels with the same bits on every CPU, at the speed of each one"
    license = "MIT OR Apache-2.0"
    topics = ("simd", "ising", "gemm", "clifford-algebra", "fingerprints", "table-makers-dilemma")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    @property
    def repository(self):
        return pathlib.Path(self.recipe_folder).parents[1]

    def set_version(self):
        manifest = load(self, self.repository / "Cargo.toml")
        self.version = re.search(r'^version = "(.+)"', manifest, re.MULTILINE)[1]

    def export_sources(self):
        # Cargo reads the manifests of the whole workspace.
        for path in self.repository.iterdir():
            if path.name != "target" and not path.name.startswith("."):
                pattern = f"{path.name}/*" if path.is_dir() else path.name
                copy(self, pattern, self.repository, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def configure(self):
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def validate(self):
        if self.settings.os not in ["Linux", "FreeBSD"]:
            raise ConanInvalidConfiguration("the makefile of the C library needs a system with ELF objects")

    def make(self, target):
        variables = f'CARGO_TARGET_DIR="{self.build_folder}" CARGO_FLAGS=--locked'
        self.run(f'make -C "{self.source_folder}/capi" {target} {variables}')

    def build(self):
        self.make("all")

    def package(self):
        self.make(f'install PREFIX="{self.package_folder}"')
        lib = pathlib.Path(self.package_folder, "lib")
        rm(self, "*.a" if self.options.shared else "*.so*", lib)
        # Conan writes its own.
        for folder in ["cmake", "pkgconfig"]:
            rmdir(self, lib / folder)
        copy(self, "LICENSE-*", self.source_folder, pathlib.Path(self.package_folder, "licenses"))

    def package_info(self):
        for name, library in [("hotloops", "hotloops"), ("blas", "hotloops_blas"), ("blas64", "hotloops_blas64")]:
            component = self.cpp_info.components[name]
            component.libs = [library]
            if name == "blas64":
                component.defines = ["HOTLOOPS_CBLAS_ILP64"]
            if not self.options.shared:
                # A program then holds only the functions of the archive that it uses.
                component.exelinkflags = ["-Wl,--gc-sections"]
                component.sharedlinkflags = ["-Wl,--gc-sections"]
            component.set_property("cmake_target_name", f"hotloops::{name}")
            component.set_property("pkg_config_name", library)
