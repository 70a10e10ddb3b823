class Gpucrypt < Formula
  desc "Bulk encryption of files on OpenCL devices and the CPU"
  homepage "HOMEPAGE"
  url "URL"
  sha256 "SHA256"
  version "0.2"
  license "ISC"

  depends_on "opencl-headers" => :build
  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libarchive"
  depends_on :linux
  depends_on "opencl-icd-loader"
  depends_on "openssl@3"

  def install
    system "make", "install", "PREFIX=#{prefix}",
           "LIBARCHIVE=#{Formula["libarchive"].opt_lib/shared_library("libarchive")}"
  end

  test do
    system bin/"gcrypt", "selftest"
  end
end
