/*
 * sys/eventfd.h - for includes of Linux: see src/base/os.
 */
#ifndef BENCH_OS_SYS_EVENTFD_H
#define BENCH_OS_SYS_EVENTFD_H

#ifdef __FreeBSD__
#include_next <sys/eventfd.h>
#else
#include "base/os/os.h"
#endif

#endif
