/*
 * acks.h - the numbers of the acknowledgement logs of a run, sorted, with what
 * became of each in the logs and in the database.
 */
#ifndef BENCH_VERIFY_ACKS_H
#define BENCH_VERIFY_ACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/reader.h"

struct err;

enum {
  ACKS_EXAMPLES = 5, /* numbers of a kind that are kept */
};

/* One number.  A script may use it again if nothing came of it, or if it does
 * not know. */
struct ack_entry {
  uint64_t id;
  uint64_t newest_ns;   /* of its acknowledgements */
  uint8_t acked, found; /* how often; 255: at least */
  bool unknown, aborted;
};

/* What is in a log. */
struct ack_sums {
  uint64_t acked, aborted, unknown; /* records */
  uint64_t first_ns, last_ns;       /* of all records; 0: there are none */
};

struct ack_set {
  struct ack_entry *of; /* owned; once it is sorted, each id once */
  size_t n, room;
  size_t hint;         /* where the next id is probably found */
  uint64_t rows;       /* of the database */
  uint64_t unexpected; /* rows that the logs do not name */
  uint64_t unexpected_ids[ACKS_EXAMPLES];
};

/* Add a log, up to its end.  ack_set_done() frees what is there, also after a
 * failure. */
int ack_set_load(struct ack_set *s, struct ack_reader *r, struct ack_sums *ret,
                 struct err *err);
void ack_set_done(struct ack_set *s);

/* After the last log, and before what follows. */
void ack_set_sort(struct ack_set *s);

/* The database has this number. */
void ack_set_found(struct ack_set *s, uint64_t id);

/* The place of a number; NULL: the log does not name it. */
struct ack_entry *ack_set_find(struct ack_set *s, uint64_t id);

/* ---- what is wrong with an entry ---- */

/* Was it acknowledged more often than it is there? */
static inline bool ack_entry_is_lost(const struct ack_entry *e)
{
  return e->acked > e->found;
}
/* Nobody knew, and it is there. */
static inline bool ack_entry_is_recovered(const struct ack_entry *e)
{
  return e->found > 0 && e->acked == 0 && e->unknown;
}
/* The server has refused it, and it is there. */
static inline bool ack_entry_is_phantom(const struct ack_entry *e)
{
  return e->found > 0 && e->acked == 0 && !e->unknown && e->aborted;
}
/* A number names one thing. */
static inline bool ack_entry_is_duplicate(const struct ack_entry *e)
{
  return e->found > 1;
}

#endif
