/*
 * sys/prctl.h - a header of Linux: what it has is in src/os.
 */
#ifndef BENCH_OS_SYS_PRCTL_H
#define BENCH_OS_SYS_PRCTL_H

#include "os/os.h"

#endif
