/*
 * json_run.c - parts of the document that are about the run as a whole.
 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "report/life.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/report.h"
#include "stats/slices.h"

/* "2025-01-31T12:00:00.123Z" */
static json_t *wall_time(uint64_t ns)
{
  const time_t s = (time_t)(ns / NS_PER_S);
  char date[64];
  struct tm tm;
  size_t len;

  if (!gmtime_r(&s, &tm))
    return json_null();
  len = strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
  return json_sprintf("%.*s.%03uZ", (int)len, date,
                      (unsigned)(ns / NS_PER_MS % 1000));
}

static json_t *settle_part(const struct run_settled *s)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "until", s->writeback ? "writeback" : "time");
  jobj_bool(&o, "reached", s->calm);
  jobj_real(&o, "waited_s", jobj_seconds(s->waited_ns));
  if (s->dirty_known) {
    jobj_int(&o, "dirty_before_bytes", s->dirty_before_bytes);
    jobj_int(&o, "dirty_bytes", s->dirty_bytes);
  }
  return jobj_take(&o);
}

json_t *json_run(const struct run_start *start, const struct run_end *end,
                 const char *test)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "test", test);
  if (end->started) {
    jobj_add(&o, "start_time", wall_time(start->wall_ns));
    jobj_int(&o, "start_monotonic_ns", start->start_ns);
    jobj_int(&o, "measured_start_monotonic_ns", end->measured_ns);
    jobj_int(&o, "end_monotonic_ns", end->end_ns);
    jobj_int(&o, "threads",
             start->carriers > 0 ? start->carriers : start->threads);
    if (start->clients)
      jobj_int(&o, "clients", start->threads);
    if (start->idle > 0)
      jobj_int(&o, "idle_clients", start->idle);
    jobj_signed(&o, "seed", (int64_t)start->seed);
  }
  if (end->settled.asked)
    jobj_add(&o, "settle", settle_part(&end->settled));
  if (end->n_ranks > 0)
    jobj_int(&o, "start_skew_ns", end->start_skew_ns);
  jobj_text(&o, "end_reason", end_reason_name(end->reason));
  jobj_int(&o, "exit_status", (uint64_t)end->status);
  if (end->signal != 0)
    jobj_int(&o, "signal", (uint64_t)end->signal);
  if (end->error)
    jobj_text(&o, "error", end->error);
  return jobj_take(&o);
}

static json_t *class_part(const struct class_report *c, const struct report *r,
                          const struct report_setup *setup, bool brief)
{
  const struct latency l = { c->count,  c->sum_ns, c->min_ns,
                             c->max_ns, c->hist,   brief };
  struct jobj o = jobj_new();

  jobj_text(&o, "name", c->name);
  jobj_int(&o, "count", c->count);
  jobj_real(&o, "count_per_s", report_rate(r, c->count));
  jobj_int(&o, "errors", c->errors);
  jobj_int(&o, "rows", c->rows);
  jobj_int(&o, "bytes", c->bytes);
  jobj_add(&o, "latency_ns", json_latency(&l, setup));
  return jobj_take(&o);
}

