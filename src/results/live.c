#include "results/live.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/machine/disk.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "report/marks.h"
#include "results/address.h"
#include "results/document.h"
#include "results/figures.h"
#include "results/http.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/options.h"
#include "results/outfile.h"
#include "results/page.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/hist_sum.h"
#include "stats/report.h"

/* ---- live sample ---- */

/* Share of the machine's time that deserves a warning. */
#define LIVE_STOLEN 0.05
#define LIVE_BUSY 0.98

int live_sampler_init(struct live_sampler *s,
                      const struct results_shared *shared)
{
  *s = (struct live_sampler){ .shared = shared };
  s->now = hist_sum_new();
  s->before = hist_sum_new();
  s->diff = hist_sum_new();
  s->classes = calloc(CLASS_MAX, sizeof(*s->classes));
  return s->now && s->before && s->diff && s->classes ? 0 : -ENOMEM;
}

void live_sampler_done(struct live_sampler *s)
{
  hist_sum_free(s->now);
  hist_sum_free(s->before);
  hist_sum_free(s->diff);
  free(s->classes);
}

void live_sampler_start(struct live_sampler *s)
{
  s->last_ns = s->shared->start.start_ns;
  sampler_start(&s->system, "", s->shared->disk->device, s->last_ns);
}

/* Since the last sample. */
static void live_sample_report(struct live_sampler *s, uint64_t now_ns,
                               struct report *r)
{
  struct report all;

  figures_sums(&s->shared->start, s->now, &all);
  *r = (struct report){ .period_ns = now_ns - s->last_ns,
                        .events = all.events - s->events,
                        .sum_ns = all.sum_ns - s->sum_ns,
                        .hist = s->diff };
  for (unsigned c = 0; c < COUNTERS; c++)
    r->counter[c] = all.counter[c] - s->counter[c];
  s->last_ns = now_ns;
  s->events = all.events;
  s->sum_ns = all.sum_ns;
  memcpy(s->counter, all.counter, sizeof(s->counter));
  hist_sum_sub(s->diff, s->now, s->before);
  hist_sum_copy(s->before, s->now);
}

static void live_sample_add_figures(struct jobj *o, const struct report *r,
                                    const struct system_use *u)
{
  static const struct report_setup setup = { .rate = false };

  FOR_EACH_FIGURE(f)
  {
    const double value = f->live ? figure_value(f, r, &setup, u) : NAN;

    if (isnan(value))
      continue;
    if (!f->live_per_s)
      json_add_figure(o, f->live, f, value);
    else if (u->period_ns > 0)
      jobj_real(o, f->live, value / jobj_seconds(u->period_ns));
  }
}

static void live_sample_add_latency(struct jobj *o, const struct report *r)
{
  static const struct {
    const char *name;
    double pct;
  } of[] = { { "p50", 50 },
             { "p95", 95 },
             { "p99", 99 },
             { "p999", 99.9 },
             { "max", 100 } };

  if (r->events > 0)
    jobj_real(o, "mean", (double)r->sum_ns / (double)r->events);
  for (size_t i = 0; r->hist->total > 0 && i < ARRAY_SIZE(of); i++)
    jobj_int(o, of[i].name, hist_percentile(r->hist, of[i].pct));
}

/* Counts of sessions per wait. */
static json_t *live_sample_waits(const struct server_waits *w)
{
  struct jobj o = jobj_new();

  for (unsigned i = 0; i < w->n; i++)
    jobj_named(&o, w->of[i].name,
               jobj_number((double)w->of[i].sessions / (double)w->looks));
  return jobj_take(&o);
}

/* Of the last reading; null: no readings of waits. */
static json_t *live_sample_server(struct monitor *m, unsigned server)
{
  struct jobj o = jobj_new(), rates = jobj_new(), levels = jobj_new();
  struct server_interval now;
  struct server_total all;

  monitor_latest(m, server, &now);
  monitor_total(m, server, &all);
  for (int f = 0; now.known && now.period_ns > 0 && f < SERVER_METRICS; f++) {
    const struct server_metric_info *info = &server_metrics_info[f];
    const double value = now.did.value[f] * info->to_metric;

    if (now.did.has[f] && info->kind == SERVER_COUNT)
      jobj_real(&rates, info->metric, value / jobj_seconds(now.period_ns));
    else if (now.did.has[f])
      jobj_real(&levels, info->metric, value);
  }
  jobj_text(&o, "target", all.target);
  jobj_add(&o, "rates", jobj_take(&rates));
  jobj_add(&o, "levels", jobj_take(&levels));
  if (now.known && now.waits.looks > 0)
    jobj_add(&o, "waits", live_sample_waits(&now.waits));
  return jobj_take(&o);
}

