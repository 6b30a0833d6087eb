/*
 * sync_log.h - writes the log of acknowledged writes.
 *
 * The log is a file that is mapped into memory, so a record costs no system
 * call, and all records are there if the process is killed; or memory that is
 * sent to another machine (sync_remote.h).  Any number of threads add records;
 * the place of a record in the log says what it follows.
 */
#ifndef BENCH_TESTS_FILEIO_SYNC_LOG_H
#define BENCH_TESTS_FILEIO_SYNC_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/fileio/ack_record.h"

struct sync_log;
struct err;

/*
 * Create the log, or replace an old one.  A file that is no log is refused.
 * "tcp:HOST:PORT" is a listener on another machine; it makes the file, and the
 * caller WAITS for that.  `path` is borrowed until sync_log_free().
 */
int sync_log_new(struct sync_log **ret, const char *path,
                 const struct ack_header *header, struct err *err);

/* The last record was added.  WAITS for a listener, see sync_remote_end(). */
int sync_log_end(struct sync_log *log, struct err *err);

/* Is it in the file system with this number (st_dev)? */
bool sync_log_is_in(const struct sync_log *log, uint64_t device);

/* Cut off what was not used, and close the file.  NULL is accepted. */
void sync_log_free(struct sync_log *log);

/* Add a record; its check word and time are set here. */
int sync_log_add(struct sync_log *log, struct ack_record r, struct err *err);

/* How many records there are: those of other threads may not be complete. */
uint64_t sync_log_count(const struct sync_log *log);

#endif
