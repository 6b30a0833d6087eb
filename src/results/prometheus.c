#include "results/prometheus.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/machine/disk.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "monitor/monitor.h"
#include "report/marks.h"
#include "results/address.h"
#include "results/figures.h"
#include "results/http.h"
#include "results/jobj.h"
#include "results/options.h"
#include "results/outfile.h"
#include "results/page.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/hist_sum.h"
#include "stats/report.h"
#include "stats/service.h"

/* ---- metrics ---- */

/*
 * The older format names a family like its samples, has no type `info` and no
 * end mark.
 */

/* Buckets: 1 us to 100 s, three per decade. */
static const uint64_t limit_ns[] = {
  1000,       2500,        5000,        10000,       25000,
  50000,      100000,      250000,      500000,      1000000,
  2500000,    5000000,     10000000,    25000000,    50000000,
  100000000,  250000000,   500000000,   1000000000,  2500000000,
  5000000000, 10000000000, 25000000000, 50000000000, 100000000000,
};

void prometheus_label(struct strbuf *b, const char *name, const char *value)
{
  const bool valid = utf8_is_valid(value);

  strbuf_addf(b, "%s=\"", name);
  for (; *value; value++) {
    if (*value == '\n')
      strbuf_adds(b, "\\n");
    else if (*value == '\\' || *value == '"')
      strbuf_addf(b, "\\%c", *value);
    else if (!valid)
      utf8_add_latin1(b, *value);
    else
      strbuf_add(b, value, 1);
  }
  strbuf_adds(b, "\"");
}

static void metrics_family(const struct metrics_out *o, const char *name,
                           const char *type, const char *help)
{
  const char *suffix = "";

  if (o->format == METRICS_TEXT && strcmp(type, "counter") == 0) {
    suffix = "_total";
  } else if (o->format == METRICS_TEXT && strcmp(type, "info") == 0) {
    suffix = "_info";
    type = "gauge";
  }
  strbuf_addf(o->b, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help,
              name, suffix, type);
}

void prometheus_histogram(struct strbuf *b, const char *name, const char *label,
                          const struct hist_sum *h, double sum_s)
{
  const char *first = label ? label : "", *comma = label ? "," : "";
  const char *open = label ? "{" : "", *close = label ? "}" : "";
  uint64_t seen = 0;
  unsigned i = hist_sum_next(h, 0);

  for (size_t k = 0; k < ARRAY_SIZE(limit_ns); k++) {
    for (; i + 1 < HIST_BUCKETS && hist_low(i + 1) - 1 <= limit_ns[k];
         i = hist_sum_next(h, i + 1))
      seen += hist_sum_at(h, i);
    strbuf_addf(b, "%s_bucket{%s%sle=\"%.9g\"} %llu\n", name, first, comma,
                jobj_seconds(limit_ns[k]), (unsigned long long)seen);
  }
  strbuf_addf(b,
              "%s_bucket{%s%sle=\"+Inf\"} %llu\n"
              "%s_count%s%s%s %llu\n"
              "%s_sum%s%s%s %.9f\n",
              name, first, comma, (unsigned long long)h->total, name, open,
              first, close, (unsigned long long)h->total, name, open, first,
              close, sum_s);
}

/* Its family's lines come first, unless *last has the same. */
static void metrics_sample(const struct metrics_out *o, const char **last,
                           const struct figure *f, double value)
{
  char name[64];

  if (isnan(value))
    return;
  (void)snprintf(name, sizeof(name), "bench_%s", f->metric);
  if (strcmp(*last, f->metric) != 0)
    metrics_family(o, name, f->level ? "gauge" : "counter", f->help);
  *last = f->metric;
  strbuf_addf(o->b, "%s%s", name, f->level ? "" : "_total");
  if (f->labels)
    strbuf_addf(o->b, "{%s}", f->labels);
  if (f->metric_decimals > 0)
    strbuf_addf(o->b, " %.*f\n", f->metric_decimals, value);
  else
    strbuf_addf(o->b, value == floor(value) ? " %.0f\n" : " %.15g\n", value);
}

static void metrics_figures(const struct metrics_out *o, const struct report *r,
                            const struct report_setup *setup)
{
  const char *last = "";

  FOR_EACH_FIGURE(f)
  {
    if (f->metric && f->source == FIGURE_OF_REPORT)
      metrics_sample(o, &last, f, figure_value(f, r, setup, NULL));
  }
}

