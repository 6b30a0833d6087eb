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
#include "tools/members.h"
#include "tools/view.h"
#include "tools/view_bands.h"
#include "tools/view_draw.h"

static double member_at(const struct trace *t, const json_t *interval)
{
  const json_t *member = member_find(interval, t->member);

  return t->scale * (t->path ? result_number_at(member, t->path)
                             : member_percentile(member, t->percentile));
}

/* `ctx` is a struct trace. */
static double trace_at(const void *ctx, const struct result_interval *i)
{
  const struct trace *t = ctx;

  if (t->member)
    return member_at(t, i->json);
  return t->scale * (t->path ? result_number_at(i->json, t->path)
                             : result_interval_percentile(i, t->percentile));
}

bool view_is_scrap(const struct result *r, size_t i)
{
  return r->intervals[i].partial && i > 0 &&
         r->intervals[i].period_s < r->intervals[i - 1].period_s / 2;
}

/* The line keeps its memory, which drop_lines() frees. */
void view_add_values(struct chart *c, const char *name, const struct view *v,
                     size_t run, view_value *value, const void *ctx)
{
  const struct result *r = v->runs[run].run;
  struct chart_line *line = &c->lines[c->n_lines];
  double *xy;

  if (c->n_lines == CHART_LINES_MAX || r->n_intervals == 0)
    return;
  xy = calloc(2 * r->n_intervals, sizeof(*xy));
  if (!xy)
    return;
  *line = (struct chart_line){
    .name = name, .x = xy, .y = xy + r->n_intervals, .times = run + 1
  };
  for (size_t i = 0; i < r->n_intervals; i++) {
    if (view_is_scrap(r, i))
      continue;
    xy[line->n] = r->intervals[i].end_s;
    xy[r->n_intervals + line->n] = value(ctx, &r->intervals[i]);
    line->n++;
  }
  c->n_lines++;
}

void view_add_trace(struct chart *c, const char *name, const struct view *v,
                    size_t run, const struct trace *t)
{
  view_add_values(c, name, v, run, trace_at, t);
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
  view_bands_drop(c);
}

struct chart view_over_time(const struct view *v, const char *title,
                            const char *y_label, enum axis_unit unit)
{
  struct chart c = {
    .title = title,
    .x = { .label = "time since the measured start (s)",
           .unit = AXIS_SECONDS,
           .from_zero = true,
           .tight = true },
    .y = { .label = y_label, .unit = unit, .from_zero = true },
  };

  view_bands_add(&c, v);
  return c;
}

/* Draw the same figure of all runs. */
static void all_runs(const struct view *v, struct chart *c,
                     const struct trace *t)
{
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++)
    view_add_trace(c, v->n_runs > 1 ? v->runs[i].label : "", v, i, t);
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
          (r->n_intervals > 0 && view_is_scrap(r, r->n_intervals - 1)) >
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

