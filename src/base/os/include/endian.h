/*
 * endian.h - a header of Linux: what it has is in src/base/os.
 */
#ifndef BENCH_OS_ENDIAN_H
#define BENCH_OS_ENDIAN_H

#include "base/os/os.h"

#endif
