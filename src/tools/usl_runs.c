#include "tools/usl_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "tools/bootstrap.h"
#include "tools/groups.h"
#include "tools/units.h"
#include "tools/usl.h"

bool usl_is_option(const char *option)
{
  return strcmp(option, "threads") == 0 || strcmp(option, "clients") == 0;
}

bool usl_point_of(const struct result *r, const char *workers,
                  struct usl_point *ret)
{
  int64_t n;

  if (parse_int(workers, &n) < 0 || n < 1 || !(r->events_per_s > 0) ||
      json_is_object(json_object_get(r->json, "rate")))
    return false;
  *ret = (struct usl_point){ (double)n, r->events_per_s };
  return true;
}

/* If the law applies, else NULL. */
static const char *usl_runs_only_option(const struct groups *g)
{
  const json_t *values = g->of[0].values;
  const char *name;
  json_t *ignored;

  if (json_object_size(values) != 1)
    return NULL;
  json_object_foreach((json_t *)(uintptr_t)values, name, ignored)
  {
    return usl_is_option(name) ? name : NULL;
  }
  return NULL;
}

bool usl_of_groups(const struct groups *g, struct usl *ret)
{
  const char *option = g->n > 0 ? usl_runs_only_option(g) : NULL;
  struct usl_point *points;
  size_t all = 0, n = 0;
  bool found;

  for (size_t i = 0; i < g->n; i++)
    all += g->of[i].n;
  points = option ? calloc(all + 1, sizeof(*points)) : NULL;
  if (!points)
    return false;
  for (size_t i = 0; i < g->n; i++) {
    const struct group *one = &g->of[i];
    const char *text = json_string_value(json_object_get(one->values, option));

    for (size_t k = 0; text && k < one->n; k++)
      n += usl_point_of(one->runs[k], text, &points[n]);
  }
  found = usl_fit(ret, points, n);
  free(points);
  return found;
}

static void usl_runs_add_percent(struct strbuf *out, double share)
{
  if (share < 9.995)
    strbuf_addf(out, "%.3g", 100 * share);
  else
    strbuf_addf(out, "%.0f", 100 * share);
}

static void usl_runs_add_share(struct strbuf *out, const char *what,
                               const struct usl_figure *f)
{
  strbuf_addf(out, "%s ", what);
  usl_runs_add_percent(out, f->value);
  strbuf_adds(out, " % (");
  usl_runs_add_percent(out, f->low);
  strbuf_adds(out, " to ");
  usl_runs_add_percent(out, f->high);
  strbuf_adds(out, " %)");
}

void usl_print(const struct usl *u, const char *option, struct strbuf *out)
{
  char rate[UNIT_SIZE];

  strbuf_adds(out, "scalability: ");
  usl_runs_add_share(out, "contention", &u->contention);
  usl_runs_add_share(out, ", coherence", &u->coherence);
  strbuf_addf(out,
              ", with %.0f %% intervals (Universal Scalability Law over %zu "
              "values)\n",
              100 * BOOT_CONFIDENCE, u->values);
  if (!u->has_peak)
    strbuf_adds(out, "no peak within the data\n");
  else
    strbuf_addf(out, "peak: %s events/s at about %.0f %s (%.0f to %.0f)%s\n",
                unit_count(rate, u->peak), u->peak_at.value, option,
                u->peak_at.low, u->peak_at.high,
                u->peak_at.value > USL_TRUSTED * u->largest
                  ? ", far beyond the data"
                  : "");
  if (u->patterned)
    strbuf_adds(out, "The law does not describe these steps: the deviations "
                     "from it follow a pattern.\n");
}

static json_t *usl_runs_figure(const struct usl_figure *f)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "value", f->value);
  jobj_real(&o, "low", f->low);
  jobj_real(&o, "high", f->high);
  return jobj_take(&o);
}

json_t *usl_json(const struct usl *u)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "confidence", BOOT_CONFIDENCE);
  jobj_int(&o, "values", u->values);
  jobj_int(&o, "runs", u->runs);
  jobj_add(&o, "single_events_per_s", usl_runs_figure(&u->single));
  jobj_add(&o, "contention_ratio", usl_runs_figure(&u->contention));
  jobj_add(&o, "coherence_ratio", usl_runs_figure(&u->coherence));
  if (u->has_peak) {
    jobj_add(&o, "peak_at", usl_runs_figure(&u->peak_at));
    jobj_real(&o, "peak_events_per_s", u->peak);
  } else {
    jobj_null(&o, "peak_at");
    jobj_null(&o, "peak_events_per_s");
  }
  jobj_bool(&o, "patterned", u->patterned);
  return jobj_take(&o);
}