static void latency_over_time(const struct view *v, struct strbuf *out)
{
  static const struct trace traces[] = {
    { "p50", NULL, "50", 1, NULL },
    { "p95", NULL, "95", 1, NULL },
    { "p99", NULL, "99", 1, NULL },
    { "p99.9", NULL, "99.9", 1, NULL },
    { "max", "latency_ns.max", NULL, 1, NULL },
  };
  static const char *const titles[] = { "Median latency over time", NULL,
                                        "99th percentile over time" };
  struct chart c = view_over_time(v, "Latency over time", "latency", AXIS_TIME);

  c.y.kind = AXIS_LOG;
  if (v->n_runs == 1) {
    for (size_t i = 0; i < ARRAY_SIZE(traces); i++)
      view_add_trace(&c, traces[i].name, v, 0, &traces[i]);
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

/* The ends of the runs' intervals, for the script of the page. */
static void view_times(const struct view *v, struct strbuf *out)
{
  strbuf_adds(out, "<script type=\"application/json\" class=\"times\">[");
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    const struct result *r = v->runs[i].run;
    const char *comma = "";

    strbuf_adds(out, i > 0 ? ",[" : "[");
    for (size_t k = 0; k < r->n_intervals; k++) {
      const double end_s = r->intervals[k].end_s;

      if (view_is_scrap(r, k))
        continue;
      if (isfinite(end_s))
        strbuf_addf(out, "%s%.7g", comma, end_s);
      else
        strbuf_addf(out, "%snull", comma);
      comma = ",";
    }
    strbuf_adds(out, "]");
  }
  strbuf_adds(out, "]</script>\n");
}

void view_charts_over_time(const struct view *v, struct strbuf *out)
{
  static const struct trace events = { "", "events_per_s", NULL, 1, NULL };
  static const struct trace queries = { "", "queries.total_per_s", NULL, 1,
                                        NULL };
  static const struct trace offered = { "", "offered_per_s", NULL, 1, NULL };
  static const struct trace errors = { "", "errors_per_s", NULL, 1, NULL };
  struct chart c;

  if (!has_lines(v)) {
    say_missing(v, out);
    return;
  }
  c = view_over_time(v, "Throughput over time", "events per second",
                     AXIS_COUNT);
  view_times(v, out);
  if (v->n_runs == 1 && occurs(v, &offered)) {
    view_add_trace(&c, "achieved", v, 0, &events);
    view_add_trace(&c, "offered", v, 0, &offered);
  } else {
    all_runs(v, &c, &events);
  }
  view_draw(&c, no_intervals, out);
  if (v->n_runs > 1 && occurs(v, &offered)) {
    c = view_over_time(v, "Offered load over time", "events per second",
                       AXIS_COUNT);
    all_runs(v, &c, &offered);
    view_draw(&c, NULL, out);
  }
  if (occurs(v, &queries)) {
    c = view_over_time(v, "Queries over time", "queries per second",
                       AXIS_COUNT);
    all_runs(v, &c, &queries);
    view_draw(&c, NULL, out);
  }
  latency_over_time(v, out);
  view_charts_heat(v, out);
  if (occurs(v, &errors)) {
    c = view_over_time(v, "Errors over time", "errors per second", AXIS_COUNT);
    all_runs(v, &c, &errors);
    view_draw(&c, NULL, out);
  }
}

static void system_of_one(const struct view *v, struct strbuf *out)
{
  static const struct trace cpu[] = {
    { "user", "system.cpu.user_ratio", NULL, 100, NULL },
    { "system", "system.cpu.system_ratio", NULL, 100, NULL },
    { "iowait", "system.cpu.iowait_ratio", NULL, 100, NULL },
    { "stolen", "system.cpu.steal_ratio", NULL, 100, NULL },
  };
  static const struct trace disk[] = {
    { "read", "system.disk.read_bytes", NULL, 1, NULL },
    { "written", "system.disk.written_bytes", NULL, 1, NULL },
  };
  static const struct trace net[] = {
    { "received", "system.network.received_bytes", NULL, 1, NULL },
    { "sent", "system.network.sent_bytes", NULL, 1, NULL },
    { "loopback", "system.network.loopback_bytes", NULL, 1, NULL },
  };
  struct chart c = view_over_time(v, "Processors of the machine",
                                  "share of all", AXIS_SHARE);

  for (size_t i = 0; i < ARRAY_SIZE(cpu); i++)
    view_add_trace(&c, cpu[i].name, v, 0, &cpu[i]);
  view_draw(&c, "The results say nothing about processors.", out);

  c = view_over_time(v, "Disk", "bytes per interval", AXIS_BYTES);
  c.named = true;
  for (size_t i = 0; i < ARRAY_SIZE(disk); i++) {
    if (occurs(v, &disk[i]))
      view_add_trace(&c, disk[i].name, v, 0, &disk[i]);
  }
  view_draw(&c, NULL, out);
  c = view_over_time(v, "Network", "bytes per interval", AXIS_BYTES);
  c.named = true;
  for (size_t i = 0; i < ARRAY_SIZE(net); i++) {
    if (occurs(v, &net[i]))
      view_add_trace(&c, net[i].name, v, 0, &net[i]);
  }
  view_draw(&c, NULL, out);
}

void view_charts_system(const struct view *v, struct strbuf *out)
{
  static const struct trace idle = { "", "system.cpu.idle_ratio", NULL, 100,
                                     NULL };
  struct chart c;

  if (!has_lines(v)) {
    say_missing(v, out);
    return;
  }
  if (v->n_runs == 1) {
    system_of_one(v, out);
    view_charts_waits(v, out);
    view_charts_rows(v, out);
    return;
  }
  c = view_over_time(v, "Idle processors of the machine", "share of all",
                     AXIS_SHARE);
  all_runs(v, &c, &idle);
  view_draw(&c, "The results say nothing about processors.", out);
  view_charts_rows(v, out);
}
