/*
 * acks.h - the numbers of acknowledgement logs, and their outcome in the logs
 * and in the database.
 */
#ifndef BENCH_VERIFY_ACKS_H
#define BENCH_VERIFY_ACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/reader.h"

struct err;

enum {
  ACKS_EXAMPLES = 5,
};

/* Scripts can use a number again if nothing, or nothing known, came of it. */
struct ack_entry {
  uint64_t id;
  uint64_t newest_ns;   /* acknowledgement */
  uint8_t acked, found; /* up to 255 */
  bool unknown, aborted;
};

struct ack_sums {
  uint64_t acked, aborted, unknown; /* records */
  uint64_t first_ns, last_ns;       /* 0: no records */
};

struct ack_set {
  struct ack_entry *of; /* owned; sorted: each id once */
  size_t n, room;
  size_t hint;         /* probable place of the next id */
  uint64_t rows;       /* of the database */
  uint64_t unexpected; /* not in the logs */
  uint64_t unexpected_ids[ACKS_EXAMPLES];
};

/* Adds a log. ack_set_done() frees all, also after a failure. */
int ack_set_load(struct ack_set *s, struct ack_reader *r, struct ack_sums *ret,
                 struct err *err);
void ack_set_done(struct ack_set *s);

void ack_set_sort(struct ack_set *s);

void ack_set_found(struct ack_set *s, uint64_t id);

/* More acknowledgements than rows. */
static inline bool ack_entry_is_lost(const struct ack_entry *e)
{
  return e->acked > e->found;
}
/* The outcome was unknown. */
static inline bool ack_entry_is_recovered(const struct ack_entry *e)
{
  return e->found > 0 && e->acked == 0 && e->unknown;
}
/* The server has refused the number. */
static inline bool ack_entry_is_phantom(const struct ack_entry *e)
{
  return e->found > 0 && e->acked == 0 && !e->unknown && e->aborted;
}
static inline bool ack_entry_is_duplicate(const struct ack_entry *e)
{
  return e->found > 1;
}

/* Logs judged together: of the processes of one run, or of runs of one
 * process each with one query. */

struct ack_log_read {
  struct ack_reader reader;
  struct ack_sums sums;
};

struct ack_logs {
  struct ack_log_read *const *of; /* borrowed; at least one */
  size_t n;
};

/* Of all logs. */
struct ack_whole {
  struct ack_sums sums;                /* without times */
  uint64_t damaged;                    /* parts */
  unsigned flags;                      /* enum ack_flags */
  const struct ack_reader *incomplete; /* the first; NULL: none */
  double before;                       /* the least total before a run */
  uint32_t absent, absent_rank;        /* processes without a log; the first */
};

struct ack_whole ack_logs_whole(const struct ack_logs *logs);

/* -EINVAL: processes of different runs, or a process twice. */
int ack_logs_check(const struct ack_logs *logs, struct err *err);

size_t ack_logs_runs(const struct ack_logs *logs);

/*
 * Lost commits.
 *
 * A client's log has a part for each connection. Losses at the end of a part
 * are a suffix; before a later commit in the database, a hole.
 */

struct loss {
  uint64_t id;
  uint32_t client;
  uint32_t log; /* from 0 */
  bool hole;
  uint64_t acked_ns;
  uint64_t before_ns; /* until the failure, or the log's end */
};

struct losses {
  struct loss *of; /* owned; by log */
  size_t n, n_holes;
  uint32_t logs;
};

/* After the database has answered: reads a log, whose last record is of
 * `last_ns`, again. */
int losses_find(struct losses *l, struct ack_set *s, struct ack_reader *r,
                uint64_t last_ns, struct err *err);
void losses_done(struct losses *l);

#endif