void prometheus_machine(const struct metrics_out *o, const char *root,
                        const char *device)
{
  struct figure_counts c;
  const char *last = "";

  sampler_read(root, device, &c.system);
  pressure_read(root, &c.pressure);
  FOR_EACH_FIGURE(f)
  {
    double value;

    if (!f->metric || f->source != FIGURE_OF_MACHINE)
      continue;
    value = figure_field(&f->count, &c);
    if (!(f->positive && value <= 0))
      metrics_sample(o, &last, f,
                     f->count_unit > 0 ? value / f->count_unit : value);
  }
}

static void metrics_count(const struct metrics_out *o, const char *name,
                          const char *help, uint64_t value)
{
  metrics_family(o, name, "counter", help);
  strbuf_addf(o->b, "%s_total %llu\n", name, (unsigned long long)value);
}

static void metrics_classes(const struct metrics_out *o, struct class_set *set)
{
  const unsigned n = set ? class_count(set) : 0;

  if (n == 0)
    return;
  metrics_family(o, "bench_class_operations", "counter",
                 "Operations of a class, failed ones included.");
  for (unsigned i = 0; i < n; i++) {
    struct class_totals t = { 0 };

    class_read(set, i, &t);
    strbuf_adds(o->b, "bench_class_operations_total{");
    prometheus_label(o->b, "class", class_name(set, i));
    strbuf_addf(o->b, "} %llu\n", (unsigned long long)t.count);
  }
}

static const struct member_counter {
  const char *name, *help;
  size_t offset; /* in struct class_totals */
} member_counters[] = {
  { "bench_member_events", "Events of a member of a mix that have ended.",
    offsetof(struct class_totals, count) },
  { "bench_member_errors", "Errors of a member that were ignored.",
    offsetof(struct class_totals, errors) },
  { "bench_member_reconnects", "Connections of a member that were made again.",
    offsetof(struct class_totals, reconnects) },
};

static void metrics_member_counter(const struct metrics_out *o,
                                   struct class_set *set,
                                   const struct member_counter *c)
{
  const unsigned n = class_count(set);

  metrics_family(o, c->name, "counter", c->help);
  for (unsigned i = 0; i < n; i++) {
    struct class_totals t = { 0 };

    class_read(set, i, &t);
    strbuf_addf(o->b, "%s_total{", c->name);
    prometheus_label(o->b, "member", class_name(set, i));
    strbuf_addf(
      o->b, "} %llu\n",
      (unsigned long long)*(const uint64_t *)((const char *)&t + c->offset));
  }
}

static void metrics_members(const struct metrics_out *o, struct class_set *set,
                            struct hist_sum *work)
{
  const unsigned n = set ? class_count(set) : 0;

  if (n == 0)
    return;
  for (size_t i = 0; i < ARRAY_SIZE(member_counters); i++)
    metrics_member_counter(o, set, &member_counters[i]);
  metrics_family(o, "bench_member_latency_seconds", "histogram",
                 "Latency of the events of a member.");
  for (unsigned i = 0; i < n; i++) {
    struct class_totals t = { .hist = work };
    struct strbuf label = { 0 };

    class_read(set, i, &t);
    prometheus_label(&label, "member", class_name(set, i));
    prometheus_histogram(o->b, "bench_member_latency_seconds",
                         strbuf_str(&label), work, jobj_seconds(t.sum_ns));
    strbuf_done(&label);
  }
}

static void metrics_info(const struct metrics_out *o,
                         const struct results_shared *shared)
{
  metrics_family(o, "bench", "info", "The program and its test.");
  strbuf_adds(o->b, "bench_info{");
  prometheus_label(o->b, "version", PACKAGE_VERSION);
  strbuf_adds(o->b, ",");
  prometheus_label(o->b, "test", shared->test);
  strbuf_adds(o->b, "} 1\n");
}

/* With the server's name as label. */
static void metrics_server(const struct metrics_out *o, struct monitor *m,
                           enum server_metric f)
{
  const struct server_metric_info *info = &server_metrics_info[f];
  const bool counts = info->kind == SERVER_COUNT;
  struct strbuf name = { 0 };
  bool begun = false;

  strbuf_addf(&name, "bench_server_%s", info->metric);
  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval now;
    struct server_total all;

    monitor_latest(m, i, &now);
    monitor_total(m, i, &all);
    if (!(counts ? all.did.has[f] : now.known && now.did.has[f]))
      continue;
    if (!begun)
      metrics_family(o, strbuf_str(&name), counts ? "counter" : "gauge",
                     info->help);
    begun = true;
    strbuf_addf(o->b, "%s%s{", strbuf_str(&name), counts ? "_total" : "");
    prometheus_label(o->b, "server", all.target);
    strbuf_addf(o->b, "} %.15g\n",
                (counts ? all.did : now.did).value[f] * info->to_metric);
  }
  strbuf_done(&name);
}

