from spack.package import *


class Gpucrypt(MakefilePackage):
    """Bulk encryption of files with AES, Camellia and SC2000 on OpenCL devices and the CPU."""

    homepage = "HOMEPAGE"
    url = "URL"

    license("ISC")

    version("0.2", sha256="SHA256")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("openssl@3:")
    depends_on("opencl-headers", type="build")
    depends_on("ocl-icd")
    depends_on("jansson")
    depends_on("libarchive")

    @property
    def build_targets(self):
        return [f"LIBARCHIVE={self.spec['libarchive'].libs[0]}"]

    def install(self, spec, prefix):
        make("install", f"PREFIX={prefix}", *self.build_targets)