static void live_sample_add_servers(struct jobj *o, struct monitor *m)
{
  struct jobj list = jobj_list();

  for (unsigned i = 0; i < monitor_servers(m); i++)
    jobj_push(&list, live_sample_server(m, i));
  jobj_add(o, "servers", jobj_take(&list));
}

static void live_sample_add_left(struct jobj *o, const struct live_sampler *s,
                                 double elapsed_s)
{
  const struct results_shared *shared = s->shared;

  if (shared->time_ns != UINT64_MAX) {
    const double all_s = jobj_seconds(shared->time_ns);

    jobj_real(o, "left", elapsed_s < all_s ? all_s - elapsed_s : 0);
    jobj_real(o, "done", elapsed_s > 0 ? elapsed_s / all_s : 0);
  } else if (shared->events != UINT64_MAX) {
    jobj_int(o, "events_left",
             shared->events > s->events ? shared->events - s->events : 0);
    jobj_real(o, "done", (double)s->events / (double)shared->events);
  }
}

static void live_sample_add_warnings(struct jobj *o, const struct report *r,
                                     const struct system_use *u, double late_s)
{
  struct jobj list = jobj_list();
  char text[160];

  if (late_s > 0) {
    (void)snprintf(text, sizeof(text),
                   "the reports of the run are stuck: none has come for %.0f s",
                   late_s);
    jobj_push(&list, jobj_string(text));
  }
  if (r->counter[COUNTER_ERROR] > 0) {
    (void)snprintf(text, sizeof(text), "%.0f errors per second",
                   report_counter_rate(r, COUNTER_ERROR));
    jobj_push(&list, jobj_string(text));
  }
  if (u->has_cpu && u->steal > LIVE_STOLEN) {
    (void)snprintf(text, sizeof(text),
                   "the hypervisor takes %.0f %% of the CPUs", 100 * u->steal);
    jobj_push(&list, jobj_string(text));
  }
  if (u->has_cpu && u->user + u->system > LIVE_BUSY)
    jobj_push(&list, jobj_string("all CPUs of this machine are busy"));
  jobj_add(o, "warnings", jobj_take(&list));
}

/* ["name", operations per second, mean latency, errors per second] */
static json_t *live_sample_class(struct live_sampler *s, const struct report *r,
                                 unsigned i)
{
  struct class_set *set = s->shared->start.classes;
  struct live_class *c = &s->classes[i];
  struct class_totals t = { 0 };
  struct jobj part = jobj_list();
  uint64_t count;

  class_read(set, i, &t);
  count = t.count - c->count;
  jobj_push(&part, jobj_string(class_name(set, i)));
  jobj_push(&part, jobj_number(report_rate(r, count)));
  jobj_push(&part, count > 0 ? jobj_number((double)(t.sum_ns - c->sum_ns) /
                                           (double)count)
                             : json_null());
  jobj_push(&part, jobj_number(report_rate(r, t.errors - c->errors)));
  *c = (struct live_class){ t.count, t.errors, t.sum_ns };
  return jobj_take(&part);
}

static void live_sample_add_line(struct strbuf *out, json_t *value)
{
  char *text = value ? jobj_line(value) : NULL;

  if (text)
    strbuf_adds(out, text);
  else
    out->failed = true;
  free(text);
  json_decref(value);
}

void live_sampler_next(struct live_sampler *s, uint64_t now_ns,
                       double reports_late_s, struct strbuf *ret,
                       struct strbuf *ret_classes)
{
  const struct results_shared *shared = s->shared;
  const uint64_t from = shared->start.measured_ns;
  /* Negative during the warm-up. */
  const double t = now_ns >= from ? jobj_seconds(now_ns - from)
                                  : -jobj_seconds(from - now_ns);
  struct class_set *set = shared->start.classes;
  const unsigned n_classes = set ? class_count(set) : 0;
  const unsigned marks = marks_count(shared->marks);
  struct jobj o = jobj_new(), classes = jobj_list();
  struct system_use use = { 0 };
  struct report r;

  live_sample_report(s, now_ns, &r);
  sampler_next(&s->system, now_ns, &use);
  jobj_real(&o, "t", t);
  jobj_int(&o, "events", s->events);
  live_sample_add_figures(&o, &r, &use);
  live_sample_add_latency(&o, &r);
  if (monitor_servers(shared->monitor) > 0)
    live_sample_add_servers(&o, shared->monitor);
  live_sample_add_left(&o, s, t);
  live_sample_add_warnings(&o, &r, &use, reports_late_s);
  if (marks > s->marks)
    jobj_add(&o, "marks", json_marks(shared->marks, s->marks, marks));
  s->marks = marks;
  live_sample_add_line(ret, jobj_take(&o));
  for (unsigned i = 0; i < n_classes; i++)
    jobj_push(&classes, live_sample_class(s, &r, i));
  live_sample_add_line(ret_classes, jobj_take(&classes));
}

