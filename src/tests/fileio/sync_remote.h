/*
 * sync_remote.h - the log of acknowledged writes on another machine: pieces of
 * memory instead of pieces of a file, which are sent and then freed.
 *
 * Threads that write never wait for it.  A piece for which there is no room is
 * left out, and the file has a gap of zeros in its place.
 */
#ifndef BENCH_TESTS_FILEIO_SYNC_REMOTE_H
#define BENCH_TESTS_FILEIO_SYNC_REMOTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/ack_record.h"

struct err;
struct sync_remote;

/* The pieces of a log, in their order; NULL: not made yet.  Only `make` sets a
 * pointer, and the sender takes it back. */
struct sync_pieces {
  struct ack_record *_Atomic *of; /* release, acquire */
  uint64_t most;                  /* pointers */
  uint64_t records;               /* of a piece */
  const _Atomic uint64_t *count;  /* records of the log, of all threads */
};

/*
 * Connect to the listener at HOST:PORT, which makes the file; WAITS.  `address`
 * is borrowed until sync_remote_free(), and so is what `pieces` points to.
 */
int sync_remote_new(struct sync_remote **ret, const char *address,
                    const struct ack_header *header,
                    const struct sync_pieces *pieces, struct err *err);

/* Make piece number i; one thread at a time.  -ENOMEM. */
int sync_remote_make(struct sync_remote *r, uint64_t i, struct err *err);

/* A piece at this address takes no records: they are left out. */
struct ack_record *sync_remote_nothing(struct sync_remote *r);

/* The log has its last record: WAIT until the listener has all, for five
 * seconds at most, and say where it is.  < 0: it has not. */
int sync_remote_end(struct sync_remote *r, struct err *err);

/* Frees the pieces, too.  NULL is accepted. */
void sync_remote_free(struct sync_remote *r);

#endif
