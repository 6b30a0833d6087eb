#include "tools/groups.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "stats/slo.h"
#include "tools/numbers.h"

static bool groups_is_good(const struct result *r)
{
  return r && r->events_per_s >= 0;
}

static int groups_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the results");
}

static int groups_add_run(struct group *g, const struct result *run,
                          struct err *err)
{
  const struct result **more = realloc(g->runs,
                                       (g->n + 1) * sizeof(struct result *));

  if (!more)
    return groups_no_memory(err);
  g->runs = more;
  g->runs[g->n++] = run;
  return 0;
}

static int groups_add_steps(struct groups *g, const struct result_file *f,
                            struct err *err)
{
  for (size_t i = 0; i < f->n_steps; i++) {
    const struct result_step *s = &f->steps[i];
    struct group *to = &g->of[s->combination];
    int rc = 0;

    if (json_object_size(s->values) > 0)
      to->values = s->values;
    if ((s->exit_status == 0 || s->exit_status == SLO_EXIT_STATUS) &&
        groups_is_good(s->run))
      rc = groups_add_run(to, s->run, err);
    else
      to->failed++;
    if (rc < 0)
      return rc;
  }
  return 0;
}

static void groups_drop_empty(struct groups *g)
{
  size_t kept = 0;

  for (size_t i = 0; i < g->n; i++) {
    if (g->of[i].n > 0)
      g->of[kept++] = g->of[i];
  }
  g->n = kept;
}

int groups_init(struct groups *ret, const struct result_file *f,
                struct err *err)
{
  const size_t n = f->is_sweep ? f->n_combinations : 1;
  struct groups g = { .n = n };
  int rc = 0;

  g.of = calloc(n + 1, sizeof(*g.of));
  if (!g.of)
    return groups_no_memory(err);
  for (size_t i = 0; i < n; i++)
    g.of[i].path = f->path;
  if (f->is_sweep)
    rc = groups_add_steps(&g, f, err);
  else if (groups_is_good(&f->run))
    rc = groups_add_run(&g.of[0], &f->run, err);
  if (rc == 0) {
    groups_drop_empty(&g);
    if (g.n == 0)
      rc = err_set(err, -EINVAL,
                   "'%.400s' has no measurements: the run did not take place",
                   f->path);
  }
  if (rc < 0) {
    groups_done(&g);
    return rc;
  }
  *ret = g;
  return 0;
}

void groups_done(struct groups *g)
{
  if (!g)
    return;
  for (size_t i = 0; i < g->n; i++)
    free(g->of[i].runs);
  free(g->of);
  *g = (struct groups){ 0 };
}

const struct group *groups_find(const struct groups *g, const json_t *values)
{
  for (size_t i = 0; i < g->n; i++) {
    const json_t *here = g->of[i].values;

    if (here == values || (here && values && json_equal(here, values)))
      return &g->of[i];
  }
  return NULL;
}

void group_describe(const struct group *g, struct strbuf *out)
{
  const char *name;
  json_t *value;
  bool first = true;

  json_object_foreach((json_t *)(uintptr_t)g->values, name, value)
  {
    const char *text = json_string_value(value);

    strbuf_adds(out, first ? "" : ", ");
    if (strcmp(name, "rate") == 0 && text && strcmp(text, "0") == 0)
      strbuf_adds(out, "closed loop");
    else
      strbuf_addf(out, "%s=%s", name, text ? text : "?");
    first = false;
  }
}

/* `of` NULL: the percentile `key`. */
static double groups_median_of(const struct group *g,
                               double (*of)(const struct result *),
                               const char *key)
{
  double *x = calloc(g->n + 1, sizeof(*x));
  double median = NAN;

  if (!x)
    return NAN;
  for (size_t i = 0; i < g->n; i++)
    x[i] = of ? of(g->runs[i]) : result_percentile(g->runs[i], key);
  median = spread_of(x, g->n).median;
  free(x);
  return median;
}

double group_median(const struct group *g, double (*of)(const struct result *))
{
  return groups_median_of(g, of, NULL);
}

double group_percentile(const struct group *g, const char *key)
{
  return groups_median_of(g, NULL, key);
}
