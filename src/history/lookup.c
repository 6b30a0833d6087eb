/*
 * lookup.c - see lookup.h.
 */
#include "history/lookup.h"

#include <errno.h>
#include <stdlib.h>

enum {
  FIRST_SLOTS = 64
};

void lookup_done(struct lookup *l)
{
  free(l->slots);
  *l = (struct lookup){ 0 };
}

uint64_t lookup_mix(uint64_t a, uint64_t b)
{
  uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b;

  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 32;
}

uint32_t lookup_find(const struct lookup *l, uint64_t hash, lookup_same *same,
                     const void *ctx)
{
  if (!l->slots)
    return UINT32_MAX;
  for (size_t i = hash & l->mask; l->slots[i]; i = (i + 1) & l->mask) {
    if (same(ctx, l->slots[i] - 1))
      return l->slots[i] - 1;
  }
  return UINT32_MAX;
}

static void place(struct lookup *l, uint32_t index, uint64_t hash)
{
  size_t i = hash & l->mask;

  while (l->slots[i])
    i = (i + 1) & l->mask;
  l->slots[i] = index + 1;
}

int lookup_add(struct lookup *l, uint32_t index, lookup_hash *hash,
               const void *ctx)
{
  if (!l->slots || l->n * 2 > l->mask) {
    const size_t room = l->slots ? (l->mask + 1) * 2 : FIRST_SLOTS;
    struct lookup more = { calloc(room, sizeof(*more.slots)), room - 1, l->n };

    if (!more.slots)
      return -ENOMEM;
    for (size_t i = 0; l->slots && i <= l->mask; i++) {
      if (l->slots[i])
        place(&more, l->slots[i] - 1, hash(ctx, l->slots[i] - 1));
    }
    free(l->slots);
    *l = more;
  }
  place(l, index, hash(ctx, index));
  l->n++;
  return 0;
}
