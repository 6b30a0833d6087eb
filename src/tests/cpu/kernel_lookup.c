/*
 * kernel_lookup.c - lookup: searches in a hash table of 256 KiB, which fits in
 * a second-level cache. Half of the keys exist, half of the slots are used. A
 * lookup is a multiplication, a load, and one or two turns of an unpredictable
 * loop. Lookups do not wait for each other.
 */
#include "tests/cpu/kernel.h"

enum {
  BITS = 14,
  SLOTS = 1 << BITS,
  LOOKUPS = 1 << 16,
};

struct slot {
  uint64_t key; /* 0: unused */
  uint64_t value;
};

/* Not 0, and different for each number. */
static uint64_t kernel_lookup_key_of(uint64_t number)
{
  return cpu_scatter(number + 1);
}

static unsigned place_of(uint64_t key)
{
  return (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - BITS));
}

static int kernel_lookup_prepare(void *mem, struct err *err)
{
  struct slot *table = mem;

  (void)err;
  for (uint64_t i = 0; i < SLOTS / 2; i++) {
    const uint64_t key = kernel_lookup_key_of(i);
    unsigned at = place_of(key);

    while (table[at].key != 0)
      at = (at + 1) % SLOTS;
    table[at] = (struct slot){ key, i + 1 };
  }
  return 0;
}

static uint64_t kernel_lookup_run(void *mem)
{
  const struct slot *table = mem;
  uint64_t found = 0, sum = 0, state = 7;

  for (unsigned i = 0; i < LOOKUPS; i++) {
    const uint64_t key = kernel_lookup_key_of(cpu_noise(&state) % SLOTS);
    unsigned at = place_of(key);

    while (table[at].key != 0 && table[at].key != key)
      at = (at + 1) % SLOTS;
    found += table[at].key == key;
    sum += table[at].value;
  }
  return cpu_sum(sum, found);
}

const struct cpu_kernel cpu_kernel_lookup = {
  .name = "lookup",
  .unit = "lookup",
  .operations = LOOKUPS,
  .result = UINT64_C(0x2f7538a19d7bd09d),
  .bytes = SLOTS * sizeof(struct slot),
  .prepare = kernel_lookup_prepare,
  .portable = { .name = "portable", .run = kernel_lookup_run },
};