/* At the last reading. */
static void metrics_waits(const struct metrics_out *o, struct monitor *m)
{
  bool begun = false;

  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval now;
    struct server_total all;

    monitor_latest(m, i, &now);
    monitor_total(m, i, &all);
    for (unsigned k = 0; k < now.waits.n; k++) {
      if (!begun)
        metrics_family(o, "bench_server_waiting_sessions", "gauge",
                       "Sessions of the run by what they wait for, on "
                       "average.");
      begun = true;
      strbuf_adds(o->b, "bench_server_waiting_sessions{");
      prometheus_label(o->b, "server", all.target);
      strbuf_adds(o->b, ",");
      prometheus_label(o->b, "wait", now.waits.of[k].name);
      strbuf_addf(o->b, "} %.15g\n",
                  (double)now.waits.of[k].sessions / (double)now.waits.looks);
    }
  }
}

static void metrics_servers(const struct metrics_out *o, struct monitor *m)
{
  for (int f = 0; f < SERVER_METRICS && monitor_servers(m) > 0; f++)
    metrics_server(o, m, (enum server_metric)f);
  metrics_waits(o, m);
}

/* ---- the text ---- */

void prometheus_write(struct strbuf *b, enum metrics_format format,
                      const struct results_shared *shared,
                      struct hist_sum *work)
{
  const struct metrics_out o = { b, format };
  const struct run_start *start = &shared->start;
  const struct report_setup setup = { .rate = start->arrivals != NULL };
  struct report r;

  metrics_info(&o, shared);
  if (shared->started) {
    figures_sums(start, work, &r);
    metrics_family(&o, "bench_start_time_seconds", "gauge",
                   "When the load began, since the epoch.");
    strbuf_addf(b, "bench_start_time_seconds %.3f\n",
                jobj_seconds(start->wall_ns));
    metrics_figures(&o, &r, &setup);
    if (start->outages)
      metrics_count(
        &o, "bench_stalls", "Times without any success that have ended.",
        atomic_load_explicit(&start->outages->count, memory_order_relaxed));
    if (shared->marks)
      metrics_count(&o, "bench_marks", "Marks that the experimenter has put.",
                    marks_count(shared->marks) + marks_lost(shared->marks));
    metrics_classes(&o, start->classes);
    metrics_family(&o, "bench_latency_seconds", "histogram",
                   "Latency of events.");
    prometheus_histogram(b, "bench_latency_seconds", NULL, work,
                         jobj_seconds(r.sum_ns));
    metrics_members(&o, start->members, work);
    metrics_servers(&o, shared->monitor);
    prometheus_machine(&o, "", shared->disk->device);
  }
  if (format == METRICS_OPENMETRICS)
    strbuf_adds(b, "# EOF\n");
}

struct prometheus {
  struct http http;
  const struct results_shared *shared;
  struct hist_sum *work; /* scratch of the thread */
};

/* ---- the Accept header ---- */

struct accept_piece {
  const char *text;
  size_t len;
};

static bool prometheus_accept_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* Up to `stop`; *at moves behind it.  False: the end. */
static bool prometheus_accept_next_piece(const char **at, const char *end,
                                         char stop, struct accept_piece *ret)
{
  const char *from = *at, *to;

  if (from >= end)
    return false;
  to = memchr(from, stop, (size_t)(end - from));
  if (!to)
    to = end;
  *at = to + 1;
  while (from < to && prometheus_accept_is_blank(*from))
    from++;
  while (to > from && prometheus_accept_is_blank(to[-1]))
    to--;
  *ret = (struct accept_piece){ from, (size_t)(to - from) };
  return true;
}

static bool prometheus_accept_is_word(const struct accept_piece *p,
                                      const char *word)
{
  return p->len == strlen(word) && strncasecmp(p->text, word, p->len) == 0;
}

/* False: another parameter. */
static bool prometheus_accept_is_parameter(const struct accept_piece *p,
                                           const char *name,
                                           struct accept_piece *ret)
{
  const size_t len = strlen(name);

  if (p->len <= len || strncasecmp(p->text, name, len) != 0 ||
      p->text[len] != '=')
    return false;
  *ret = (struct accept_piece){ p->text + len + 1, p->len - len - 1 };
  return true;
}