enum {
  /* For late viewers: hours. */
  PAST_MAX = 4 * 3600,
};

/* A late sample: this multiple of the usual distance, and at least this
 * long. */
#define LATE_TIMES 3
#define LATE_NS (3 * NS_PER_S)

struct live {
  struct http http;
  const struct results_shared *shared;
  const struct document *document; /* [opt] */
  results_page *page;              /* [opt] */
  bool is_local;
  char token[33]; /* of POST /mark/...; "": takes no marks */

  /* Written by the reporting thread, read by the server's. */
  _Atomic uint64_t report_ns;  /* 0: not yet */
  _Atomic uint64_t between_ns; /* longest */

  /* Of the server's thread. */
  struct live_sampler sampler;
  char *past[PAST_MAX]; /* owned; sample i is at i % PAST_MAX */
  uint64_t n;
  struct strbuf classes;

  /* Set before the server ends; release/acquire. */
  _Atomic bool over;
  struct strbuf last; /* final event */
};

/* ---- the server's thread ---- */

static double live_late_s(const struct live *l, uint64_t now_ns)
{
  const uint64_t came = atomic_load(&l->report_ns);
  const uint64_t between = atomic_load(&l->between_ns);
  const uint64_t quiet = came > 0 && now_ns > came ? now_ns - came : 0;

  return between > 0 && quiet > LATE_NS && quiet > LATE_TIMES * between
           ? jobj_seconds(quiet)
           : 0;
}

static void live_look(void *arg)
{
  struct live *l = arg;
  const uint64_t now_ns = clock_now_ns();
  struct strbuf text = { 0 };
  char **place = &l->past[l->n % PAST_MAX];

  if (now_ns <= l->sampler.last_ns)
    return;
  strbuf_clear(&l->classes);
  live_sampler_next(&l->sampler, now_ns, live_late_s(l, now_ns), &text,
                    &l->classes);
  free(*place);
  *place = NULL;
  if (text.failed)
    strbuf_done(&text); /* this sample is missing */
  else
    *place = text.text;
  l->n++;
}

static void live_add_event(struct strbuf *out, const char *name,
                           const char *json)
{
  strbuf_addf(out, "event: %s\ndata: ", name);
  strbuf_adds(out, json);
  strbuf_adds(out, "\n\n");
}

/* The first event of each viewer. */
static void live_add_run(const struct live *l, struct strbuf *out)
{
  const struct run_start *start = &l->shared->start;
  struct jobj o = jobj_new();
  struct utsname host;
  json_t *value;
  char *text;

  jobj_text(&o, "test", l->shared->test);
  jobj_text(&o, "version", l->shared->version);
  jobj_int(&o, "threads", start->threads);
  jobj_real(&o, "start", jobj_seconds(start->wall_ns));
  if (uname(&host) == 0)
    jobj_text(&o, "host", host.nodename);
  if (l->token[0])
    jobj_text(&o, "mark", l->token);
  jobj_add(&o, "options", json_options(l->shared->set));
  value = jobj_take(&o);
  text = value ? jobj_line(value) : NULL;
  if (text)
    live_add_event(out, "run", text);
  else
    out->failed = true;
  free(text);
  json_decref(value);
}

/* Item 0 is the run; item i + 1 is sample i. */
static bool live_feed(void *arg, uint64_t *at, struct strbuf *out)
{
  struct live *l = arg;
  const bool news = *at <= l->n;

  if (*at == 0) {
    live_add_run(l, out);
    *at = 1;
  }
  if (l->n > PAST_MAX && *at <= l->n - PAST_MAX)
    *at = l->n - PAST_MAX + 1;
  for (; *at <= l->n && out->len < HTTP_FEED; ++*at) {
    const char *text = l->past[(*at - 1) % PAST_MAX];

    if (text)
      live_add_event(out, "look", text);
  }
  if (news && *at > l->n && l->classes.len > 0)
    live_add_event(out, "classes", strbuf_str(&l->classes));
  if (!atomic_load_explicit(&l->over, memory_order_acquire) || *at <= l->n)
    return true;
  strbuf_add(out, strbuf_str(&l->last), l->last.len);
  return false;
}

/* Pages of other sites have neither token nor header. */
static void live_mark(const struct live *l, const char *text, const char *token,
                      struct http_content *ret)
{
  struct strbuf plain = { 0 };
  unsigned code;

