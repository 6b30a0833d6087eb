dnl Flags that every object of the project is built with.
AC_DEFUN([BENCH_TRY_FLAG], [
  AS_VAR_PUSHDEF([cached], [bench_cv_flag_$1])
  AC_CACHE_CHECK([whether $CC accepts $1], [cached], [
    bench_saved=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AS_VAR_SET([cached], [yes])], [AS_VAR_SET([cached], [no])])
    CFLAGS=$bench_saved
  ])
  AS_VAR_IF([cached], [yes], [BENCH_CFLAGS="$BENCH_CFLAGS $1"])
  AS_VAR_POPDEF([cached])
])

dnl Counters and times of 64 bits are atomic, and products have 128 bits.
AC_DEFUN([BENCH_64_BITS], [
  AC_CHECK_SIZEOF([void *])
  AS_IF([test "$ac_cv_sizeof_void_p" -lt 8],
    [AC_MSG_ERROR([bench needs a 64-bit system, and $CC makes programs of $((8 * ac_cv_sizeof_void_p)) bits])])
  AC_CHECK_TYPE([__int128], [],
    [AC_MSG_ERROR([$CC has no type __int128, which bench needs. gcc and clang have it on 64-bit systems])])
])

dnl src/base/os has a file for each system, and headers for those that are not Linux.
AC_DEFUN([BENCH_SYSTEM], [
  AS_CASE([$host_os],
    [linux*], [bench_system=linux],
    [darwin*], [bench_system=macos],
    [freebsd*], [bench_system=freebsd],
    [AC_MSG_ERROR([bench knows Linux, macOS and FreeBSD, and this is $host_os])])
  AS_IF([test $bench_system = linux],
    [OS_CPPFLAGS=
     AC_DEFINE([HAVE_LINUX_AIO], [1], [The kernel has native asynchronous I/O])],
    [OS_CPPFLAGS='-I$(top_srcdir)/src/base/os/include'])
  AC_SUBST([OS_CPPFLAGS])
  AM_CONDITIONAL([ON_LINUX], [test $bench_system = linux])
  AM_CONDITIONAL([ON_MACOS], [test $bench_system = macos])
  AM_CONDITIONAL([ON_FREEBSD], [test $bench_system = freebsd])
])

dnl Programs of the build run on the machine that builds.  The pages of a checkout
dnl are written by one of them, which a cross build makes in a folder of its own
dnl (tools/Makefile.inc), unless the user names one.
AC_DEFUN([BENCH_CROSS], [
  AC_ARG_VAR([GEN_DOCS], [for a cross build from a checkout: tools/gen_docs of a build for this machine (default: it is built)])
  AC_ARG_VAR([CC_FOR_BUILD], [for a cross build from a checkout: the compiler of this machine (default: cc)])
  AC_SUBST([CC_FOR_BUILD], [${CC_FOR_BUILD:-cc}])
  native_gen_docs=no
  AS_IF([test "$cross_compiling" = yes && test -z "$GEN_DOCS" && test ! -e "$srcdir/man/bench.1"],
    [AS_IF([test "`cd "$srcdir" && pwd`" = "`pwd`"],
      [AC_MSG_ERROR([a cross build from a checkout needs a folder of its own, or tools/gen_docs of a build for this machine: configure in another folder, or with GEN_DOCS=/path/to/tools/gen_docs])])
     native_gen_docs=yes])
  AM_CONDITIONAL([NATIVE_GEN_DOCS], [test $native_gen_docs = yes])
  AM_CONDITIONAL([OWN_GEN_DOCS], [test -z "$GEN_DOCS"])
])

AC_DEFUN([BENCH_COMPILER_FLAGS], [
  BENCH_CFLAGS=
  m4_foreach_w([flag], [-std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla
    -Wno-missing-field-initializers -Wno-override-init-side-effects
    -fvisibility=hidden -fno-common -pthread],
    [BENCH_TRY_FLAG(flag)])
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [turn warnings into errors])],
    [], [enable_werror=no])
  AS_IF([test "x$enable_werror" = xyes],
    [BENCH_CFLAGS="$BENCH_CFLAGS -Werror"])
  AC_SUBST([BENCH_CFLAGS])
])

