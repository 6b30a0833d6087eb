/*
 * live.c - a page that follows a run.
 */
#include "results/live.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/document.h"
#include "results/http.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/live_sample.h"
#include "results/options.h"
#include "results/outfile.h"
#include "results/page.h"
#include "results/shared.h"

enum {
  /* Samples for late viewers: hours. */
  PAST_MAX = 4 * 3600,
};

/* Late: this multiple of the usual distance, and at least this long. */
#define LATE_TIMES 3
#define LATE_NS (3 * NS_PER_S)

struct live {
  struct http http;
  const struct results_shared *shared;
  const struct document *document; /* [opt] */
  results_page *page;              /* [opt] */

  /* Set by the reporting thread, read by the server's. */
  _Atomic uint64_t report_ns;  /* 0: none yet */
  _Atomic uint64_t between_ns; /* longest distance */

  /* Of the server's thread. */
  struct live_sampler sampler;
  char *past[PAST_MAX]; /* owned; sample i is at i % PAST_MAX */
  uint64_t n;
  struct strbuf classes;

  /* Set before the server ends; release/acquire. */
  _Atomic bool over;
  struct strbuf last; /* final event */
};

/* ---- on the server's thread ---- */

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
  json_t *value;
  char *text;

  jobj_text(&o, "test", l->shared->test);
  jobj_text(&o, "version", l->shared->version);
  jobj_int(&o, "threads", start->threads);
  jobj_real(&o, "start", jobj_seconds(start->wall_ns));
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

static bool live_answer(void *arg, const struct http_request *request,
                        struct http_content *ret)
{
  (void)arg;
  if (strcmp(request->path, "/") == 0) {
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
    rc = http_open(&l->http, &address, where, cfg->live_host, err);
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

  (void)start;
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
