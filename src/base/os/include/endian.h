/*
 * endian.h - for includes of Linux: see src/base/os.
 */
#ifndef BENCH_OS_ENDIAN_H
#define BENCH_OS_ENDIAN_H

#include "base/os/os.h"

#endif
