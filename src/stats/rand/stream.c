#include "stats/rand/stream.h"

#include <assert.h>

/*
 * Workers share the unique numbers by slots. The main state starts at the other
 * end, so it has all of them if alone. States of report threads start in the
 * middle.
 */
static void stream_init_uniq(struct uniq *u, uint64_t seed,
                             enum rng_purpose purpose, uint64_t index,
                             uint64_t workers)
{
  enum {
    OTHERS = 3 /* two report threads and one in reserve */
  };

  switch (purpose) {
  case RNG_WORKLOAD:
  case RNG_COMMAND:
    assert(index < workers);
    uniq_init(u, seed, UNIQ_START, index, workers);
    break;
  case RNG_MAIN:
    uniq_init(u, seed, UNIQ_END, 0, 1);
    break;
  default:
    uniq_init(u, seed, UNIQ_MIDDLE,
              purpose == RNG_HOOKS && index < 2 ? index : OTHERS - 1, OTHERS);
  }
}

void rand_stream_init(struct rand_stream *s, const struct rand_params *params,
                      uint64_t seed, enum rng_purpose purpose, uint64_t index,
                      uint64_t workers)
{
  rng_seed(&s->rng, seed, purpose, index);
  s->params = params;
  s->zipf = (struct zipf_cache){ 0 };
  stream_init_uniq(&s->uniq, seed, purpose, index, workers);
}

void rand_stream_done(struct rand_stream *s)
{
  uniq_done(&s->uniq);
}
