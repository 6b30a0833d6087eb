/*
 * view_find.c - a search in a report: its answer, its steps, and the curve of
 * latency by load with the objective as a line.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tools/chart.h"
#include "tools/find.h"
#include "tools/html.h"
#include "tools/numbers.h"
#include "tools/table.h"
#include "tools/view.h"
#include "tools/view_charts.h"

int view_find_load(struct view *v, size_t file, struct err *err)
{
  const json_t *search = result_at(v->files[file].json, "sweep.search");
  struct err why = { "" };
  struct find *f;

  if (!search)
    return 0;
  f = calloc(1, sizeof(*f));
  if (!f)
    return err_set(err, -ENOMEM, "not enough memory for the report");
  v->finds[file] = f;
  if (find_read(f, search, &why) < 0)
    return err_set(err, -EINVAL, "'%.200s' cannot be shown: %s",
                   v->files[file].path, why.text);
  v->has_find = true;
  return 0;
}

void view_find_answers(const struct view *v, struct strbuf *out)
{
  for (size_t i = 0; i < v->n_files; i++) {
    if (!v->finds[i])
      continue;
    if (v->n_files > 1)
      strbuf_addf(out, "%s: ", v->names[i]);
    find_say(v->finds[i], out);
  }
}

static void add_row(struct table *t, const struct find *f, size_t i)
{
  const struct search_step *s = &f->step[i];
  struct strbuf value = { 0 };

  find_value(f, s->value, &value);
  table_cellf(t, "%zu", i + 1);
  table_cell(t, search_phase_name(s->phase));
  table_cell(t, s->value > 0 ? strbuf_str(&value) : "closed loop");
  table_cell(t, s->value > 0 ? search_verdict_name(s->verdict) : "-");
  table_cellf(t, "%.2f", s->throughput);
  if (isfinite(f->latency_ns[i]))
    table_time(t, f->latency_ns[i]);
  table_end_row(t);
  strbuf_done(&value);
}

void view_find_steps(const struct view *v, struct table *t)
{
  table_cell(t, "step");
  table_cell(t, "phase");
  table_cell(t, "load");
  table_cell(t, "objective");
  table_cell(t, "events/s");
  table_cell(t, "latency");
  table_end_row(t);
  for (size_t i = 0; i < v->n_files; i++) {
    for (size_t k = 0; v->finds[i] && k < v->finds[i]->n; k++)
      add_row(t, v->finds[i], k);
  }
}

/* ---- the curve ---- */

struct points {
  double x[SEARCH_STEPS_MAX], y[SEARCH_STEPS_MAX];
  size_t n;
};

/* Keep x in order. */
static void add_point(struct points *p, double x, double y)
{
  size_t at = p->n++;

  for (; at > 0 && p->x[at - 1] > x; at--) {
    p->x[at] = p->x[at - 1];
    p->y[at] = p->y[at - 1];
  }
  p->x[at] = x;
  p->y[at] = y;
}

static void collect(const struct find *f, enum search_verdict verdict,
                    struct points *p)
{
  for (size_t i = 0; i < f->n; i++) {
    const struct search_step *s = &f->step[i];

    if (s->value > 0 && s->verdict == verdict && isfinite(f->latency_ns[i]))
      add_point(p, s->value, f->latency_ns[i]);
  }
}

static void add_line(struct chart *c, const char *name, const struct points *p,
                     bool dots)
{
  if (p->n > 0)
    c->lines[c->n_lines++] = (struct chart_line){
      .name = name, .x = p->x, .y = p->y, .n = p->n, .dots = dots
    };
}

/* Across the whole chart. */
static void add_limit(const struct find *f, struct points *p)
{
  double low = INFINITY, high = 0;

  for (size_t i = 0; i < f->n; i++) {
    if (!(f->step[i].value > 0))
      continue;
    low = fmin(low, f->step[i].value);
    high = fmax(high, f->step[i].value);
  }
  if (!(high > 0) || !isfinite(f->limit_ns))
    return;
  add_point(p, low, f->limit_ns);
  add_point(p, high, f->limit_ns);
}

/* The answer, at the latency of one of its steps. */
static void mark_answer(const struct find *f, struct chart *c)
{
  for (size_t i = 0; f->search.end == SEARCH_FOUND && i < f->n; i++) {
    if (f->step[i].value != f->search.low || !isfinite(f->latency_ns[i]))
      continue;
    c->marks[c->n_marks++] = (struct chart_mark){ f->search.low,
                                                  f->latency_ns[i], "answer" };
    return;
  }
}

static void draw(const struct find *f, struct strbuf *out)
{
  struct points *p = calloc(4, sizeof(*p));
  struct chart c = {
    .title = "Latency by load",
    .x = { .label = f->rules.what == SEARCH_RATE
                      ? "events per second"
                      : search_what_name(f->rules.what),
           .kind = AXIS_LINEAR,
           .unit = AXIS_COUNT },
    .y = { .label = f->objective, .kind = AXIS_LOG, .unit = AXIS_TIME },
  };

  if (!p) {
    out->failed = true;
    return;
  }
  collect(f, SEARCH_HELD, &p[0]);
  collect(f, SEARCH_FAILED, &p[1]);
  collect(f, SEARCH_OPEN, &p[2]);
  add_limit(f, &p[3]);
  add_line(&c, "held", &p[0], true);
  add_line(&c, "failed", &p[1], true);
  add_line(&c, "not decided", &p[2], true);
  add_line(&c, "objective", &p[3], false);
  mark_answer(f, &c);
  (void)chart_svg(&c, out);
  free(p);
}

void view_charts_find(const struct view *v, struct strbuf *out)
{
  for (size_t i = 0; i < v->n_files; i++) {
    if (!v->finds[i])
      continue;
    if (v->n_files > 1)
      html_paragraph(out, v->files[i].path);
    draw(v->finds[i], out);
  }
}
