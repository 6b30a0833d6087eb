/*
 * pattern.h - chooses the next request, for any number of threads.
 *
 * Threads share two words: the number of sequential requests handed out, and
 * the gate, which counts where the process is between two series of fsyncs.
 * There is no lock, and no request ever names a file that does not exist.
 *
 * After every `fsync_freq` requests, if one of them was a write, the next
 * requests of the process, in any thread, are one fsync of each file.
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

/* ---- claims ---- */

/*
 * Records which places have a request in flight, so that with checksums no two
 * requests for one place overlap when one of them writes.
 *
 * There is one bit per place.  Files with more places than CLAIMS_MAX share
 * bits, so a free place sometimes looks taken, but never the reverse.
 */

#define CLAIMS_MAX (UINT64_C(1) << 27)

struct claims {
  _Atomic uint64_t *word; /* owned; NULL: all places are always free */
  uint64_t mask;
};

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

struct pattern {
  /* Constant. */
  struct layout layout;
  enum file_mode mode;
  enum file_dist dist;
  double rw_ratio;
  bool rw_bytes;       /* the ratio counts bytes */
  uint64_t trim;       /* a 64-bit draw below this trims; 0: never */
  enum file_op write;  /* FILE_OP_WRITE, or its replacement */
  uint64_t fsync_freq; /* 0: no fsync requests */
  struct claims claims;

  /*
   * Bits 1..63: requests since the last series ended, up to fsync_freq; above
   * that, fsyncs of the current series.  Bit 0: one of the requests was a
   * write.
   */
  _Atomic uint64_t gate CACHE_ALIGNED;
  _Atomic uint64_t sequence CACHE_ALIGNED; /* sequential requests so far */
};

/* The state of a thread; starts zeroed. */
struct pattern_thread {
  uint64_t reads, writes; /* handed out in rndrw: requests, or bytes */
  uint64_t place;         /* place that it waits for, in sequential modes */
  bool waiting;           /* the last call returned false */
  bool write;             /* the kind of request that it waits for */
};

/* exclusive: two requests in flight must not overlap if one of them writes. */
int pattern_init(struct pattern *p, const struct layout *layout,
                 const struct fileio_cfg *cfg, bool exclusive, struct err *err);
void pattern_done(struct pattern *p);

/*
 * Choose the next request of a thread.  False: everything it tried overlaps
 * requests in flight; the caller completes some of its own and asks again.
 * Without `exclusive` that never happens.
 */
bool pattern_next(struct pattern *p, struct pattern_thread *t,
                  struct rand_stream *rand, struct request *ret);

/* The transfer has completed: free its place. */
static inline void pattern_release(struct pattern *p, uint64_t place)
{
  claims_drop(&p->claims, place);
}

#endif
