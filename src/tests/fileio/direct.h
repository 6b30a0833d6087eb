/*
 * direct.h - the alignment that a file system requires for direct I/O.
 */
#ifndef BENCH_TESTS_FILEIO_DIRECT_H
#define BENCH_TESTS_FILEIO_DIRECT_H

#include <stdint.h>

#include "tests/fileio/files.h"

/*
 * The number of bytes of which offsets and lengths of direct I/O in this folder
 * must be multiples.  The kernel is asked about the first file.  If it does not
 * know, reads with growing blocks find out.  If there is no file yet, the block
 * device of the folder is asked.  Nothing is opened for writing.
 */
uint64_t direct_alignment(const struct folder *folder);

#endif
