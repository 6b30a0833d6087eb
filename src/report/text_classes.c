/*
 * text_classes.c - the table of --report-classes: classes of operations with
 * their share of the time, in descending order of that time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "report/form.h"
#include "report/text.h"
#include "report/text_num.h"
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

/* Append the name on one line, cut between characters. */
static void add_name(struct strbuf *b, const char *name)
{
  const size_t shown = utf8_cut(name, SHOWN_MAX);

  for (size_t i = 0; i < shown; i++)
    strbuf_add(b, (unsigned char)name[i] < ' ' ? " " : &name[i], 1);
  strbuf_adds(b, name[shown] != '\0' ? "...\n" : "\n");
}

/* What the table shows beside the times. */
struct columns {
  bool rows;                                     /* of statements */
  bool bytes;                                    /* that operations transfer */
  unsigned n;                                    /* percentiles */
  double percentile[REPORT_PERCENTILES_MAX + 1]; /* ascending */
};

/* Keep the numbers in order, each one once. */
static void add_percentile(struct columns *c, double p)
{
  unsigned at = c->n;

  while (at > 0 && c->percentile[at - 1] > p)
    at--;
  if (at > 0 && c->percentile[at - 1] == p)
    return;
  memmove(&c->percentile[at + 1], &c->percentile[at],
          (c->n - at) * sizeof(c->percentile[0]));
  c->percentile[at] = p;
  c->n++;
}

static void choose_percentiles(struct columns *c,
                               const struct report_setup *setup)
{
  c->n = 0;
  if (setup->percentile > 0.0)
    add_percentile(c, setup->percentile);
  for (unsigned i = 0; i < setup->n_percentiles; i++)
    add_percentile(c, setup->percentiles[i]);
}

static void choose_columns(struct columns *c, const struct report_setup *setup,
                           const struct report *r)
{
  *c = (struct columns){ .rows = r->form->has_statements };
  for (unsigned i = 0; i < r->classes.n; i++)
    c->bytes |= r->classes.of[i].bytes > 0;
  c->bytes &= !c->rows;
  choose_percentiles(c, setup);
}

static void add_percentile_titles(struct strbuf *b,
                                  const struct columns *columns)
{
  char pct[FMT_DOUBLE_SIZE + 1], text[FMT_DOUBLE_SIZE];

  for (unsigned i = 0; i < columns->n; i++) {
    (void)snprintf(pct, sizeof(pct), "%s%%",
                   fmt_shortest(text, columns->percentile[i]));
    strbuf_addf(b, "%10s ", pct);
  }
}

static void add_header(struct strbuf *b, const struct columns *columns,
                       const struct report_form *form)
{
  strbuf_addf(b, "\n%s (times in ms):\n%7s %12s %8s ", form->classes, "share",
              "count", "errors");
  if (columns->rows)
    strbuf_addf(b, "%12s ", "rows");
  if (columns->bytes)
    strbuf_addf(b, "%10s ", "MiB/s");
  strbuf_addf(b, "%10s ", "avg");
  add_percentile_titles(b, columns);
  strbuf_addf(b, "%10s  %s\n", "max", form->class);
}

static void add_row(struct strbuf *b, const struct columns *columns,
                    const struct report *r, const struct class_report *c,
                    double all_ns)
{
  strbuf_addf(b, "%6.1f%% %12llu %8llu ",
              all_ns > 0 ? 100.0 * (double)c->sum_ns / all_ns : 0.0,
              (unsigned long long)c->count, (unsigned long long)c->errors);
  if (columns->rows)
    strbuf_addf(b, "%12llu ", (unsigned long long)c->rows);
  if (columns->bytes)
    strbuf_addf(b, "%10.2f ", report_rate(r, c->bytes) / TEXT_MIB);
  strbuf_addf(b, "%10.3f ", text_ms(c->sum_ns) / (double)c->count);
  for (unsigned i = 0; i < columns->n; i++)
    strbuf_addf(b, "%10.3f ",
                text_ms(class_percentile(c, columns->percentile[i])));
  strbuf_addf(b, "%10.3f  ", text_ms(c->max_ns));
  add_name(b, c->name);
}

int text_classes(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r)
{
  const struct class_report **order;
  struct columns columns;
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
    choose_columns(&columns, setup, r);
    add_header(b, &columns, r->form);
    for (unsigned i = 0; i < n; i++)
      add_row(b, &columns, r, order[i], all_ns);
  }
  free(order);
  return 0;
}

static void add_member(struct strbuf *b, const struct columns *columns,
                       double seconds, uint64_t all,
                       const struct class_report *c)
{
  strbuf_addf(b, "%12llu %12.2f %6.1f%% %10.3f ", (unsigned long long)c->count,
              seconds > 0 ? (double)c->count / seconds : 0.0,
              all > 0 ? 100.0 * (double)c->count / (double)all : 0.0,
              c->count > 0 ? text_ms(c->sum_ns) / (double)c->count : 0.0);
  for (unsigned i = 0; i < columns->n; i++)
    strbuf_addf(b, "%10.3f ",
                c->count > 0 ? text_ms(class_percentile(c, columns->percentile[i]))
                             : 0.0);
  strbuf_addf(b, "%8llu %10llu  ", (unsigned long long)c->errors,
              (unsigned long long)c->reconnects);
  add_name(b, c->name);
}

void text_members(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r)
{
  /* The report itself may be about the time since a checkpoint. */
  const uint64_t ns = r->total ? r->total->period_ns
                               : max_u64(r->period_ns, r->elapsed_ns);
  const double seconds = (double)ns / NS_PER_S;
  struct columns columns;
  uint64_t all = 0;

  for (unsigned i = 0; i < r->members.n; i++)
    all += r->members.of[i].count;
  choose_percentiles(&columns, setup);
  strbuf_addf(b, "Members (times in ms):\n%12s %12s %7s %10s ", "events",
              "events/s", "share", "avg");
  add_percentile_titles(b, &columns);
  strbuf_addf(b, "%8s %10s  %s\n", "errors", "reconnects", "member");
  for (unsigned i = 0; i < r->members.n; i++)
    add_member(b, &columns, seconds, all, &r->members.of[i]);
  strbuf_adds(b, "\n");
}
