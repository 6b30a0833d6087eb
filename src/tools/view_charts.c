/*
 * view_charts.c - throughput, latencies and the system's load over time.
 */
#include "tools/view_charts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "tools/chart.h"
#include "tools/html.h"
#include "tools/view.h"
#include "tools/view_draw.h"

/* A figure of an interval. */
struct trace {
  const char *name;
  const char *path; /* in the interval; a percentile's is NULL */
  const char *percentile;
  double scale;
};

static double trace_at(const struct trace *t, const struct result_interval *i)
{
  return t->scale * (t->path ? result_number_at(i->json, t->path)
                             : result_interval_percentile(i, t->percentile));
}

/* Short intervals at the end scatter too much. */
static bool is_scrap(const struct result *r, size_t i)
{
  return r->intervals[i].partial && i > 0 &&
         r->intervals[i].period_s < r->intervals[i - 1].period_s / 2;
}

/* Add a line to `c`.  The line keeps its memory, which drop_lines() frees. */
static void add_trace(struct chart *c, const char *name, const struct result *r,
                      const struct trace *t)
{
  struct chart_line *line = &c->lines[c->n_lines];
  double *xy;

  if (c->n_lines == CHART_LINES_MAX || r->n_intervals == 0)
    return;
  xy = calloc(2 * r->n_intervals, sizeof(*xy));
  if (!xy)
    return;
  *line = (struct chart_line){ .name = name,
                               .x = xy,
                               .y = xy + r->n_intervals };
  for (size_t i = 0; i < r->n_intervals; i++) {
    if (is_scrap(r, i))
      continue;
    xy[line->n] = r->intervals[i].end_s;
    xy[r->n_intervals + line->n] = trace_at(t, &r->intervals[i]);
    line->n++;
  }
  c->n_lines++;
}

static void drop_lines(struct chart *c)
{
  for (size_t i = 0; i < c->n_lines; i++)
    free((void *)(uintptr_t)c->lines[i].x);
  c->n_lines = 0;
}

void view_draw(struct chart *c, const char *missing, struct strbuf *out)
{
  if (!chart_svg(c, out) && missing) {
    strbuf_adds(out, "<figure><figcaption>");
    html_add(out, c->title);
    strbuf_adds(out, "</figcaption><p class=\"dim\">");
    html_add(out, missing);
    strbuf_adds(out, "</p></figure>\n");
  }
  drop_lines(c);
}

static struct chart over_time(const char *title, const char *y_label,
                              enum axis_unit unit)
{
  return (struct chart){
    .title = title,
    .x = { .label = "time since the measured start (s)",
           .unit = AXIS_SECONDS,
           .from_zero = true },
    .y = { .label = y_label, .unit = unit, .from_zero = true },
  };
}

/* Draw the same figure of all runs. */
static void all_runs(const struct view *v, struct chart *c,
                     const struct trace *t)
{
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++)
    add_trace(c, v->runs[i].label, v->runs[i].run, t);
}

/* Is the figure above 0 anywhere? */
static bool occurs(const struct view *v, const struct trace *t)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    const struct result *r = v->runs[i].run;

    for (size_t k = 0; k < r->n_intervals; k++) {
      if (trace_at(t, &r->intervals[k]) > 0)
        return true;
    }
  }
  return false;
}

static const char no_intervals[] = "The results have no intervals.";
static const char one_interval[] =
  "The results have no more than one interval each: nothing to draw over time.";

/* Is there a line to draw, with more than one point? */
static bool has_lines(const struct view *v)
{
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    const struct result *r = v->runs[i].run;

    if (r->n_intervals -
          (r->n_intervals > 0 && is_scrap(r, r->n_intervals - 1)) >
        1)
      return true;
  }
  return false;
}

static void say_missing(const struct view *v, struct strbuf *out)
{
  bool any = false;

  for (size_t i = 0; i < v->n_runs; i++)
    any = any || v->runs[i].run->n_intervals > 0;
  strbuf_addf(out, "<p class=\"dim\">%s</p>\n",
              any ? one_interval : no_intervals);
}

enum {
  BANDS_MAX = 1200 /* all that a document has */
};

/* The outages of a single run, as shaded parts of its charts. */
struct bands {
  struct chart_band of[BANDS_MAX];
  size_t n;
};

static void add_bands(struct bands *b, const struct view *v, const char *path,
                      const char *style)
{
  const json_t *list = result_at(v->runs[0].run->json, path);

  for (size_t i = 0; i < json_array_size(list) && b->n < BANDS_MAX; i++) {
    const json_t *one = json_array_get(list, i);
    const double at = result_number_at(one, "at_s");

    b->of[b->n++] = (struct chart_band){
      .from = at,
      .to = at + result_number_at(one, "length_s"),
      .style = style,
    };
  }
}

static void shade(struct chart *c, const struct bands *b)
{
  c->bands = b->of;
  c->n_bands = b->n;
}

static void say_shaded(const struct bands *b, struct strbuf *out)
{
  if (b->n > 0)
    strbuf_adds(out, "<p class=\"dim\">Red: no client was served. Orange: less "
                     "than half of the usual throughput.</p>\n");
}

static void latency_over_time(const struct view *v, const struct bands *b,
                              struct strbuf *out)
{
  static const struct trace traces[] = {
    { "p50", NULL, "50", 1 },
    { "p95", NULL, "95", 1 },
    { "p99", NULL, "99", 1 },
    { "p99.9", NULL, "99.9", 1 },
    { "max", "latency_ns.max", NULL, 1 },
  };
  static const char *const titles[] = { "Median latency over time", NULL,
                                        "99th percentile over time" };
  struct chart c = over_time("Latency over time", "latency", AXIS_TIME);

