/*
 * pattern.h - chooses the next request, for any number of threads, without a
 * lock. After every `fsync_freq` requests with a write, the next requests of
 * all threads are one fsync of each file.
 */
#ifndef BENCH_TESTS_FILEIO_PATTERN_H
#define BENCH_TESTS_FILEIO_PATTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/fileio/layout.h"
#include "tests/fileio/options.h"
#include "tests/fileio/request.h"

struct err;
struct rand_stream;

/*
 * Places with a request in flight. With checksums, requests must not overlap if
 * one writes. Above CLAIMS_MAX, places share bits: a free place can look taken,
 * never the reverse.
 */

#define CLAIMS_MAX (UINT64_C(1) << 27)

struct claims {
  _Atomic uint64_t *word; /* owned; NULL: always free */
  uint64_t mask;
};

/* Any thread. False: already claimed. */
static inline bool claims_take(struct claims *c, uint64_t place)
{
  const uint64_t i = place & c->mask;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  if (!c->word)
    return true;
  /* Pairs with claims_drop(): the data are visible. */
  return !(
    atomic_fetch_or_explicit(&c->word[i >> 6], bit, memory_order_acquire) &
    bit);
}

/* In the thread that has claimed the place. */
static inline void claims_drop(struct claims *c, uint64_t place)
{
  const uint64_t i = place & c->mask;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  if (c->word)
    (void)atomic_fetch_and_explicit(&c->word[i >> 6], ~bit,
                                    memory_order_release);
}

struct pattern {
  /* Constant. */
  struct layout layout;
  enum file_mode mode;
  enum file_dist dist;
  double rw_ratio;
  bool rw_bytes; /* the ratio is of bytes */
  uint64_t trim; /* draws below trim; 0: never */
  enum file_op write;
  uint64_t fsync_freq; /* 0: never */
  struct claims claims;

  /* Bits 1..63: requests since the last series up to fsync_freq, then fsyncs of
   * the series. Bit 0: a request was a write. */
  _Atomic uint64_t gate CACHE_ALIGNED;
  _Atomic uint64_t sequence CACHE_ALIGNED;
};

struct pattern_thread {
  uint64_t reads, writes; /* in rndrw: requests, or bytes */
  uint64_t place;         /* awaited, in sequential modes */
  bool waiting;           /* the last call was false */
  bool write;
};

/* exclusive: requests in flight do not overlap if one writes. */
int pattern_init(struct pattern *p, const struct layout *layout,
                 const struct fileio_cfg *cfg, bool exclusive, struct err *err);
void pattern_done(struct pattern *p);

/* False: all tried places are in use: complete some own requests, then call
 * again. Only with `exclusive`. */
bool pattern_next(struct pattern *p, struct pattern_thread *t,
                  struct rand_stream *rand, struct request *ret);

static inline void pattern_release(struct pattern *p, uint64_t place)
{
  claims_drop(&p->claims, place);
}

#endif
