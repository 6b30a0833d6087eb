/*
 * witness.h - --file-crash-log: a run whose writes can be judged after a crash.
 *
 * Blocks have stamps (validate.h) with a generation. The log (sync_log.h) has
 * begun and completed writes, and fsyncs. A block is claimed during a write, so
 * its generations, from a counter of the run, ascend. In the modes wal and
 * mixed, one thread at a time writes a file.
 */
#ifndef BENCH_TESTS_FILEIO_WITNESS_H
#define BENCH_TESTS_FILEIO_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct fileio;
struct request;
struct witness;

int witness_check(const struct fileio *fio, struct err *err);

/* The files are open. Not `ended`: the run was cut off, and writers can
 * go on. */
int witness_new(struct witness **ret, const struct fileio *fio,
                struct err *err);
int witness_end(struct witness *w, bool ended, struct err *err);
void witness_free(struct witness *w);

/* Stamps the data, and logs the begin. *ret_generation is for
 * witness_written(). */
int witness_begin(struct witness *w, unsigned tid, const struct request *r,
                  void *data, uint64_t *ret_generation, struct err *err);

int witness_written(struct witness *w, unsigned tid, const struct request *r,
                    uint64_t generation, struct err *err);

/* Call before an fsync; for witness_synced(). */
uint64_t witness_syncing(const struct witness *w);

/* failed: the system has reported an error. */
int witness_synced(struct witness *w, unsigned tid, uint32_t file,
                   uint64_t syncing, bool failed, struct err *err);

#endif
