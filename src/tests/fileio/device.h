/*
 * device.h - where the blocks are: in the files of a folder, or on a block
 * device as it is.
 */
#ifndef BENCH_TESTS_FILEIO_DEVICE_H
#define BENCH_TESTS_FILEIO_DEVICE_H

#include <stdbool.h>

#include "tests/fileio/files.h"

struct err;
struct fileio_cfg;

/*
 * The folder of --file-dir, or the device of --file-device.  Writing to a
 * device destroys what is on it: that is refused without --yes-destroy.  Use
 * folder_close() afterwards, also after a failure.
 */
int device_or_folder(struct folder *f, const struct fileio_cfg *cfg,
                     bool writes, struct err *err);

#endif
