/*
 * text_classes.c - the table of --report-statements: classes of operations with
 * their share of the time, in descending order of that time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "report/form.h"
#include "report/text.h"
#include "stats/report.h"

enum {
  SHOWN_MAX = 100 /* bytes of a statement that are shown */
};

static int by_time(const void *a, const void *b)
{
  const struct class_report *x = *(const struct class_report *const *)a;
  const struct class_report *y = *(const struct class_report *const *)b;

  if (x->sum_ns != y->sum_ns)
    return x->sum_ns < y->sum_ns ? 1 : -1;
  return x < y ? -1 : x > y; /* otherwise in the order in which they came */
}

static double ms(uint64_t ns)
{
  return (double)ns / (double)NS_PER_MS;
}

/* Append the name on one line, cut between characters. */
static void add_name(struct strbuf *b, const char *name)
{
  const size_t shown = utf8_cut(name, SHOWN_MAX);

  for (size_t i = 0; i < shown; i++)
    strbuf_add(b, (unsigned char)name[i] < ' ' ? " " : &name[i], 1);
  strbuf_adds(b, name[shown] != '\0' ? "...\n" : "\n");
}

static void add_row(struct strbuf *b, const struct report_setup *setup,
                    const struct class_report *c, double all_ns)
{
  uint64_t at_ns = hist_percentile(c->hist, setup->percentile);

  if (at_ns < c->min_ns)
    at_ns = c->min_ns;
  if (at_ns > c->max_ns)
    at_ns = c->max_ns;
  strbuf_addf(b, "%6.1f%% ",
              all_ns > 0 ? 100.0 * (double)c->sum_ns / all_ns : 0.0);
  strbuf_addf(b, "%12llu %8llu %12llu %10.2f ", (unsigned long long)c->count,
              (unsigned long long)c->errors, (unsigned long long)c->rows,
              ms(c->sum_ns) / (double)c->count);
  if (setup->percentile > 0.0)
    strbuf_addf(b, "%10.2f ", ms(at_ns));
  strbuf_addf(b, "%10.2f  ", ms(c->max_ns));
  add_name(b, c->name);
}

int text_classes(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r)
{
  const struct class_report **order;
  char pct[FMT_DOUBLE_SIZE + 1], text[FMT_DOUBLE_SIZE];
  double all_ns = 0;
  unsigned n = 0;

  order = malloc((r->classes.n + 1) * sizeof(const struct class_report *));
  if (!order)
    return -ENOMEM;
  for (unsigned i = 0; i < r->classes.n; i++) {
    if (r->classes.of[i].count > 0)
      order[n++] = &r->classes.of[i];
    all_ns += (double)r->classes.of[i].sum_ns;
  }
  if (n > 0) {
    /* It sorts pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(order, n, sizeof(*order), by_time);
    strbuf_addf(b, "\n%s (times in ms):\n%7s %12s %8s %12s %10s ",
                r->form->classes, "share", "count", "errors", "rows", "avg");
    if (setup->percentile > 0.0) {
      (void)snprintf(pct, sizeof(pct), "%s%%",
                     fmt_shortest(text, setup->percentile));
      strbuf_addf(b, "%10s ", pct);
    }
    strbuf_addf(b, "%10s  %s\n", "max", r->form->class);
    for (unsigned i = 0; i < n; i++)
      add_row(b, setup, order[i], all_ns);
  }
  free(order);
  return 0;
}
