/*
 * gather.h - sleeps until several answers have come (for src/loop only).
 *
 * A thread that sleeps much goes first when it wakes up: kernels share the
 * processors so.  A server with many requests to work on then loses a processor
 * with each answer, to a loop that has nothing but that answer to do, and
 * sleeps again.  If the loop sleeps until most of the answers have come that
 * are due, the server works on, and the loop has many of them at a time.
 *
 * That holds answers back, so it is done only where the server would not do
 * more otherwise: where all servers are on this machine, and the owner of the
 * loop allows it, who knows whether a processor is idle.  A loop that would
 * have to wait too long for that many is content with fewer the next time.
 */
#ifndef BENCH_LOOP_GATHER_H
#define BENCH_LOOP_GATHER_H

#include <stdbool.h>
#include <stdint.h>

enum {
  GATHER_LEAST = 16, /* answers that are due; with fewer, servers get idle */
  GATHER_SPARED = 8, /* one in so many of them is not awaited */
};

struct gather {
  uint64_t longest_ns; /* so long it may take; 0: the loop never does that */
  bool allowed;        /* by the owner of the loop, who knows the machine */
  unsigned most;       /* answers at a time; 0: as many as are due */
};

/* How many answers the loop should await, of `due` ones; 1: the next one. */
static inline unsigned gather_wish(const struct gather *g, unsigned due)
{
  const unsigned wish = due - due / GATHER_SPARED;

  if (g->longest_ns == 0 || !g->allowed || due < GATHER_LEAST)
    return 1;
  return g->most == 0 || g->most > wish ? wish : g->most;
}

/* It has awaited `wish` of them, and has got `got`. */
static inline void gather_ended(struct gather *g, unsigned wish, unsigned got)
{
  if (got < wish)
    g->most = got > 2 ? got - got / 4 : 2;
  else if (wish == g->most)
    g->most++;
}

#endif
