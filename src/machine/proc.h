/*
 * proc.h - the kernel's figures about the memory of the machine.
 */
#ifndef BENCH_MACHINE_PROC_H
#define BENCH_MACHINE_PROC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Read a figure of /proc/meminfo that is in kB, such as "Dirty", as bytes.
 * False: the system does not have it.  `root` is put before the path; it is ""
 * except in tests.
 */
bool proc_meminfo(const char *root, const char *name, uint64_t *ret);

#endif
