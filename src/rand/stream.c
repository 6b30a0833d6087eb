/*
 * stream.c - the start of a stream, and its share of the unique numbers.
 */
#include "rand/stream.h"

#include <assert.h>

/*
 * Worker `index` has the slot of its number.  The one after the last worker's
 * belongs to everything else; those who live at the same time in there, the
 * main state and the states of report threads, divide it among themselves.
 */
static void init_uniq(struct uniq *u, uint64_t seed, enum rng_purpose purpose,
                      uint64_t index, uint64_t workers)
{
  enum {
    OTHERS = 4
  };
  const uint64_t slots = workers + 1;
  uint64_t other = OTHERS - 1;

  if (purpose == RNG_WORKLOAD || purpose == RNG_COMMAND) {
    assert(index < workers);
    uniq_init(u, seed, index, slots);
    return;
  }
  if (purpose == RNG_MAIN)
    other = 0;
  else if (purpose == RNG_HOOKS && index < 2)
    other = 1 + index;
  uniq_init(u, seed, workers + other * slots, OTHERS * slots);
}

void rand_stream_init(struct rand_stream *s, const struct rand_params *params,
                      uint64_t seed, enum rng_purpose purpose, uint64_t index,
                      uint64_t workers)
{
  rng_seed(&s->rng, seed, purpose, index);
  s->params = params;
  s->zipf = (struct zipf_cache){ 0 };
  init_uniq(&s->uniq, seed, purpose, index, workers);
}
