/*
 * meet.h - makes workers go through the steps of a test together.
 */
#ifndef BENCH_TESTS_MEMORY_MEET_H
#define BENCH_TESTS_MEMORY_MEET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct worker;

struct meet {
  unsigned threads;
  _Atomic unsigned arrived;
  _Atomic uint32_t turn CACHE_ALIGNED; /* changes when all have arrived */
};

void meet_init(struct meet *m, unsigned threads);

/*
 * Wait until all workers are here.  The last one calls between(arg) before it
 * lets the others go, and they see what it has written.  False: the run is
 * over, and no worker waits any longer.
 */
bool meet_others(struct meet *m, struct worker *w, void (*between)(void *arg),
                 void *arg);

/* Wait a moment without disturbing the other side. */
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

#endif