  c.y.kind = AXIS_LOG;
  shade(&c, b);
  if (v->n_runs == 1) {
    for (size_t i = 0; i < ARRAY_SIZE(traces); i++)
      add_trace(&c, traces[i].name, v->runs[0].run, &traces[i]);
    view_draw(&c, "The results have no percentiles of intervals.", out);
    return;
  }
  for (size_t i = 0; i < ARRAY_SIZE(titles); i++) {
    if (!titles[i])
      continue;
    c.title = titles[i];
    all_runs(v, &c, &traces[i]);
    view_draw(&c, "The results have no percentiles of intervals.", out);
  }
}

static void draw_over_time(const struct view *v, const struct bands *b,
                           struct strbuf *out)
{
  static const struct trace events = { "", "events_per_s", NULL, 1 };
  static const struct trace queries = { "", "queries.total_per_s", NULL, 1 };
  static const struct trace offered = { "", "offered_per_s", NULL, 1 };
  static const struct trace errors = { "", "errors_per_s", NULL, 1 };
  struct chart c = over_time("Throughput over time", "events per second",
                             AXIS_COUNT);

  say_shaded(b, out);
  shade(&c, b);
  if (v->n_runs == 1 && occurs(v, &offered)) {
    add_trace(&c, "achieved", v->runs[0].run, &events);
    add_trace(&c, "offered", v->runs[0].run, &offered);
  } else {
    all_runs(v, &c, &events);
  }
  view_draw(&c, no_intervals, out);
  if (v->n_runs > 1 && occurs(v, &offered)) {
    c = over_time("Offered load over time", "events per second", AXIS_COUNT);
    all_runs(v, &c, &offered);
    view_draw(&c, NULL, out);
  }
  if (occurs(v, &queries)) {
    c = over_time("Queries over time", "queries per second", AXIS_COUNT);
    all_runs(v, &c, &queries);
    view_draw(&c, NULL, out);
  }
  latency_over_time(v, b, out);
  if (occurs(v, &errors)) {
    c = over_time("Errors over time", "errors per second", AXIS_COUNT);
    shade(&c, b);
    all_runs(v, &c, &errors);
    view_draw(&c, NULL, out);
  }
}

void view_charts_over_time(const struct view *v, struct strbuf *out)
{
  struct bands *b;

  if (!has_lines(v)) {
    say_missing(v, out);
    return;
  }
  b = calloc(1, sizeof(*b));
  if (!b) {
    out->failed = true;
    return;
  }
  if (v->n_runs == 1) {
    add_bands(b, v, "outages.brownouts", "slow");
    add_bands(b, v, "outages.stalls", "down");
  }
  draw_over_time(v, b, out);
  free(b);
}

static void system_of_one(const struct view *v, struct strbuf *out)
{
  static const struct trace cpu[] = {
    { "user", "system.cpu.user_ratio", NULL, 100 },
    { "system", "system.cpu.system_ratio", NULL, 100 },
    { "iowait", "system.cpu.iowait_ratio", NULL, 100 },
    { "stolen", "system.cpu.steal_ratio", NULL, 100 },
  };
  static const struct trace disk[] = {
    { "read", "system.disk.read_bytes", NULL, 1 },
    { "written", "system.disk.written_bytes", NULL, 1 },
  };
  static const struct trace net[] = {
    { "received", "system.network.received_bytes", NULL, 1 },
    { "sent", "system.network.sent_bytes", NULL, 1 },
    { "loopback", "system.network.loopback_bytes", NULL, 1 },
  };
  struct chart c = over_time("Processors of the machine", "share of all",
                             AXIS_SHARE);

  for (size_t i = 0; i < ARRAY_SIZE(cpu); i++)
    add_trace(&c, cpu[i].name, v->runs[0].run, &cpu[i]);
  view_draw(&c, "The results say nothing about processors.", out);

  c = over_time("Disk", "bytes per interval", AXIS_BYTES);
  c.named = true;
  for (size_t i = 0; i < ARRAY_SIZE(disk); i++) {
    if (occurs(v, &disk[i]))
      add_trace(&c, disk[i].name, v->runs[0].run, &disk[i]);
  }
  view_draw(&c, NULL, out);
  c = over_time("Network", "bytes per interval", AXIS_BYTES);
  c.named = true;
  for (size_t i = 0; i < ARRAY_SIZE(net); i++) {
    if (occurs(v, &net[i]))
      add_trace(&c, net[i].name, v->runs[0].run, &net[i]);
  }
  view_draw(&c, NULL, out);
}

void view_charts_system(const struct view *v, struct strbuf *out)
{
  static const struct trace idle = { "", "system.cpu.idle_ratio", NULL, 100 };
  static const struct trace switches = { "",
                                         "system.cpu.context_switches_per_s",
                                         NULL, 1 };
  struct chart c;

  if (!has_lines(v)) {
    say_missing(v, out);
    return;
  }
  if (v->n_runs == 1) {
    system_of_one(v, out);
    return;
  }
  c = over_time("Idle processors of the machine", "share of all", AXIS_SHARE);
  all_runs(v, &c, &idle);
  view_draw(&c, "The results say nothing about processors.", out);
  c = over_time("Context switches of the machine", "per second", AXIS_COUNT);
  all_runs(v, &c, &switches);
  view_draw(&c, NULL, out);
}
