/*
 * witness.h - --file-io-verify: a run whose writes can be judged after a crash.
 *
 * Every block that is written has a stamp (validate.h) with a generation.  The
 * log (sync_log.h) has the writes that were begun and completed, and the fsyncs
 * that acknowledge them.
 *
 * The order of writes to one block is defined: the pattern never has two
 * requests for a block in flight, and the block gets its generation from one
 * counter of the run while it is claimed.  A later write has a higher number.
 * In the modes wal and mixed, one thread at a time writes a file.
 */
#ifndef BENCH_TESTS_FILEIO_WITNESS_H
#define BENCH_TESTS_FILEIO_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct fileio;
struct io;
struct request;
struct witness;

/* Check the options of a run that asks for it. */
int witness_check(const struct fileio *fio, struct err *err);

/* Begin and end the log of a run; the files are open.  NULL is accepted.  Not
 * `ended`: the run was cut off, and so is its log; writers may still be there.
 */
int witness_new(struct witness **ret, const struct fileio *fio,
                struct err *err);
int witness_end(struct witness *w, bool ended, struct err *err);
void witness_free(struct witness *w);

/*
 * Stamp the data of a write, and log that it begins.  *ret_generation is for
 * witness_written().
 */
int witness_begin(struct witness *w, const struct io *io,
                  const struct request *r, void *data, uint64_t *ret_generation,
                  struct err *err);

/* The system has completed the write. */
int witness_written(struct witness *w, const struct io *io,
                    const struct request *r, uint64_t generation,
                    struct err *err);

/*
 * Call it before a file is synchronised.  The result, for witness_synced(),
 * says which writes it is about.
 */
uint64_t witness_syncing(const struct witness *w);

/* The file was synchronised; failed: the system reported an error. */
int witness_synced(struct witness *w, const struct io *io, uint32_t file,
                   uint64_t syncing, bool failed, struct err *err);

#endif
