{ lib, stdenv, fetchurl, pkg-config, openssl, ocl-icd, opencl-headers, jansson, libarchive }:

stdenv.mkDerivation rec {
  pname = "gpucrypt";
  version = "0.2";

  src = fetchurl {
    url = "URL";
    sha256 = "SHA256";
  };

  nativeBuildInputs = [ pkg-config ];
  buildInputs = [ openssl ocl-icd opencl-headers jansson libarchive ];
  makeFlags = [ "PREFIX=$(out)" "LIBARCHIVE=${lib.getLib libarchive}/lib/libarchive.so" ];
  enableParallelBuilding = true;

  meta = {
    homepage = "HOMEPAGE";
    description = "Bulk encryption of files on OpenCL devices and the CPU";
    license = lib.licenses.isc;
    mainProgram = "gcrypt";
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