  if (strcmp(token + strspn(token, " "), l->token) != 0) {
    ret->status = "403 Forbidden";
    return;
  }
  for (; *text; text++) {
    const bool coded = *text == '%' && isxdigit((unsigned char)text[1]) &&
                       isxdigit((unsigned char)text[2]) &&
                       sscanf(text + 1, "%2x", &code) == 1;
    const char c = coded ? (char)code : *text;

    strbuf_add(&plain, &c, 1);
    text += coded ? 2 : 0;
  }
  if (!mark_fifo_send(l->shared->mark_fifo, strbuf_str(&plain), plain.len))
    ret->status = "503 Service Unavailable";
  strbuf_done(&plain);
}

static bool live_answer(void *arg, const struct http_request *request,
                        struct http_content *ret)
{
  const struct live *l = arg;

  if (request->posts) {
    if (!l->token[0] || strncmp(request->path, "/mark/", 6) != 0)
      return false;
    live_mark(l, request->path + 6, request->token, ret);
  } else if (strcmp(request->path, "/") == 0) {
    ret->type = "text/html; charset=utf-8";
    page_begin(&ret->body, true);
    page_end(&ret->body, true);
  } else if (strcmp(request->path, "/events") == 0) {
    ret->type = "text/event-stream";
    ret->stream = true;
  } else {
    return false;
  }
  return true;
}

static const struct http_service service = {
  .answer = live_answer,
  .feed = live_feed,
  .tick = live_look,
  .period_ns = NS_PER_S,
  .takes_posts = true,
};

/* ---- the reporter ---- */

int live_new(struct live **ret, const struct results_cfg *cfg,
             results_page *page, const struct results_shared *shared,
             const struct document *document, struct err *err)
{
  const char *where = cfg->live;
  struct live *l = calloc(1, sizeof(*l));
  struct address address;
  int rc;

  if (!l)
    return results_no_memory(err);
  l->shared = shared;
  l->document = document;
  l->page = page;
  rc = live_sampler_init(&l->sampler, shared) < 0 ? results_no_memory(err) : 0;
  if (rc == 0)
    rc = address_parse(where, &address);
  if (rc == 0)
    rc = http_open(&l->http, &address, "live", where, cfg->live_host, err);
  l->is_local = rc == 0 && address_is_local(&address);
  if (rc < 0) {
    live_free(l);
    return rc;
  }
  *ret = l;
  return 0;
}

void live_free(struct live *l)
{
  if (!l)
    return;
  http_stop(&l->http);
  live_sampler_done(&l->sampler);
  for (size_t i = 0; i < PAST_MAX; i++)
    free(l->past[i]);
  strbuf_done(&l->classes);
  strbuf_done(&l->last);
  free(l);
}

static int live_on_start(void *ctx, const struct run_start *start,
                         struct err *err)
{
  struct live *l = ctx;
  uint64_t secret[2];

  (void)start;
  if (l->is_local && l->shared->mark_fifo &&
      getrandom(secret, sizeof(secret), 0) == (ssize_t)sizeof(secret))
    (void)snprintf(l->token, sizeof(l->token), "%016" PRIx64 "%016" PRIx64,
                   secret[0], secret[1]);
  live_sampler_start(&l->sampler);
  return http_start(&l->http, &service, l, err);
}

static int live_on_interval(void *ctx, const struct report_setup *setup,
                            const struct report *r, struct err *err)
{
  struct live *l = ctx;
  const uint64_t now = clock_now_ns();
  const uint64_t last = atomic_load(&l->report_ns);

  (void)setup, (void)r, (void)err;
  if (last == 0)
    atomic_store(&l->between_ns, 1);
  else if (now - last > atomic_load(&l->between_ns))
    atomic_store(&l->between_ns, now - last);
  atomic_store(&l->report_ns, now);
  return 0;
}

/* Without a report: the run is over. */
static int live_make_last(struct live *l, struct err *err)
{
  struct strbuf html = { 0 };
  size_t len = 0;
  const char *text = l->document ? document_text(l->document, &len) : NULL;
  const int rc = text && l->page ? l->page(text, len, &html, err) : 0;
  json_t *value = html.len > 0 ? jobj_string(strbuf_str(&html)) : NULL;
  char *line = value ? jobj_line(value) : NULL;

  if (line)
    live_add_event(&l->last, "report", line);
  if (!line || l->last.failed) {
    strbuf_done(&l->last);
    live_add_event(&l->last, "over", "{}");
  }
  free(line);
  json_decref(value);
  strbuf_done(&html);
  return rc;
}

static int live_on_over(void *ctx, const struct run_end *end, struct err *err)
{
  struct live *l = ctx;
  const int rc = live_make_last(l, err);

  (void)end;
  atomic_store_explicit(&l->over, true, memory_order_release);
  http_stop(&l->http);
  return rc;
}

const struct reporter live_reporter = {
  .name = "live",
  .start = live_on_start,
  .interval = live_on_interval,
  .over = live_on_over,
};
