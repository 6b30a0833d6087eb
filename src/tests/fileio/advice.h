/*
 * advice.h - what makes the figures of a run mean less than they seem to.
 */
#ifndef BENCH_TESTS_FILEIO_ADVICE_H
#define BENCH_TESTS_FILEIO_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/files.h"

/* Warn about folders that are no disk, and, unless the data go to_disk anyway,
 * about files that fit into memory. */
void advice_print(const struct folder *folder, uint64_t total_bytes,
                  bool to_disk);

#endif
