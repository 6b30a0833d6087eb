/*
 * device.h - chooses where the blocks are: in the files of a folder, or
 * directly on a block device.
 */
#ifndef BENCH_TESTS_FILEIO_DEVICE_H
#define BENCH_TESTS_FILEIO_DEVICE_H

#include <stdbool.h>

#include "tests/fileio/files.h"

struct err;
struct fileio_cfg;

/*
 * Open the folder of --file-dir, or the device of --file-device.  Writing to a
 * device destroys its contents: it is refused without --yes-destroy.  Call
 * folder_close() afterwards, also after a failure.
 */
int device_or_folder(struct folder *f, const struct fileio_cfg *cfg,
                     bool writes, struct err *err);

#endif