/* 0 to 1; unreadable: 0. */
static double prometheus_accept_weight(const struct accept_piece *p)
{
  char text[8] = "", *end;
  double q;

  if (p->len == 0 || p->len >= sizeof(text))
    return 0.0;
  memcpy(text, p->text, p->len);
  if (strspn(text, "0123456789.") != p->len)
    return 0.0;
  q = strtod(text, &end);
  return *end == '\0' && q <= 1.0 ? q : 0.0;
}

bool prometheus_wants_openmetrics(const char *accept)
{
  const char *at = accept, *const end = accept + strlen(accept);
  double metrics = 0.0, text = 0.0;
  struct accept_piece range;

  while (prometheus_accept_next_piece(&at, end, ',', &range)) {
    const char *in = range.text, *const range_end = range.text + range.len;
    struct accept_piece type = { in, 0 }, part, value;
    bool known = true;
    double q = 1.0;

    (void)prometheus_accept_next_piece(&in, range_end, ';', &type);
    while (prometheus_accept_next_piece(&in, range_end, ';', &part)) {
      if (prometheus_accept_is_parameter(&part, "q", &value))
        q = prometheus_accept_weight(&value);
      else if (prometheus_accept_is_parameter(&part, "version", &value))
        known = value.len > 0 && value.text[0] == '1';
    }
    if (prometheus_accept_is_word(&type, "application/openmetrics-text") &&
        known && q > metrics)
      metrics = q;
    else if (prometheus_accept_is_word(&type, "text/plain") && q > text)
      text = q;
  }
  return metrics > 0.0 && metrics >= text;
}

/* ---- the server ---- */

static void prometheus_metrics(const struct prometheus *p, const char *accept,
                               struct http_content *ret)
{
  const bool modern = prometheus_wants_openmetrics(accept);

  ret->type = modern ? "application/openmetrics-text; version=1.0.0; "
                       "charset=utf-8"
                     : "text/plain; version=0.0.4; charset=utf-8";
  prometheus_write(&ret->body, modern ? METRICS_OPENMETRICS : METRICS_TEXT,
                   p->shared, p->work);
}

/* For people. */
static void prometheus_front_page(const struct prometheus *p,
                                  struct http_content *ret)
{
  struct strbuf *b = &ret->body;

  ret->type = "text/html; charset=utf-8";
  strbuf_adds(b,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
              "<title>bench: ");
  page_add(b, p->shared->test);
  strbuf_adds(b, "</title>\n<h1>");
  page_add(b, p->shared->test);
  strbuf_adds(b, "</h1>\n<p>A run of ");
  page_add(b, p->shared->version);
  strbuf_addf(b,
              " with %u thread%s. Its live metrics are at "
              "<a href=\"/metrics\">/metrics</a>.</p>\n</html>\n",
              p->shared->start.threads, fmt_plural(p->shared->start.threads));
}

static bool prometheus_answer(void *arg, const struct http_request *request,
                              struct http_content *ret)
{
  const struct prometheus *p = arg;

  if (strcmp(request->path, "/metrics") == 0)
    prometheus_metrics(p, request->accept, ret);
  else if (strcmp(request->path, "/") == 0)
    prometheus_front_page(p, ret);
  else
    return false;
  return true;
}

static const struct http_service service = {
  .answer = prometheus_answer,
};

int prometheus_new(struct prometheus **ret, const struct results_cfg *cfg,
                   const struct results_shared *shared, struct err *err)
{
  const char *where = cfg->prometheus;
  struct prometheus *p = calloc(1, sizeof(*p));
  struct address address;
  int rc;

  if (p)
    p->work = hist_sum_new();
  if (!p || !p->work) {
    free(p);
    return results_no_memory(err);
  }
  p->shared = shared;
  rc = address_parse(where, &address);
  if (rc == 0)
    rc = http_open(&p->http, &address, "prometheus", where, cfg->live_host,
                   err);
  if (rc < 0) {
    hist_sum_free(p->work);
    free(p);
    return rc;
  }
  *ret = p;
  return 0;
}

void prometheus_free(struct prometheus *p)
{
  if (!p)
    return;
  http_stop(&p->http);
  hist_sum_free(p->work);
  free(p);
}

static int prometheus_on_start(void *ctx, const struct run_start *start,
                               struct err *err)
{
  struct prometheus *p = ctx;

  (void)start;
  return http_start(&p->http, &service, p, err);
}

static int prometheus_on_over(void *ctx, const struct run_end *end,
                              struct err *err)
{
  struct prometheus *p = ctx;

  (void)end;
  (void)err;
  http_stop(&p->http);
  return 0;
}

const struct reporter prometheus_reporter = {
  .name = "prometheus",
  .start = prometheus_on_start,
  .over = prometheus_on_over,
};
