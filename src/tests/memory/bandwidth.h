/*
 * bandwidth.h - bytes per second of loops over memory. In a round, all workers
 * run the same loop at once, each over its own block on its own CPU. The round
 * lasts from the first start to the last end. The loops take turns.
 */
#ifndef BENCH_TESTS_MEMORY_BANDWIDTH_H
#define BENCH_TESTS_MEMORY_BANDWIDTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/memory/loops.h"
#include "tests/place.h"

struct memory_cfg;
struct plan;
struct worker;

/* Makes workers begin a round together. */

struct meet {
  unsigned threads;
  _Atomic unsigned arrived;
  _Atomic uint32_t turn CACHE_ALIGNED;
};

/* Waits for all workers. The last one calls between(arg) first, and the others
 * see its stores. False: the run is over; no worker waits. */
bool meet_others(struct meet *m, struct worker *w, void (*between)(void *arg),
                 void *arg);

static inline void meet_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#else
  __asm__ volatile("");
#endif
}

enum {
  BANDWIDTH_ROUNDS_MAX = 4096,
  BANDWIDTH_ROUNDS_MIN = 3, /* fewer have no median */
};

/* The last rounds of a loop. The worker that ends a round writes; readers use
 * the first `n` (acquire, release). */
struct bandwidth_rounds {
  _Atomic uint64_t n;
  double bytes_per_s[BANDWIDTH_ROUNDS_MAX];
};

/* A worker in the current round: only it writes, and others read after all have
 * met. */
struct bandwidth_slot {
  uint64_t begin_ns, end_ns;
  bool counted;
} CACHE_ALIGNED;

struct bandwidth {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct place_cpus cpus;
  struct loops loops;
  _Atomic uint64_t huge_bytes;
  _Atomic uint32_t look_failed; /* 1: the pages are unknown */

  /* Written between rounds. */
  struct meet meet;
  uint64_t round;
  unsigned passes[STREAMS];     /* per round; 0: not measured yet */
  struct bandwidth_slot *slots; /* owned; [threads] */

  struct bandwidth_rounds of[STREAMS];
};

/* Counted bytes per second; all 0 with fewer than BANDWIDTH_ROUNDS_MIN
 * rounds. */
struct bandwidth_figures {
  uint64_t rounds;
  double best, median, mad;
  double owned; /* median with the reads that plain stores cause */
};

void bandwidth_figures(const struct bandwidth *b, enum stream s,
                       struct bandwidth_figures *ret);

#endif
