/*
 * home.h - on whose processor does the server of a connection work? (for
 * src/loop only)
 *
 * The kernel decides that, and nothing tells it.  But a request that is sent
 * from there lets the server work at once, and then the answer is there before
 * the sender does anything else.  On another processor it is not.  So now and
 * then a request is a probe: its answer is looked for right away.  Where probes
 * find nothing, the next loop sends the requests of this connection, until all
 * have tried.
 */
#ifndef BENCH_LOOP_HOME_H
#define BENCH_LOOP_HOME_H

#include <stdbool.h>

#include "base/minmax.h"

enum {
  HOME_TRIES = 2,       /* probes of a loop; one may find nothing by chance */
  HOME_EVERY = 64,      /* requests until the next probe, at first... */
  HOME_EVERY_MAX = 4096 /* ...and where no loop has found anything */
};

struct home {
  unsigned at;     /* the number of the loop that sends its requests */
  unsigned left;   /* requests until the next probe */
  unsigned every;  /* so many the last time */
  unsigned misses; /* probes in a row that found nothing */
};

static inline void home_init(struct home *h, unsigned at)
{
  *h = (struct home){ .at = at, .every = HOME_EVERY };
}

/* A request is sent: is it a probe? */
static inline bool home_probes(struct home *h)
{
  if (h->left > 0) {
    h->left--;
    return false;
  }
  return true;
}

/* It was one, of one of `n` loops: was the answer there? */
static inline void home_probed(struct home *h, bool there, unsigned n)
{
  if (there) {
    h->misses = 0;
    h->left = h->every = HOME_EVERY;
    return;
  }
  if (++h->misses % HOME_TRIES != 0)
    return;
  h->at = (h->at + 1) % n;
  if (h->misses < HOME_TRIES * n)
    return;
  h->misses = 0;
  h->left = h->every = (unsigned)min_u64(2 * h->every, HOME_EVERY_MAX);
}

#endif
