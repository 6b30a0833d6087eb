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
  bool hole;
  uint64_t acked_ns;  /* when it was acknowledged */
  uint64_t before_ns; /* from that moment to the client's failure, or to the
                       * end of the log */
};

struct losses {
  struct loss *of; /* owned; in the order of the log */
  size_t n, n_holes;
};

/* Look at the log again, with what was found in the database. */
int losses_find(struct losses *l, struct ack_set *s, struct ack_reader *r,
                struct err *err);
void losses_done(struct losses *l);

#endif
