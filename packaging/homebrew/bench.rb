# bench.rb - the Homebrew formula.  scripts/release.sh fills in the checksum.
class Bench < Formula
  desc "Benchmark of databases, disks, processors and memory"
  homepage "https://bench.example/"
  url "https://bench.example/releases/bench-1.0.0.tar.xz"
  sha256 "@SHA256@"
  license "GPL-2.0-or-later"
  head do
    url "https://bench.example/bench.git", branch: "main"

    depends_on "autoconf" => :build
    depends_on "automake" => :build
    depends_on "libtool" => :build
  end

  depends_on "pkgconf" => :build
  depends_on "concurrencykit"
  depends_on "jansson"
  depends_on "libpq"
  depends_on "luajit"
  depends_on "mariadb-connector-c"
  depends_on "openssl@3"
  depends_on "sqlite"
  uses_from_macos "zlib"

  on_linux do
    depends_on "liburing"
  end

  on_macos do
    depends_on macos: :ventura
  end

  def install
    args = %w[--disable-silent-rules --without-mpi --with-mysql --with-pgsql --with-sqlite]
    args += %w[--with-liburing] if OS.linux?
    system "./autogen.sh" if build.head?
    system "./configure", *args, *std_configure_args
    system "make", "install"
    pkgshare.install "tests/packages/try.sh"
  end

  test do
    system pkgshare/"try.sh", bin/"bench"
  end
end
