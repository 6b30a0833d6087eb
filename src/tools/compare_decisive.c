/*
 * compare_decisive.c - the figure of a comparison that decides.
 */
#include <stddef.h>
#include <string.h>

#include "tools/compare.h"
#include "tools/compare_internal.h"

/* Was the load of both the same, so that it fixes the throughput? */
static bool same_load(const struct group *a, const struct group *b)
{
  static const char rate[] = "options.rate.value";
  static const char profile[] = "options.load-profile.value";
  const char *own = result_text_at(a->runs[0]->json, profile);
  const char *other = result_text_at(b->runs[0]->json, profile);
  const double per_s = result_number_at(a->runs[0]->json, rate);

  if (own && *own)
    return other && strcmp(own, other) == 0;
  return per_s > 0 && per_s == result_number_at(b->runs[0]->json, rate);
}

static const struct comparison *find(const struct comparisons *c,
                                     enum compare_kind kind, const char *name)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].kind == kind && strcmp(c->of[i].name, name) == 0)
      return &c->of[i];
  }
  return NULL; /* not one of the fixed percentiles */
}

const struct comparison *comparisons_decisive(const struct comparisons *c)
{
  const struct comparison *throughput = find(c, COMPARE_THROUGHPUT, "events/s");
  const struct comparison *mean = find(c, COMPARE_THROUGHPUT,
                                       COMPARE_FIGURES_MEAN);

  if (!mean)
    mean = find(c, COMPARE_ACCESS, COMPARE_FIGURES_MEAN);
  if (mean)
    return mean;
  if (!throughput) /* the only figure of the test's own */
    return &c->of[0];
  if (throughput->r.ratio > 0 && same_load(c->base, c->other))
    return find(c, COMPARE_LATENCY, "mean");
  return throughput;
}
