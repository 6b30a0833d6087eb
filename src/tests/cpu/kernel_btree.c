/*
 * kernel_btree.c - btree: searches in a tree of 65,536 keys, like the index of
 * a database. A node has 16 keys of 64 bits, two cache lines. Four levels take
 * 546 KiB.
 */
#include "tests/cpu/kernel.h"

enum {
  FANOUT = 16,
  LEVELS = 4, /* 0: the leaves */
  KEYS = 1 << 16,
  SEARCHES = 1 << 13,
};

struct tree {
  uint64_t keys[KEYS + KEYS / 16 + KEYS / 256 + KEYS / 4096];
};

/* The root comes first. */
static const unsigned begin_of[LEVELS] = {
  [3] = 0,
  [2] = KEYS / 4096,
  [1] = KEYS / 4096 + KEYS / 256,
  [0] = KEYS / 4096 + KEYS / 256 + KEYS / 16,
};

/* Keys ascend with gaps of 1 to 65,536. A level has the first key of each node
 * of the level below. */
static int kernel_btree_prepare(void *mem, struct err *err)
{
  struct tree *t = mem;
  uint64_t *leaves = t->keys + begin_of[0];
  uint64_t key = 0, state = 11;

  (void)err;
  for (unsigned i = 0; i < KEYS; i++) {
    leaves[i] = key;
    key += 1 + cpu_noise(&state) % 65536;
  }
  for (unsigned level = 1, n = KEYS / FANOUT; level < LEVELS;
       level++, n /= FANOUT) {
    for (unsigned i = 0; i < n; i++)
      t->keys[begin_of[level] + i] =
        t->keys[begin_of[level - 1] + (size_t)i * FANOUT];
  }
  return 0;
}

/* The number of the last key that is not larger; the first key is 0. */
static unsigned kernel_btree_search(const struct tree *t, uint64_t key)
{
  unsigned at = 0;

  for (unsigned level = LEVELS; level-- > 0;) {
    const uint64_t *node = t->keys + begin_of[level] + (size_t)at * FANOUT;
    unsigned i = 1;

    while (i < FANOUT && node[i] <= key)
      i++;
    at = at * FANOUT + i - 1;
  }
  return at;
}

static uint64_t kernel_btree_run(void *mem)
{
  const struct tree *t = mem;
  const uint64_t last = t->keys[begin_of[0] + KEYS - 1];
  uint64_t sum = 0, state = 13;

  for (unsigned i = 0; i < SEARCHES; i++)
    sum = cpu_sum(sum, kernel_btree_search(t, cpu_noise(&state) % (last + 1)));
  return sum;
}

const struct cpu_kernel cpu_kernel_btree = {
  .name = "btree",
  .unit = "search",
  .operations = SEARCHES,
  .result = UINT64_C(0x1425b2409a13efd0),
  .bytes = sizeof(struct tree),
  .prepare = kernel_btree_prepare,
  .portable = { .name = "portable", .run = kernel_btree_run },
};
