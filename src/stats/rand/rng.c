#include "stats/rand/rng.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

double rng_exponential(struct rng *rng)
{
  return -log(1.0 - rng_double(rng)); /* never log(0) */
}

/* Both clocks are used: machines started from one image can agree in one clock
 * and in the process id. */
static uint64_t clock_reading(clockid_t clock)
{
  struct timespec ts = { 0 };

  (void)clock_gettime(clock, &ts); /* cannot fail */
  return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

int64_t rand_seed_from_clock(void)
{
  uint64_t x = rng_mix((uint64_t)getpid() * RNG_GAMMA);

  x = rng_mix(x + clock_reading(CLOCK_MONOTONIC) * RNG_GAMMA);
  x = rng_mix(x + clock_reading(CLOCK_REALTIME) * RNG_GAMMA);
  x >>= 11;
  return x ? (int64_t)x : 1;
}
