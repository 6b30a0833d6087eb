/*
 * claims.h - records which places have a request in flight, so that with
 * checksums no two requests for one place overlap when one of them writes.
 *
 * There is one bit per place.  Files with more places than CLAIMS_MAX share
 * bits, so a free place sometimes looks taken, but never the reverse.
 */
#ifndef BENCH_TESTS_FILEIO_CLAIMS_H
#define BENCH_TESTS_FILEIO_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

#define CLAIMS_MAX (UINT64_C(1) << 27)

struct claims {
  _Atomic uint64_t *word; /* owned; NULL: all places are always free */
  uint64_t mask;
};

int claims_init(struct claims *c, uint64_t places, struct err *err);
void claims_done(struct claims *c);

/* Claim a place; any thread may call this.  False: it is already claimed. */
static inline bool claims_take(struct claims *c, uint64_t place)
{
  const uint64_t i = place & c->mask;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  if (!c->word)
    return true;
  /* Acquire: the previous holder's changes to the data are visible. */
  return !(
    atomic_fetch_or_explicit(&c->word[i >> 6], bit, memory_order_acquire) &
    bit);
}

/* Release a place; call this in the thread that claimed it. */
static inline void claims_drop(struct claims *c, uint64_t place)
{
  const uint64_t i = place & c->mask;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  if (c->word)
    (void)atomic_fetch_and_explicit(&c->word[i >> 6], ~bit,
                                    memory_order_release);
}

#endif
