/*
 * sync_log.h - writes the log of acknowledged writes.
 *
 * The log is a file that is mapped into memory, so a record costs no system
 * call, and all records are there if the process is killed; or memory that is
 * sent to another machine (see below).  Any number of threads add records;
 * the place of a record in the log says what it follows.
 */
#ifndef BENCH_TESTS_FILEIO_SYNC_LOG_H
#define BENCH_TESTS_FILEIO_SYNC_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/fileio/sync_log_record.h"

struct err;
struct sync_log;
struct sync_remote;

/* ---- sync remote ---- */

/*
 * The log of acknowledged writes on another machine: pieces of memory instead
 * of pieces of a file, which are sent and then freed.
 *
 * Threads that write never wait for it.  A piece for which there is no room is
 * left out, and the file has a gap of zeros in its place.
 */

/* The pieces of a log, in their order; NULL: not made yet.  Only `make` sets a
 * pointer, and the sender takes it back. */
struct sync_pieces {
  struct sync_log_record *_Atomic *of; /* release, acquire */
  uint64_t most;                       /* pointers */
  uint64_t records;                    /* of a piece */
  const _Atomic uint64_t *count;       /* records of the log, of all threads */
};

/*
 * Connect to the listener at HOST:PORT, which makes the file; WAITS.  `address`
 * is borrowed until sync_remote_free(), and so is what `pieces` points to.
 */
int sync_remote_new(struct sync_remote **ret, const char *address,
                    const struct sync_log_header *header,
                    const struct sync_pieces *pieces, struct err *err);

/* Make piece number i; one thread at a time.  -ENOMEM. */
int sync_remote_make(struct sync_remote *r, uint64_t i, struct err *err);

/* A piece at this address takes no records: they are left out. */
struct sync_log_record *sync_remote_nothing(struct sync_remote *r);

/* The log has its last record: WAIT until the listener has all, for five
 * seconds at most, and say where it is.  < 0: it has not. */
int sync_remote_end(struct sync_remote *r, struct err *err);

/* Frees the pieces, too.  NULL is accepted. */
void sync_remote_free(struct sync_remote *r);

/*
 * Create the log, or replace an old one.  A file that is no log is refused.
 * "tcp:HOST:PORT" is a listener on another machine; it makes the file, and the
 * caller WAITS for that.  `path` is borrowed until sync_log_free().
 */
int sync_log_new(struct sync_log **ret, const char *path,
                 const struct sync_log_header *header, struct err *err);

/* The last record was added.  WAITS for a listener, see sync_remote_end(). */
int sync_log_end(struct sync_log *log, struct err *err);

/* Is it in the file system with this number (st_dev)? */
bool sync_log_is_in(const struct sync_log *log, uint64_t device);

/* Cut off what was not used, and close the file.  NULL is accepted. */
void sync_log_free(struct sync_log *log);

/* Add a record; its check word and time are set here. */
int sync_log_add(struct sync_log *log, struct sync_log_record r,
                 struct err *err);

/* How many records there are: those of other threads may not be complete. */
uint64_t sync_log_count(const struct sync_log *log);

#endif
