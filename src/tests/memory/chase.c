#include "tests/memory/chase.h"

#include "base/compiler.h"

enum {
  UNROLLED = 16,
};

void chase_init(struct chase *c, void *base, size_t stride, uint64_t seed)
{
  *c = (struct chase){ .base = base, .stride = stride, .lines = 1, .at = base };
  rng_seed(&c->rng, seed, RNG_INTERNAL, 0);
  *c->at = c->at;
}

GOES_OVER_MEMORY static void **chase_line_of(const struct chase *c, size_t i)
{
  return (void **)(void *)(c->base + i * c->stride);
}

GOES_OVER_MEMORY void chase_grow(struct chase *c, size_t lines)
{
  for (; c->lines < lines; c->lines++) {
    void **before = chase_line_of(c, rng_below(&c->rng, c->lines));
    void **here = chase_line_of(c, c->lines);

    *here = *before;
    *before = here;
  }
}

#define STEP at = *at
#define STEPS_4 \
  STEP;         \
  STEP;         \
  STEP;         \
  STEP

/* Waits for the last access; a CPU that works ahead would read the clock dozens
 * of accesses too early. */
static inline void chase_settle(void)
{
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("dsb ld\n\tisb" ::: "memory");
#endif
}

GOES_OVER_MEMORY size_t chase_run(struct chase *c, size_t steps)
{
  const size_t turns = (steps + UNROLLED - 1) / UNROLLED;
  void **at = c->at;

  for (size_t i = 0; i < turns; i++) {
    STEPS_4;
    STEPS_4;
    STEPS_4;
    STEPS_4;
    OPAQUE(at); /* the loop cannot be left out */
  }
  c->at = at;
  chase_settle();
  return turns * UNROLLED;
}
