/*
 * owned.h - did fileio write this file?  Its blocks answer that.
 */
#ifndef BENCH_TESTS_FILEIO_OWNED_H
#define BENCH_TESTS_FILEIO_OWNED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Look at the beginning of a file of `bytes` bytes.  True: the first block and
 * most of the others are zeros, as those of prepare and run are, or have the
 * checksums of --validate or --file-io-verify; or there is a block with the
 * mark of --validate.  `block` is the block size that is likely; others are
 * tried, too.  False also if the file cannot be read.
 */
bool owned_by_fileio(int fd, uint64_t bytes, uint64_t block);

#endif
