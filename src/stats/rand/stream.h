/*
 * stream.h - all random sources of one thread. No two streams share a draw.
 */
#ifndef BENCH_RAND_STREAM_H
#define BENCH_RAND_STREAM_H

#include <stdint.h>

#include "base/compiler.h"
#include "stats/rand/dist.h"
#include "stats/rand/rng.h"
#include "stats/rand/uniq.h"

struct rand_stream {
  struct rng rng;
  const struct rand_params *params; /* borrowed, shared */
  struct zipf_cache zipf;
  struct uniq uniq;
} CACHE_ALIGNED;

/*
 * RNG_WORKLOAD and RNG_COMMAND have a stream per worker, index < workers.
 * Unique numbers differ between the workers and the streams (RNG_MAIN, 0),
 * (RNG_HOOKS, 0) and (RNG_HOOKS, 1). `params` is borrowed. Storage:
 * mem_aligned(.., CACHE_LINE) or the stack.
 */
void rand_stream_init(struct rand_stream *s, const struct rand_params *params,
                      uint64_t seed, enum rng_purpose purpose, uint64_t index,
                      uint64_t workers);
void rand_stream_done(struct rand_stream *s);

/* By the user's distribution. */
static inline int64_t rand_draw(struct rand_stream *s, int64_t a, int64_t b)
{
  if (s->params->type == RAND_UNIFORM)
    return dist_uniform(&s->rng, a, b);
  return dist_default(s->params, &s->rng, &s->zipf, a, b);
}

#endif
