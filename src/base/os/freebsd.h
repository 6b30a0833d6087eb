/*
 * freebsd.h - FreeBSD has most calls of Linux.
 */
#ifndef BENCH_OS_FREEBSD_H
#define BENCH_OS_FREEBSD_H

#include <sys/endian.h>

#include "base/os/bsd.h"

#define program_invocation_short_name getprogname()

#define MAP_NORESERVE 0

#endif
