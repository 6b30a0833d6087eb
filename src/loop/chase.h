/*
 * chase.h - looks for an answer right after its request was sent (for src/loop
 * only).
 *
 * A server on the same processors is woken by the request, and often takes the
 * processor of the thread that has sent it.  Then the answer is there when that
 * thread runs again.  A task that takes it at once, and sends its next request,
 * finds the server with all its data in the caches, and both are spared a wait.
 * The others of its thread wait meanwhile.  So a task does that a limited
 * number of times in a row, and all of them together for a limited time between
 * two looks of the loop.
 *
 * Where answers do not come at once, such a look is wasted, and requests are
 * better sent together.  So a loop goes on with it only while enough of its
 * looks find something, and tries again now and then.
 */
#ifndef BENCH_LOOP_CHASE_H
#define BENCH_LOOP_CHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
  CHASE_HOPE_MAX = 256, /* looks in vain until it is given up */
  CHASE_GAIN = 4,       /* looks in vain that one answer makes good */
  CHASE_PROBE = 16,     /* then one in so many requests tries it again */
};

struct chase {
  unsigned row_max;     /* answers of a task in a row; 0: none takes any so */
  uint64_t turn_max_ns; /* between two looks of the loop */
  int hope;             /* 0: it was in vain too often */
  unsigned asked;       /* since then */
  bool late;            /* the loop has not looked for that time */
  bool off;             /* the owner of the loop does not want it */
};

/* Something has changed: it may be worth a try. */
static inline void chase_hope(struct chase *c)
{
  c->hope = CHASE_HOPE_MAX / 2;
}

static inline void chase_init(struct chase *c, unsigned row_max,
                              uint64_t turn_max_ns)
{
  *c = (struct chase){ .row_max = row_max, .turn_max_ns = turn_max_ns };
  chase_hope(c);
}

/* The loop has looked for arrivals. */
static inline void chase_turn(struct chase *c)
{
  c->late = false;
}

/* A request is sent by a task that has taken `row` answers at once: does it
 * look for this one? */
static inline bool chase_try(struct chase *c, unsigned row)
{
  if (row >= c->row_max || c->late || c->off)
    return false;
  return LIKELY(c->hope > 0) || ++c->asked % CHASE_PROBE == 0;
}

/* It has looked, and the answer was there, or not.  `turn_ns` has passed since
 * the loop looked. */
static inline void chase_found(struct chase *c, uint64_t turn_ns)
{
  c->hope += CHASE_GAIN;
  if (c->hope > CHASE_HOPE_MAX)
    c->hope = CHASE_HOPE_MAX;
  c->late = turn_ns > c->turn_max_ns;
}
static inline void chase_in_vain(struct chase *c)
{
  c->hope -= c->hope > 0;
}

#endif
