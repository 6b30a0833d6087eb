/*
 * sys/sysmacros.h - where Linux has major() and minor().
 */
#ifndef BENCH_OS_SYS_SYSMACROS_H
#define BENCH_OS_SYS_SYSMACROS_H

#include <sys/types.h>

#endif
