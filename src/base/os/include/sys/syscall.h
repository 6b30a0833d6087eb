/*
 * sys/syscall.h - without the numbers of Linux's system calls.
 */
#ifndef BENCH_OS_SYS_SYSCALL_H
#define BENCH_OS_SYS_SYSCALL_H

#ifdef __FreeBSD__
#include_next <sys/syscall.h>
#endif

#endif
