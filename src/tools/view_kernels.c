/*
 * view_kernels.c - the kernels of the cpu test as bars: of one machine in
 * operations per second, of several beside each other as multiples of the
 * first.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "tools/bars.h"
#include "tools/units.h"
#include "tools/view.h"
#include "tools/view_charts.h"

static double rate_of(const struct view_run *r, const char *kernel)
{
  const json_t *all = result_at(r->run->json, "totals.cpu_kernels");

  return result_number_at(json_object_get(all, kernel), "operations_per_s");
}

static void set_bar(struct bar *bar, double rate, double first, bool multiple)
{
  char text[UNIT_SIZE];

  bar->value = multiple ? rate / first : rate;
  if (!isfinite(bar->value))
    (void)snprintf(bar->text, sizeof(bar->text), "-");
  else if (multiple)
    (void)snprintf(bar->text, sizeof(bar->text), "%.2f (%s/s)", bar->value,
                   unit_count(text, rate));
  else
    (void)snprintf(bar->text, sizeof(bar->text), "%s/s",
                   unit_count(text, rate));
}

/* Of the kernels that the run and the first one have. */
static void set_mean(struct bar *bar, const struct bar *of, size_t n,
                     size_t n_series, size_t series)
{
  double sum = 0;
  size_t found = 0;

  for (size_t i = 0; i < n; i++) {
    const double value = of[i * n_series + series].value;

    if (!isfinite(value) || value <= 0)
      continue;
    sum += log(value);
    found++;
  }
  bar->value = found > 0 ? exp(sum / (double)found) : NAN;
  if (found > 0)
    (void)snprintf(bar->text, sizeof(bar->text), "%.2f", bar->value);
  else
    (void)snprintf(bar->text, sizeof(bar->text), "-");
}

/* The kernels of the first run that has any; their names are borrowed. */
static size_t kernels_of(const struct view *v, const char **names, size_t room)
{
  size_t n = 0;

  for (size_t i = 0; i < v->n_runs && n == 0; i++) {
    const json_t *all = result_at(v->runs[i].run->json, "totals.cpu_kernels");
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)all, name, value)
    {
      if (n < room)
        names[n++] = name;
    }
  }
  return n;
}

enum {
  KERNELS_MAX = 64,
};

void view_charts_kernels(const struct view *v, struct strbuf *out)
{
  const size_t m = v->n_runs < VIEW_RUNS_MAX ? v->n_runs : VIEW_RUNS_MAX;
  const char *names[KERNELS_MAX + 1], *series[VIEW_RUNS_MAX];
  const size_t n = kernels_of(v, names, KERNELS_MAX);
  struct bar *of = n > 0 ? calloc((n + 1) * m, sizeof(*of)) : NULL;
  struct bars b = { .title = "Kernels",
                    .note = m > 1 ? "operations per second, as a multiple of "
                                    "the first result"
                                  : "operations per second, over powers of ten",
                    .groups = names,
                    .n_groups = m > 1 ? n + 1 : n,
                    .series = series,
                    .n_series = m,
                    .of = of,
                    .logarithmic = m == 1 };

  if (!of)
    return;
  names[n] = "geometric mean";
  for (size_t k = 0; k < m; k++) {
    series[k] = v->runs[k].label;
    for (size_t i = 0; i < n; i++)
      set_bar(&of[i * m + k], rate_of(&v->runs[k], names[i]),
              rate_of(&v->runs[0], names[i]), m > 1);
    set_mean(&of[n * m + k], of, n, m, k);
  }
  (void)bars_svg(&b, out);
  free(of);
}