dnl --enable-sanitizers=address,undefined or =thread
AC_DEFUN([BENCH_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST],
      [build with sanitizers: address,undefined or thread])],
    [], [enable_sanitizers=no])
  AS_IF([test "x$enable_sanitizers" = xyes],
    [enable_sanitizers=address,undefined])
  AS_IF([test "x$enable_sanitizers" != xno], [
    bench_san="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all"
    bench_san="$bench_san -fno-omit-frame-pointer"
    bench_saved=$CFLAGS
    CFLAGS="$CFLAGS $bench_san"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [],
      [AC_MSG_ERROR([$CC cannot link with -fsanitize=$enable_sanitizers])])
    CFLAGS=$bench_saved
    BENCH_CFLAGS="$BENCH_CFLAGS $bench_san"
    AC_DEFINE([BENCH_SANITIZED], [1], [Built with a sanitizer])
  ])
  AM_CONDITIONAL([SANITIZED], [test "x$enable_sanitizers" != xno])

  dnl Tests of protocols have the drivers under AddressSanitizer in a plain build, too.
  bench_asan=no
  AS_IF([test "x$enable_sanitizers" = xno && test "x$cross_compiling" != xyes], [
    bench_saved=$CFLAGS
    CFLAGS="$CFLAGS -fsanitize=address"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [bench_asan=yes])
    CFLAGS=$bench_saved
  ])
  AM_CONDITIONAL([ASAN_DRIVERS], [test "x$bench_asan" = xyes])
])

dnl --enable-static-program: no shared libraries, and the scripts in it.  The
dnl functions that scripts call are found in src/lua/abi/symbols.c.
AC_DEFUN([BENCH_STATIC], [
  AC_ARG_ENABLE([static-program],
    [AS_HELP_STRING([--enable-static-program],
      [make a program that needs no other file: static, with the scripts in it])],
    [], [enable_static_program=no])
  BENCH_LDFLAGS=
  AS_IF([test "x$enable_static_program" = xyes], [
    bench_saved=$LDFLAGS
    LDFLAGS="$LDFLAGS -static"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [],
      [AC_MSG_ERROR([$CC cannot link a static program])])
    LDFLAGS=$bench_saved
    BENCH_LDFLAGS='-all-static -Wl,--wrap=dlsym -Wl,--wrap=dlerror -Wl,-u,__wrap_dlsym'
    PKG_CONFIG="$PKG_CONFIG --static"
    with_mpi=no
    AC_DEFINE([STATIC_PROGRAM], [1], [Linked statically, with its scripts])
  ])
  AC_SUBST([BENCH_LDFLAGS])
  AM_CONDITIONAL([STATIC_PROGRAM], [test "x$enable_static_program" = xyes])
])

dnl What scripts call is exported by a list, or, where the linker takes none (zig's,
dnl macOS'), with all else that is not hidden.
AC_DEFUN([BENCH_EXPORTS], [
  AC_CACHE_CHECK([whether the linker takes a list of what it exports],
    [bench_cv_dynamic_list], [
    echo '{ main; };' >conftest.list
    bench_saved=$LDFLAGS
    LDFLAGS="$LDFLAGS -Wl,--dynamic-list=conftest.list"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()],
      [bench_cv_dynamic_list=yes], [bench_cv_dynamic_list=no])
    LDFLAGS=$bench_saved
    rm -f conftest.list
  ])
  AS_IF([test $bench_cv_dynamic_list = yes],
    [EXPORT_HOW=-Wl,--dynamic-list=src/lua/exports.list], [EXPORT_HOW=-rdynamic])
  AC_SUBST([EXPORT_HOW])
])

dnl --enable-fuzzing: build the fuzz targets with libFuzzer (clang only)
AC_DEFUN([BENCH_FUZZING], [
  AC_ARG_ENABLE([fuzzing],
    [AS_HELP_STRING([--enable-fuzzing],
      [build the fuzz targets (needs clang)])],
    [], [enable_fuzzing=no])
  AS_IF([test "x$enable_fuzzing" = xyes], [
    bench_saved=$CFLAGS
    CFLAGS="$CFLAGS -fsanitize=fuzzer-no-link"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [],
      [AC_MSG_ERROR([--enable-fuzzing needs clang with libFuzzer, run configure with CC=clang])])
    CFLAGS=$bench_saved
    BENCH_CFLAGS="$BENCH_CFLAGS -fsanitize=fuzzer-no-link"
  ])
  AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" = xyes])
])
