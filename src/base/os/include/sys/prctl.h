/*
 * sys/prctl.h - for includes of Linux: see src/base/os.
 */
#ifndef BENCH_OS_SYS_PRCTL_H
#define BENCH_OS_SYS_PRCTL_H

#include "base/os/os.h"

#endif
