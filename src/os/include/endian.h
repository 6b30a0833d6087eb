/*
 * endian.h - a header of Linux: what it has is in src/os.
 */
#ifndef BENCH_OS_ENDIAN_H
#define BENCH_OS_ENDIAN_H

#include "os/os.h"

#endif