json_t *json_classes(const struct report *r, const struct report_setup *setup,
                     bool brief)
{
  json_t *array = json_array();

  for (unsigned i = 0; array && i < r->classes.n; i++) {
    if (!jobj_array_add(array,
                        class_part(&r->classes.of[i], r, setup, brief))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

/* What the command line wants of a member, in the whole run. */
static void add_planned(struct jobj *o, const struct report_member *m)
{
  if (m->share > 0.0)
    jobj_real(o, "planned_ratio", m->share);
  if (m->clients > 0)
    jobj_int(o, "clients", m->clients);
  if (m->rate > 0.0)
    jobj_real(o, "planned_per_s", m->rate);
}

static json_t *member_part(const struct class_report *c, const struct report *r,
                           const struct report_setup *setup, unsigned place,
                           bool brief)
{
  const struct latency l = { c->count,  c->sum_ns, c->min_ns,
                             c->max_ns, c->hist,   brief };
  struct jobj o = jobj_new();

  jobj_text(&o, "name", c->name);
  jobj_int(&o, "events", c->count);
  jobj_real(&o, "events_per_s", report_rate(r, c->count));
  jobj_real(&o, "share_ratio",
            r->events > 0 ? (double)c->count / (double)r->events : 0.0);
  jobj_int(&o, "errors", c->errors);
  jobj_int(&o, "reconnects", c->reconnects);
  if (r->kind != REPORT_INTERVAL && place < setup->n_members)
    add_planned(&o, &setup->members[place]);
  jobj_add(&o, "latency_ns", json_latency(&l, setup));
  return jobj_take(&o);
}

json_t *json_members(const struct report *r, const struct report_setup *setup,
                     bool brief)
{
  json_t *array = json_array();

  for (unsigned i = 0; array && i < r->members.n; i++) {
    if (!jobj_array_add(array,
                        member_part(&r->members.of[i], r, setup, i, brief))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

json_t *json_errors(const struct test_details *details)
{
  json_t *array = json_array();

  for (size_t i = 0; array && details && i < details->n_errors; i++) {
    if (!jobj_array_add(array, json_error(&details->error[i], true))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

static json_t *thread_part(unsigned number, const struct report_thread *t)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "thread", number);
  jobj_int(&o, "events", t->events);
  jobj_int(&o, "sum_ns", t->sum_ns);
  jobj_int(&o, "min_ns", t->min_ns);
  jobj_int(&o, "max_ns", t->max_ns);
  return jobj_take(&o);
}

json_t *json_threads(const struct report *total)
{
  struct jobj o = jobj_new();
  json_t *each = json_array();

  jobj_real(&o, "events_mean", total->events_mean);
  jobj_real(&o, "events_stddev", total->events_stddev);
  jobj_real(&o, "execution_time_mean_s", total->time_mean_s);
  jobj_real(&o, "execution_time_stddev_s", total->time_stddev_s);
  for (unsigned i = 0; total->thread && i < total->threads; i++) {
    if (!jobj_array_add(each, thread_part(i, &total->thread[i])))
      o.failed = true;
  }
  jobj_add(&o, "each", each);
  return jobj_take(&o);
}

/* How the threads that carry clients have waited. */
static void add_loops(struct jobj *o, const struct client_loops *l)
{
  struct jobj lag = jobj_new();

  jobj_int(&lag, "count", l->lag_count);
  jobj_int(&lag, "p50", l->lag_p50_ns);
  jobj_int(&lag, "p99", l->lag_p99_ns);
  jobj_int(&lag, "max", l->lag_max_ns);
  jobj_text(o, "loop_engine", l->engine);
  jobj_int(o, "loop_turns", l->turns);
  jobj_int(o, "loop_arrivals", l->answers);
  jobj_add(o, "loop_lag_ns", jobj_take(&lag));
  jobj_int(o, "blocking_calls", l->blocked);
}

/* What this machine added to latencies. */
static void add_delays(struct jobj *o, const struct client_delays *d)
{
  struct jobj part = jobj_new();

  jobj_int(&part, "events", d->events);
  jobj_real(&part, "mean", (double)d->added_ns / (double)d->events);
  jobj_int(&part, "p99", d->p99_ns);
  jobj_int(&part, "p99_without", d->rest_p99_ns);
  jobj_add(o, "added_latency_ns", jobj_take(&part));
}

json_t *json_client(const struct client_use *u, uint64_t events)
{
  const uint64_t cpu_ns = u->user_ns + u->system_ns;
  struct jobj o = jobj_new();

  jobj_real(&o, "user_s", jobj_seconds(u->user_ns));
  jobj_real(&o, "system_s", jobj_seconds(u->system_ns));
  jobj_real(&o, "cpu_per_event_ns",
            events > 0 ? (double)cpu_ns / (double)events : 0.0);
  jobj_real(&o, "cpus_used",
            u->wall_ns > 0 ? (double)cpu_ns / (double)u->wall_ns : 0.0);
  jobj_real(&o, "cpus_allowed", u->cpus);
  if (u->quota > 0.0)
    jobj_real(&o, "cpus_quota", u->quota);
  jobj_int(&o, "voluntary_context_switches", u->voluntary);
  jobj_int(&o, "involuntary_context_switches", u->involuntary);
  if (u->queue_known)
    jobj_real(&o, "run_queue_delay_s", jobj_seconds(u->queue_ns));
  else
    jobj_null(&o, "run_queue_delay_s");
  if (u->delays.events > 0)
    add_delays(&o, &u->delays);
  jobj_int(&o, "max_resident_bytes", u->max_rss_bytes);
  jobj_real(&o, "paused_s", jobj_seconds(u->paused_ns));
  if (u->loops.threads > 0)
    add_loops(&o, &u->loops);
  if (u->machine.known && u->wall_ns > 0) {
    const uint64_t busy_ns = u->machine.busy_ns;

    jobj_real(&o, "other_programs_cpus",
              busy_ns > cpu_ns ? (double)(busy_ns - cpu_ns) / (double)u->wall_ns
                               : 0.0);
    if (u->machine.server_ns > 0)
      jobj_real(&o, "local_servers_cpus",
                (double)u->machine.server_ns / (double)u->wall_ns);
    jobj_real(&o, "steal_cpus",
              (double)u->machine.steal_ns / (double)u->wall_ns);
  }
  if (u->machine.first_ghz > 0.0) {
    jobj_real(&o, "first_quarter_ghz", u->machine.first_ghz);
    jobj_real(&o, "last_quarter_ghz", u->machine.last_ghz);
  }
  if (u->quota > 0.0)
    jobj_real(&o, "throttled_s", jobj_seconds(u->machine.throttled_ns));
  return jobj_take(&o);
}

json_t *json_slices(const struct slices *s)
{
  json_t *end_s = json_array(), *events = json_array();
  json_t *sum_ns = json_array(), *queries = json_array();
  struct jobj o = jobj_new();

  for (unsigned i = 1; i < s->n; i++) {
    const struct slice_moment *from = &s->moment[i - 1], *to = from + 1;
    const uint64_t at_ns = to->at_ns - s->moment[0].at_ns;

    if (!jobj_array_add(end_s, jobj_number(jobj_seconds(at_ns))) ||
        !jobj_array_add(
          events, json_integer((json_int_t)(to->events - from->events))) ||
        !jobj_array_add(
          sum_ns, json_integer((json_int_t)(to->sum_ns - from->sum_ns))) ||
        !jobj_array_add(
          queries, json_integer((json_int_t)(to->queries - from->queries))))
      o.failed = true;
  }
  jobj_add(&o, "end_s", end_s);
  jobj_add(&o, "events", events);
  jobj_add(&o, "latency_sum_ns", sum_ns);
  jobj_add(&o, "queries", queries);
  return jobj_take(&o);
}

json_t *json_doubts(const struct doubts *doubts)
{
  json_t *array = json_array();

  for (size_t i = 0; array && doubts && i < doubts->n; i++) {
    struct jobj o = jobj_new();

    jobj_text(&o, "code", doubts->of[i].code);
    jobj_text(&o, "text", doubts->of[i].text);
    if (!jobj_array_add(array, jobj_take(&o))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

json_t *json_rate(const struct report *total, const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  for (unsigned i = 0; i < total->rated.n; i++) {
    const struct class_report *c = &total->rated.of[i];
    const struct latency l = { c->count, c->sum_ns, c->min_ns, c->max_ns,
                               c->hist };

    jobj_add(&o, strcmp(c->name, "lag") == 0 ? "lag_ns" : "service_time_ns",
             json_latency(&l, setup));
  }
  return jobj_take(&o);
}
