dnl How libraries are found, and what is said when one is missing.

dnl BENCH_NEED(VAR, PKG-CONFIG NAME, DEBIAN PACKAGE, FEDORA PACKAGE)
AC_DEFUN([BENCH_NEED], [
  PKG_CHECK_MODULES([$1], [$2], [], [
    AC_MSG_ERROR([$2 was not found. Install the package $3 (Debian, Ubuntu) or $4 (Fedora), or see third_party/README.md])
  ])
])

dnl BENCH_OPTIONAL(SWITCH, VAR, PKG-CONFIG NAME, DEBIAN, FEDORA, [HEADER], [DECLARATION])
dnl Without a switch the library is used when it is there; --with-SWITCH makes
dnl its absence an error.  One whose header lacks the declaration is too old.
AC_DEFUN([BENCH_OPTIONAL], [
  AC_ARG_WITH([$1],
    [AS_HELP_STRING([--without-$1], [build without $1])],
    [], [with_$1=check])
  AS_IF([test "x$with_$1" != xno], [
    bench_lacks='was not found'
    PKG_CHECK_MODULES([$2], [$3], [have_$1=yes], [have_$1=no])
    m4_ifval([$6], [AS_IF([test $have_$1 = yes], [
      bench_saved=$CFLAGS
      CFLAGS="$CFLAGS $$2_CFLAGS"
      AC_CHECK_DECL([$7], [],
        [have_$1=no; $2_LIBS=; bench_lacks='is too old (it has no $7)'], [[#include <$6>]])
      CFLAGS=$bench_saved
    ])])
    AS_IF([test "$have_$1,$with_$1" = no,yes],
      [AC_MSG_ERROR([$3 $bench_lacks. Install the package $4 (Debian, Ubuntu) or $5 (Fedora), or configure --without-$1])])
    AS_IF([test "$have_$1,$with_$1" = no,check],
      [AC_MSG_WARN([$3 $bench_lacks, building without it. The package is $4 (Debian, Ubuntu) or $5 (Fedora)])])
  ], [have_$1=no])
  AS_IF([test "x$have_$1" = xyes],
    [AC_DEFINE([HAVE_$2], [1], [Built with $1])])
  AM_CONDITIONAL([HAVE_$2], [test "x$have_$1" = xyes])
])

dnl MySQL's or MariaDB's client library: pkg-config, then the config scripts,
dnl then the folders that the user names.
AC_DEFUN([BENCH_MYSQL], [
  AC_ARG_WITH([mysql],
    [AS_HELP_STRING([--without-mysql], [build without the mysql driver])],
    [], [with_mysql=check])
  AC_ARG_WITH([mysql-includes],
    [AS_HELP_STRING([--with-mysql-includes=DIR], [folder with mysql.h])])
  AC_ARG_WITH([mysql-libs],
    [AS_HELP_STRING([--with-mysql-libs=DIR], [folder with the client library])])
  have_mysql=no
  AS_IF([test "x$with_mysql" != xno], [
    AS_IF([test -n "$with_mysql_includes$with_mysql_libs"], [
      MYSQL_CFLAGS="${with_mysql_includes:+-I$with_mysql_includes}"
      MYSQL_LIBS="${with_mysql_libs:+-L$with_mysql_libs}"
      bench_ldflags=$LDFLAGS
      LDFLAGS="$LDFLAGS $MYSQL_LIBS"
      AC_CHECK_LIB([mysqlclient], [mysql_init],
        [have_mysql=yes; MYSQL_LIBS="$MYSQL_LIBS -lmysqlclient"],
        [AC_CHECK_LIB([mariadb], [mysql_init],
          [have_mysql=yes; MYSQL_LIBS="$MYSQL_LIBS -lmariadb"])])
      LDFLAGS=$bench_ldflags
    ], [
      PKG_CHECK_MODULES([MYSQL], [mysqlclient], [have_mysql=yes],
        [PKG_CHECK_MODULES([MYSQL], [libmariadb], [have_mysql=yes], [:])])
    ])
    AS_IF([test $have_mysql = no], [
      AC_PATH_PROGS([MYSQL_CONFIG], [mysql_config mariadb_config])
      AS_IF([test -n "$MYSQL_CONFIG"], [
        have_mysql=yes
        MYSQL_CFLAGS=`$MYSQL_CONFIG --include`
        MYSQL_LIBS=`$MYSQL_CONFIG --libs`
      ])
    ])
    AS_IF([test "$have_mysql,$with_mysql" = no,yes],
      [AC_MSG_ERROR([no MySQL client library was found. Install the package libmariadb-dev or default-libmysqlclient-dev (Debian, Ubuntu) or mariadb-connector-c-devel (Fedora), or configure --without-mysql])])
    AS_IF([test "$have_mysql,$with_mysql" = no,check],
      [AC_MSG_WARN([no MySQL client library was found, building without the mysql driver. The package is libmariadb-dev (Debian, Ubuntu) or mariadb-connector-c-devel (Fedora)])])
  ])
  AS_IF([test $have_mysql = yes],
    [AC_DEFINE([HAVE_MYSQL], [1], [Built with mysql])])
  AC_SUBST([MYSQL_CFLAGS])
  AC_SUBST([MYSQL_LIBS])
  AM_CONDITIONAL([HAVE_MYSQL], [test $have_mysql = yes])
])

dnl An MPI library is used by one plug-in only; see src/nodes.  The compiler
dnl wrapper of the engine tells what it needs: Open MPI's and MPICH's say it in
dnl different ways.  --with-mpi=/path/to/mpicc chooses one of several.
AC_DEFUN([BENCH_MPI], [
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--with-mpi@<:@=MPICC@:>@],
      [build the plug-in for runs on several machines (default: if mpicc is found)])],
    [], [with_mpi=check])
  have_mpi=no
  MPICC=
  AS_CASE(["x$with_mpi"],
    [xno], [],
    [xyes | xcheck], [AC_PATH_PROG([MPICC], [mpicc])],
    [x*/*], [MPICC=$with_mpi],
    [AC_PATH_PROG([MPICC], [$with_mpi])])
  AS_IF([test -n "$MPICC"], [
    AS_IF([MPI_CFLAGS=`$MPICC --showme:compile 2>/dev/null`],
      [MPI_LIBS=`$MPICC --showme:link 2>/dev/null`],
      [MPI_CFLAGS=`$MPICC -compile_info 2>/dev/null | sed 's/^@<:@^ @:>@* //'`
       MPI_LIBS=`$MPICC -link_info 2>/dev/null | sed 's/^@<:@^ @:>@* //'`])
    bench_cflags=$CFLAGS
    bench_libs=$LIBS
    CFLAGS="$CFLAGS $MPI_CFLAGS"
    LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([whether $MPICC provides MPI 3])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[int n; MPI_Message m; MPI_Status s;
        return MPI_Improbe(0, 0, MPI_COMM_WORLD, &n, &m, &s);]])],
      [have_mpi=yes])
    AC_MSG_RESULT([$have_mpi])
    CFLAGS=$bench_cflags
    LIBS=$bench_libs
  ])
  AS_IF([test "$have_mpi" = no && test "x$with_mpi" != xno && test "x$with_mpi" != xcheck],
    [AC_MSG_ERROR([no usable MPI library was found. Install the package libopenmpi-dev or libmpich-dev (Debian, Ubuntu) or openmpi-devel (Fedora), name its compiler with --with-mpi=/path/to/mpicc, or configure --without-mpi])])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
  AM_CONDITIONAL([HAVE_MPI], [test $have_mpi = yes])
  AS_IF([test $have_mpi = yes], [bench_plugin=MPI],
    [test "x$enable_static_program" = xyes], [bench_plugin=none],
    [bench_plugin='a package of its own'])
  AC_DEFINE_UNQUOTED([BUILT_CLUSTER_PLUGIN], ["$bench_plugin"],
    [what --version says of the plug-in for several machines])
])

dnl Accepted for the sake of build scripts: the system's packages are the only
dnl way, third_party/ tells how to make them where there are none.
AC_DEFUN([BENCH_SYSTEM_SWITCHES], [
  AC_ARG_WITH([system-luajit],
    [AS_HELP_STRING([--with-system-luajit], [find LuaJIT by pkg-config (default)])],
    [AS_IF([test "x$withval" = xno],
      [AC_MSG_ERROR([there is no bundled LuaJIT, see third_party/README.md])])])
  AC_ARG_WITH([system-ck],
    [AS_HELP_STRING([--with-system-ck], [find ck by pkg-config (default)])],
    [AS_IF([test "x$withval" = xno],
      [AC_MSG_ERROR([there is no bundled ck, see third_party/README.md])])])
])

AC_DEFUN([BENCH_SUMMARY], [
  AC_MSG_NOTICE([
  bench $PACKAGE_VERSION
    mysql driver   $have_mysql
    pgsql driver   $have_pgsql
    sqlite driver  $have_sqlite
    io_uring       $have_liburing
    TLS            $have_openssl
    MPI plug-in    $have_mpi
    sanitizers     $enable_sanitizers])
])
