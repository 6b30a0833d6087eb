/*
 * direct.h - what a file system asks of direct I/O.
 */
#ifndef BENCH_TESTS_FILEIO_DIRECT_H
#define BENCH_TESTS_FILEIO_DIRECT_H

#include <stdint.h>

#include "tests/fileio/files.h"

/*
 * Of which number of bytes offsets and lengths of direct I/O in this folder
 * must be multiples.  Asks the kernel about the first file; a kernel that does
 * not know is asked by reading with ever larger blocks; before there is a file,
 * the block device of the folder tells.  Opens nothing for writing.
 */
uint64_t direct_alignment(const struct folder *folder);

#endif
