#include "stats/slices.h"

void slices_start(struct slices *s, const struct slice_moment *now)
{
  s->length_ns = SLICES_NS;
  s->n = 1;
  s->moment[0] = *now;
}

uint64_t slices_due(const struct slices *s)
{
  return s->n > 0 ? s->moment[s->n - 1].at_ns + s->length_ns : UINT64_MAX;
}

static void slices_merge_pairs(struct slices *s)
{
  for (unsigned i = 1; 2 * i <= SLICES_MAX; i++)
    s->moment[i] = s->moment[2 * i];
  s->n = SLICES_MAX / 2 + 1;
  s->length_ns *= 2;
}

void slices_note(struct slices *s, const struct slice_moment *now)
{
  if (s->n == 0 || now->at_ns < slices_due(s))
    return;
  if (s->n == SLICES_MAX + 1)
    slices_merge_pairs(s);
  /* The merge has moved the moment due. */
  if (now->at_ns >= slices_due(s))
    s->moment[s->n++] = *now;
}
