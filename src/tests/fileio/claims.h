/*
 * claims.h - which places have a request in flight, so that with checksums no
 * two requests for one place are under way when one of them writes.
 *
 * One bit per place; files with more places than CLAIMS_MAX share bits, which
 * makes a place look taken now and then when it is free, never the reverse.
 */
#ifndef BENCH_TESTS_FILEIO_CLAIMS_H
#define BENCH_TESTS_FILEIO_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

#define CLAIMS_MAX (UINT64_C(1) << 27)

struct claims {
  _Atomic uint64_t *word; /* owned; NULL: nothing is claimed, all is free */
  uint64_t mask;
};

int claims_init(struct claims *c, uint64_t places, struct err *err);
void claims_done(struct claims *c);

/* Any thread.  False: somebody has it. */
static inline bool claims_take(struct claims *c, uint64_t place)
{
  const uint64_t i = place & c->mask;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  if (!c->word)
    return true;
  /* Acquire: what the holder before did to the data is seen. */
  return !(
    atomic_fetch_or_explicit(&c->word[i >> 6], bit, memory_order_acquire) &
    bit);
}

/* By the thread that took it. */
static inline void claims_drop(struct claims *c, uint64_t place)
{
  const uint64_t i = place & c->mask;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  if (c->word)
    (void)atomic_fetch_and_explicit(&c->word[i >> 6], ~bit,
                                    memory_order_release);
}

#endif
