/*
 * test_json_servers.c - what a document and the live page say of servers.  The
 * monitor is one of this test: it has what a test gives it.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine/disk.h"
#include "base/strbuf.h"
#include "db/figures/sql_form.h"
#include "monitor/monitor.h"
#include "results/json_parts.h"
#include "results/live.h"
#include "results/shared.h"
#include "stats/report.h"
#include "tests/unit/tap.h"

struct monitor {
  struct server_interval interval;
  struct server_total total;
};

unsigned monitor_servers(const struct monitor *m)
{
  return m ? 1 : 0;
}

void monitor_interval(struct monitor *m, unsigned server,
                      struct server_interval *ret)
{
  (void)server;
  *ret = m->interval;
}

void monitor_latest(struct monitor *m, unsigned server,
                    struct server_interval *ret)
{
  monitor_interval(m, server, ret);
}

void monitor_total(struct monitor *m, unsigned server, struct server_total *ret)
{
  (void)server;
  *ret = m->total;
}

bool monitor_raw(const struct monitor *m, unsigned server, size_t i,
                 struct server_raw *ret)
{
  (void)m;
  (void)server;
  (void)i;
  (void)ret;
  return false;
}

const struct digests *monitor_statements(const struct monitor *m,
                                         unsigned server)
{
  (void)m;
  (void)server;
  return NULL;
}

/* As many kinds of waits, the rarest first. */
static void make_waits(struct server_waits *w, unsigned n)
{
  *w = (struct server_waits){ .looks = 10, .n = n };
  for (unsigned i = 0; i < n; i++) {
    (void)snprintf(w->of[i].name, sizeof(w->of[i].name), "IO:%u", i);
    w->of[i].sessions = i + 1;
  }
}

static json_t *server_of(json_t *o)
{
  return json_array_get(json_object_get(o, "servers"), 0);
}

static const char *name_at(const json_t *list, size_t i)
{
  const char *name = json_string_value(
    json_object_get(json_array_get(list, i), "name"));

  return name ? name : "";
}

static void check_ninth(void)
{
  static const struct report_setup setup = { .percentile = 95 };
  const struct report r = { .kind = REPORT_INTERVAL,
                            .form = &sql_form,
                            .period_ns = NS_PER_S };
  struct monitor m = { .interval.known = true, .interval.period_ns = NS_PER_S };
  const struct results_shared shared = { .monitor = &m };
  json_t *j, *list;

  make_waits(&m.interval.waits, JSON_WAITS_SHOWN + 1);
  m.total.waits = m.interval.waits;
  j = json_interval(&r, &setup, &shared, true);
  list = json_object_get(server_of(j), "waits");
  OK(json_array_size(list) == JSON_WAITS_SHOWN,
     "an interval has the most frequent waits");
  OK_STR(name_at(list, 0), "IO:8", "the most frequent one is the first");
  OK_STR(name_at(list, JSON_WAITS_SHOWN - 1), "IO:1",
         "the ninth one is not there");
  json_decref(j);

  j = json_servers(&m);
  list = json_object_get(json_array_get(j, 0), "waits");
  OK(json_array_size(list) == JSON_WAITS_SHOWN + 1,
     "the whole run has all of them");
  OK_STR(name_at(list, JSON_WAITS_SHOWN), "IO:0", "the ninth one, too");
  json_decref(j);
}

/* The server as the live page sees it; the caller frees *ret. */
static json_t *look_at(struct monitor *m, json_t **ret)
{
  struct disk disk = { 0 };
  struct recorders nobody = { 0 };
  const struct results_shared shared = { .disk = &disk,
                                         .monitor = m,
                                         .time_ns = UINT64_MAX,
                                         .events = UINT64_MAX,
                                         .start.recorders = &nobody };
  struct strbuf line = { 0 }, classes = { 0 };
  struct live_sampler s;

  *ret = NULL;
  if (live_sampler_init(&s, &shared) == 0) {
    live_sampler_start(&s);
    live_sampler_next(&s, NS_PER_S, 0, &line, &classes);
    *ret = json_loads(strbuf_str(&line), 0, NULL);
  }
  live_sampler_done(&s);
  strbuf_done(&line);
  strbuf_done(&classes);
  return server_of(*ret);
}

static void check_live(void)
{
  struct monitor m = { .interval.known = true, .interval.period_ns = NS_PER_S };
  json_t *j, *server;

  make_waits(&m.interval.waits, 2);
  server = look_at(&m, &j);
  OK(json_number_value(
       json_object_get(json_object_get(server, "waits"), "IO:1")) == 0.2,
     "the live page gets sessions that wait");
  json_decref(j);

  make_waits(&m.interval.waits, 0);
  server = look_at(&m, &j);
  OK(json_is_object(json_object_get(server, "waits")), "or that nobody does");
  json_decref(j);

  m.interval.waits.looks = 0;
  server = look_at(&m, &j);
  OK(server && !json_object_get(server, "waits"), "nothing without a look");
  json_decref(j);

  m.interval = (struct server_interval){ 0 };
  server = look_at(&m, &j);
  OK(server && !json_object_get(server, "waits"), "nor without a reading");
  json_decref(j);
}

int main(void)
{
  check_ninth();
  check_live();
  return TAP_EXIT();
}
