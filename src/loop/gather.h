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
 * loop allows it, who knows whether a processor is idle.  And it is done only
 * where answers come quickly.  Else wake-ups cost little, and slow requests
 * would get the time of those whose answers are held back.
 */
#ifndef BENCH_LOOP_GATHER_H
#define BENCH_LOOP_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/minmax.h"

enum {
  GATHER_LEAST = 16, /* answers that are due; with fewer, servers get idle */
  GATHER_SPARED = 8, /* one in so many of them is not awaited */
  GATHER_RATE = 12,  /* answers that come in a millisecond, at least */
  GATHER_REST = 64,  /* sleeps without it where they are slow, at first... */
  GATHER_REST_MAX = 4096, /* ...and at most */
};

/* So long it takes at least to tell a rate. */
#define GATHER_TELLS_NS (NS_PER_MS / 10)

struct gather {
  uint64_t longest_ns; /* so long it may take; 0: the loop never does that */
  bool allowed;        /* the owner of the loop wants it */
  unsigned most;       /* answers at a time; 0: as many as are due */
  unsigned left;       /* sleeps without it that are left */
  unsigned rest;       /* so many the last time */
};

/* The loop is going to sleep: how many answers should it await, of `due` ones?
 * 1: the next one. */
static inline unsigned gather_wish(struct gather *g, unsigned due)
{
  const unsigned wish = due - due / GATHER_SPARED;

  if (g->longest_ns == 0 || !g->allowed || due < GATHER_LEAST)
    return 1;
  if (g->left > 0) {
    g->left--;
    return 1;
  }
  return g->most == 0 || g->most > wish ? wish : g->most;
}

/* It has awaited `wish` of them for that time, and has got `got`. */
static inline void gather_ended(struct gather *g, unsigned wish, unsigned got,
                                uint64_t took_ns)
{
  if (took_ns >= GATHER_TELLS_NS &&
      (uint64_t)got * NS_PER_MS < took_ns * GATHER_RATE) {
    g->rest = g->rest == 0 ? GATHER_REST
                           : (unsigned)min_u64(2 * g->rest, GATHER_REST_MAX);
    g->left = g->rest;
  } else if (got >= wish) {
    g->rest = 0;
    if (wish == g->most)
      g->most++;
  } else if (took_ns >= g->longest_ns) {
    g->most = got > 2 ? got - got / 4 : 2;
  }
}

#endif
