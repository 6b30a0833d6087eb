/*
 * sys/signalfd.h - a header of Linux: what it has is in src/base/os.
 */
#ifndef BENCH_OS_SYS_SIGNALFD_H
#define BENCH_OS_SYS_SIGNALFD_H

#include "base/os/os.h"

#endif
