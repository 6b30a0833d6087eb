/*
 * sys/syscall.h - no system call of Linux has its number here.
 */
#ifndef BENCH_OS_SYS_SYSCALL_H
#define BENCH_OS_SYS_SYSCALL_H

#ifdef __FreeBSD__
#include_next <sys/syscall.h>
#endif

#endif
