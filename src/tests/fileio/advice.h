/*
 * advice.h - warnings about runs whose figures mean less than they seem to.
 */
#ifndef BENCH_TESTS_FILEIO_ADVICE_H
#define BENCH_TESTS_FILEIO_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/files.h"

/*
 * Warn if a folder is not on a disk, and if files fit in memory, unless
 * `to_disk`: the data reach the disk anyway.
 */
void advice_print(const struct folder *folder, uint64_t total_bytes,
                  bool to_disk);

#endif
