/*
 * meminfo.h - the kernel's figures about the memory of the machine.
 */
#ifndef BENCH_BASE_MEMINFO_H
#define BENCH_BASE_MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Read a figure of /proc/meminfo that is in kB, such as "Dirty", as bytes.
 * False: the system does not have it.  `root` is put before the path; it is ""
 * except in tests.
 */
bool meminfo_bytes(const char *root, const char *name, uint64_t *ret);

#endif
