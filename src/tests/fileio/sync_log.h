/*
 * sync_log.h - writes the log of acknowledged writes: a mapped file, so that
 * records cost no system call and outlive a killed process, or memory that is
 * sent to another machine. Any number of threads add records; a record's place
 * proves what came before it.
 */
#ifndef BENCH_TESTS_FILEIO_SYNC_LOG_H
#define BENCH_TESTS_FILEIO_SYNC_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/sync_log_record.h"

struct err;
struct sync_log;
struct sync_remote;

/* On another machine: pieces of memory are sent, then freed. Writers never
 * wait: a piece without room is left out, and the file has zeros there. */

/* In order; NULL: not made. Only sync_remote_make() sets pointers, and the
 * sender takes them back. */
struct sync_pieces {
  struct sync_log_record *_Atomic *of; /* release, acquire */
  uint64_t most;
  uint64_t records; /* of a piece */
  const _Atomic uint64_t *count;
};

/* WAITS for the listener at HOST:PORT, which makes the file. `address` and the
 * arrays of `pieces` are borrowed until sync_remote_free(). */
int sync_remote_new(struct sync_remote **ret, const char *address,
                    const struct sync_log_header *header,
                    const struct sync_pieces *pieces, struct err *err);

/* One thread at a time. -ENOMEM. */
int sync_remote_make(struct sync_remote *r, uint64_t i, struct err *err);

/* The address of pieces that take no records. */
struct sync_log_record *sync_remote_nothing(struct sync_remote *r);

/* After the last record: WAITS up to five seconds until the listener has all,
 * and prints the place of the log. < 0: records are missing. */
int sync_remote_end(struct sync_remote *r, struct err *err);

void sync_remote_free(struct sync_remote *r);

/*
 * Creates the log, or replaces an old one, but no other file. "tcp:HOST:PORT":
 * WAITS for a listener, which makes the file. `path` is borrowed until
 * sync_log_free().
 */
int sync_log_new(struct sync_log **ret, const char *path,
                 const struct sync_log_header *header, struct err *err);

/* After the last record. WAITS like sync_remote_end(). */
int sync_log_end(struct sync_log *log, struct err *err);

/* On the file system of this st_dev? */
bool sync_log_is_in(const struct sync_log *log, uint64_t device);

void sync_log_free(struct sync_log *log);

/* Sets check word and time. */
int sync_log_add(struct sync_log *log, struct sync_log_record r,
                 struct err *err);

/* Includes incomplete records. */
uint64_t sync_log_count(const struct sync_log *log);

#endif
