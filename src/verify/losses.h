/*
 * losses.h - which acknowledged commits are lost: the last ones before a
 * failure, or some in the middle?
 *
 * The log of a client is divided where it has lost its connection.  What is
 * lost at the end of such a part is a suffix; if a later acknowledgement of the
 * same part is in the database, it is a hole.
 */
#ifndef BENCH_VERIFY_LOSSES_H
#define BENCH_VERIFY_LOSSES_H

#include <stdint.h>

#include "ack/reader.h"
#include "verify/acks.h"

struct err;

/* A number that is lost. */
struct loss {
  uint64_t id;
  uint32_t client;
  uint32_t log; /* number of the log, from 0 */
  bool hole;
  uint64_t acked_ns;  /* when it was acknowledged */
  uint64_t before_ns; /* from that moment to the client's failure, or to the
                       * end of the log */
};

struct losses {
  struct loss *of; /* owned; in the order of the logs */
  size_t n, n_holes;
  uint32_t logs; /* that were looked at */
};

/* Look at a log again, with what was found in the database; its last record is
 * of `last_ns`.  The losses of several logs follow one another. */
int losses_find(struct losses *l, struct ack_set *s, struct ack_reader *r,
                uint64_t last_ns, struct err *err);
void losses_done(struct losses *l);

#endif
