/*
 * json_run.c - the document about the whole run.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "monitor/digests.h"
#include "monitor/monitor.h"
#include "report/life.h"
#include "results/correlations.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/shared.h"
#include "stats/decision.h"
#include "stats/outage_report.h"
#include "stats/report.h"
#include "stats/slices.h"
#include "stats/slo.h"
#include "stats/storm_report.h"

/* ---- the run ---- */

/* "2025-01-31T12:00:00.123Z" */
static json_t *json_wall_time(uint64_t ns)
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

static json_t *json_settle(const struct run_settled *s)
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

static const char *json_end_reason(enum end_reason reason)
{
  static const char *const names[] = {
    [END_NOT_STARTED] = "not_started", [END_EVENTS] = "event_limit",
    [END_TIME] = "time_limit",         [END_ERROR] = "error",
    [END_OVERLOAD] = "overload",       [END_SIGNAL] = "signal",
    [END_FORCED] = "forced",           [END_DECIDED] = "decided",
  };

  return names[reason];
}

json_t *json_run(const struct run_start *start, const struct run_end *end,
                 const char *test)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "test", test);
  if (end->started) {
    jobj_add(&o, "start_time", json_wall_time(start->wall_ns));
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
    jobj_add(&o, "settle", json_settle(&end->settled));
  if (end->n_ranks > 0)
    jobj_int(&o, "start_skew_ns", end->start_skew_ns);
  jobj_text(&o, "end_reason", json_end_reason(end->reason));
  jobj_int(&o, "exit_status", (uint64_t)end->status);
  if (end->signal != 0)
    jobj_int(&o, "signal", (uint64_t)end->signal);
  if (end->error)
    jobj_text(&o, "error", end->error);
  return jobj_take(&o);
}

static json_t *json_thread(unsigned number, const struct report_thread *t)
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
  struct jobj each = jobj_list();

  jobj_real(&o, "events_mean", total->events_mean);
  jobj_real(&o, "events_stddev", total->events_stddev);
  jobj_real(&o, "execution_time_mean_s", total->time_mean_s);
  jobj_real(&o, "execution_time_stddev_s", total->time_stddev_s);
  for (unsigned i = 0; total->thread && i < total->threads; i++)
    jobj_push(&each, json_thread(i, &total->thread[i]));
  jobj_add(&o, "each", jobj_take(&each));
  return jobj_take(&o);
}

static void json_add_loops(struct jobj *o, const struct client_loops *l)
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

static void json_add_delays(struct jobj *o, const struct client_delays *d)
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
    json_add_delays(&o, &u->delays);
  jobj_int(&o, "max_resident_bytes", u->max_rss_bytes);
  jobj_real(&o, "paused_s", jobj_seconds(u->paused_ns));
  if (u->loops.threads > 0)
    json_add_loops(&o, &u->loops);
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
  struct jobj end_s = jobj_list(), events = jobj_list();
  struct jobj sum_ns = jobj_list(), queries = jobj_list(), o = jobj_new();

  for (unsigned i = 1; i < s->n; i++) {
    const struct slice_moment *from = &s->moment[i - 1], *to = from + 1;

    jobj_push(&end_s,
              jobj_number(jobj_seconds(to->at_ns - s->moment[0].at_ns)));
    jobj_push(&events, json_integer((json_int_t)(to->events - from->events)));
    jobj_push(&sum_ns, json_integer((json_int_t)(to->sum_ns - from->sum_ns)));
    jobj_push(&queries,
              json_integer((json_int_t)(to->queries - from->queries)));
  }
  jobj_add(&o, "end_s", jobj_take(&end_s));
  jobj_add(&o, "events", jobj_take(&events));
  jobj_add(&o, "latency_sum_ns", jobj_take(&sum_ns));
  jobj_add(&o, "queries", jobj_take(&queries));
  return jobj_take(&o);
}

json_t *json_warnings(const struct warnings *warnings)
{
  struct jobj array = jobj_list();

  for (size_t i = 0; warnings && i < warnings->n; i++) {
    struct jobj o = jobj_new();

    jobj_text(&o, "code", warnings->of[i].code);
    jobj_text(&o, "text", warnings->of[i].text);
    jobj_push(&array, jobj_take(&o));
  }
  return jobj_take(&array);
}

json_t *json_rate(const struct report *total, const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  for (unsigned i = 0; i < total->rated.n; i++) {
    const struct class_report *c = &total->rated.of[i];

    jobj_add(&o, strcmp(c->name, "lag") == 0 ? "lag_ns" : "service_time_ns",
             json_class_latency(c, setup, false));
  }
  return jobj_take(&o);
}

/* ---- ranks ---- */

static double json_per_second(uint64_t count, uint64_t ns)
{
  return ns > 0 ? (double)count * (double)NS_PER_S / (double)ns : 0.0;
}

static json_t *json_rank(const struct rank_part *p,
                         const struct report_setup *setup)
{
  const struct latency l = { p->events, p->sum_ns, p->min_ns, p->max_ns,
                             p->hist };
  struct jobj o = jobj_new();

  jobj_int(&o, "rank", p->rank);
  jobj_text(&o, "host", p->host);
  jobj_bool(&o, "lost", p->lost);
  jobj_int(&o, "first_thread", p->first_thread);
  jobj_int(&o, "threads", p->threads);
  jobj_int(&o, "period_ns", p->period_ns);
  jobj_int(&o, "events", p->events);
  jobj_real(&o, "events_per_s", json_per_second(p->events, p->period_ns));
  jobj_int(&o, "reads", p->reads);
  jobj_int(&o, "writes", p->writes);
  jobj_int(&o, "other", p->other);
  jobj_int(&o, "errors", p->errors);
  jobj_int(&o, "reconnects", p->reconnects);
  jobj_add(&o, "latency_ns", json_latency(&l, setup));
  jobj_add(&o, "client", json_client(&p->client, p->events));
  if (p->start_known)
    jobj_signed(&o, "start_offset_ns", p->start_offset_ns);
  else
    jobj_null(&o, "start_offset_ns");
  jobj_int(&o, "clock_error_ns", p->clock_error_ns);
  if (p->lost)
    jobj_null(&o, "exit_status");
  else
    jobj_int(&o, "exit_status", (uint64_t)p->status);
  return jobj_take(&o);
}

json_t *json_ranks(const struct run_end *end, const struct report_setup *setup)
{
  struct jobj array = jobj_list();

  for (unsigned i = 0; i < end->n_ranks; i++)
    jobj_push(&array, json_rank(&end->ranks[i], setup));
  return jobj_take(&array);
}

static json_t *json_metrics(const struct server_reading *r)
{
  struct jobj o = jobj_new();

  json_add_metrics(&o, r);
  return jobj_take(&o);
}

static json_t *json_most(const struct server_reading *r)
{
  struct jobj o = jobj_new();

  for (int f = 0; f < SERVER_METRICS; f++) {
    if (r->has[f] && server_metrics_info[f].kind == SERVER_LEVEL)
      jobj_real(&o, server_metrics_info[f].name, r->value[f]);
  }
  return jobj_take(&o);
}

static json_t *json_per_event(const struct server_total *t)
{
  struct jobj o = jobj_new();

  for (int f = 0; f < SERVER_METRICS && t->events > 0; f++) {
    if (t->did.has[f] && server_metrics_info[f].kind == SERVER_COUNT)
      jobj_real(&o, server_metrics_info[f].name, t->did.value[f] / t->events);
  }
  return jobj_take(&o);
}

static json_t *json_gaps(const struct server_gaps *gaps)
{
  struct jobj list = jobj_list();

  for (unsigned i = 0; i < gaps->n; i++) {
    struct jobj o = jobj_new();

    jobj_text(&o, "figures", gaps->of[i].what);
    jobj_text(&o, "reason", gaps->of[i].why);
    jobj_push(&list, jobj_take(&o));
  }
  return jobj_take(&list);
}

static json_t *json_raw(const struct monitor *m, unsigned server)
{
  struct jobj o = jobj_new();
  struct server_raw raw;

  for (size_t i = 0; monitor_raw(m, server, i, &raw); i++) {
    if (raw.change != 0)
      jobj_named(&o, raw.name, jobj_number(raw.change));
  }
  return jobj_take(&o);
}

static json_t *json_statement(const struct digest *d)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "id", d->id);
  if (d->text)
    jobj_text(&o, "text", d->text);
  else
    jobj_null(&o, "text");
  jobj_int(&o, "calls", (uint64_t)d->calls);
  jobj_int(&o, "time_ns", (uint64_t)d->time_ns);
  jobj_int(&o, "rows", (uint64_t)d->rows);
  return jobj_take(&o);
}

static json_t *json_statements(const struct digests *d)
{
  struct jobj o = jobj_new();
  struct jobj list = jobj_list();

  for (size_t i = 0; i < d->n; i++)
    jobj_push(&list, json_statement(&d->of[i]));
  jobj_real(&o, "period_s", jobj_seconds(d->period_ns));
  jobj_add(&o, "top", jobj_take(&list));
  return jobj_take(&o);
}

static json_t *json_monitor_cost(const struct server_total *t)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "readings", t->readings);
  jobj_int(&o, "late", t->late);
  jobj_int(&o, "missed", t->missed);
  jobj_int(&o, "lost", t->lost);
  jobj_int(&o, "reading_mean_ns", t->took_mean_ns);
  jobj_int(&o, "reading_max_ns", t->took_max_ns);
  jobj_int(&o, "looks", t->waits.looks);
  jobj_int(&o, "look_mean_ns",
           t->waits.looks > 0 ? t->waits.took_ns / t->waits.looks : 0);
  return jobj_take(&o);
}

static json_t *json_server(struct monitor *m, unsigned server)
{
  struct jobj o = jobj_new();
  const struct digests *statements = monitor_statements(m, server);
  struct server_total t;

  monitor_total(m, server, &t);
  jobj_text(&o, "target", t.target);
  if (t.failure[0] != '\0')
    jobj_text(&o, "failure", t.failure);
  if (t.pid > 0)
    jobj_int(&o, "pid", (uint64_t)t.pid);
  jobj_add(&o, "monitor", json_monitor_cost(&t));
  jobj_int(&o, "restarts", t.restarts);
  jobj_add(&o, "not_read", json_gaps(&t.gaps));
  jobj_real(&o, "period_s", jobj_seconds(t.period_ns));
  jobj_add(&o, "figures", json_metrics(&t.did));
  jobj_add(&o, "most", json_most(&t.most));
  jobj_add(&o, "per_event", json_per_event(&t));
  jobj_add(&o, "waits", json_waits(&t.waits, SERVER_WAITS));
  jobj_add(&o, "raw", json_raw(m, server));
  if (statements)
    jobj_add(&o, "statements", json_statements(statements));
  return jobj_take(&o);
}

json_t *json_servers(struct monitor *m)
{
  struct jobj list = jobj_list();

  for (unsigned i = 0; i < monitor_servers(m); i++)
    jobj_push(&list, json_server(m, i));
  return jobj_take(&list);
}

/* ---- outages and storms ---- */

static json_t *json_fault(const struct outage_report *r,
                          const struct service_error *f)
{
  struct jobj o;

  if (f->at_ns == 0)
    return json_null();
  o = jobj_new();
  jobj_real(&o, "at_s",
            f->at_ns > r->base_ns ? jobj_seconds(f->at_ns - r->base_ns) : 0.0);
  jobj_text(&o, "phase", fault_phase_name(f->phase));
  jobj_text(&o, "code", f->code);
  jobj_text(&o, "text", f->text);
  return jobj_take(&o);
}

static json_t *json_stall(const struct outage_report *r, const struct stall *s)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "at_s", jobj_seconds(s->from_ns - r->base_ns));
  jobj_real(&o, "length_s", jobj_seconds(s->to_ns - s->from_ns));
  jobj_int(&o, "clients", s->clients);
  if (s->ended_by >= 0)
    jobj_int(&o, "ended_by_client", (uint64_t)s->ended_by);
  else
    jobj_null(&o, "ended_by_client");
  if (r->open_loop)
    jobj_int(&o, "arrivals", s->arrivals);
  jobj_add(&o, "first_error", json_fault(r, &s->fault));
  return jobj_take(&o);
}

static json_t *json_stalls(const struct outage_report *r)
{
  struct jobj array = jobj_list();

  for (unsigned i = 0; i < r->n_stalls; i++)
    jobj_push(&array, json_stall(r, &r->stalls[i]));
  return jobj_take(&array);
}

static json_t *json_brownout(const struct outage_report *r,
                             const struct brownout *b)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "at_s",
            b->from_ns > r->base_ns ? jobj_seconds(b->from_ns - r->base_ns)
                                    : 0.0);
  jobj_real(&o, "length_s", jobj_seconds(b->to_ns - b->from_ns));
  jobj_real(&o, "lowest_per_s", b->lowest_per_s);
  jobj_real(&o, "usual_per_s", b->usual_per_s);
  return jobj_take(&o);
}

static json_t *json_brownouts(const struct outage_report *r)
{
  struct jobj array = jobj_list();

  for (unsigned i = 0; i < r->n_brownouts; i++)
    jobj_push(&array, json_brownout(r, &r->brownouts[i]));
  return jobj_take(&array);
}

static json_t *json_spread(const struct outage_spread *s)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "median_s", jobj_seconds(s->median_ns));
  jobj_real(&o, "p95_s", jobj_seconds(s->p95_ns));
  jobj_real(&o, "longest_s", jobj_seconds(s->max_ns));
  return jobj_take(&o);
}

static json_t *json_clients(const struct outage_report *r)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "all", r->clients);
  jobj_int(&o, "affected", r->affected);
  jobj_int(&o, "until_the_end", r->still_down);
  jobj_int(&o, "outages", r->outages);
  jobj_real(&o, "unserved_s", jobj_seconds(r->unserved_ns));
  jobj_add(&o, "unavailable", json_spread(&r->unavailable));
  jobj_add(&o, "noticed", json_spread(&r->noticed));
  return jobj_take(&o);
}

static json_t *json_fault_phases(const struct outage_report *r)
{
  struct jobj o = jobj_new();

  for (unsigned i = 0; i < FAULT_PHASES; i++)
    jobj_int(&o, fault_phase_name((enum fault_phase)i), r->phases[i]);
  return jobj_take(&o);
}

json_t *json_outages(const struct outage_report *r)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "stall_limit_s", jobj_seconds(r->limit_ns));
  jobj_text(&o, "loop", r->open_loop ? "open" : "closed");
  jobj_int(&o, "stall_count", r->count);
  jobj_real(&o, "stalled_s", jobj_seconds(r->stalled_ns));
  if (r->at_least)
    jobj_bool(&o, "at_least", true);
  jobj_real(&o, "longest_stall_s", jobj_seconds(r->longest_ns));
  if (r->open_loop)
    jobj_int(&o, "arrivals", r->arrivals);
  jobj_add(&o, "stalls", json_stalls(r));
  if (r->brownouts) {
    jobj_int(&o, "brownout_count", r->brownout_count);
    jobj_real(&o, "brownout_s", jobj_seconds(r->brownout_ns));
    jobj_add(&o, "brownouts", json_brownouts(r));
  }
  jobj_add(&o, "clients", json_clients(r));
  jobj_add(&o, "first_errors", json_fault_phases(r));
  return jobj_take(&o);
}

static json_t *json_storm_times(const struct storm_times *t)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "count", t->count);
  if (t->count > 0) {
    jobj_int(&o, "p50_ns", t->p50_ns);
    jobj_int(&o, "p99_ns", t->p99_ns);
    jobj_int(&o, "max_ns", t->max_ns);
  }
  return jobj_take(&o);
}

static json_t *json_storm(const struct storm_report *s)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "at_s", jobj_seconds(s->at_ns));
  jobj_int(&o, "clients", s->clients);
  jobj_int(&o, "refused", s->failed);
  if (s->failed > 0)
    jobj_text(&o, "first_reason", s->reason);
  jobj_add(&o, "connected", json_storm_times(&s->connected));
  jobj_add(&o, "served", json_storm_times(&s->served));
  return jobj_take(&o);
}

json_t *json_storms(const struct storm_report *of, unsigned n)
{
  struct jobj array = jobj_list();

  for (unsigned i = 0; i < n; i++)
    jobj_push(&array, json_storm(&of[i]));
  return jobj_take(&array);
}

/* ---- the objective ---- */

static const char *json_slo_unit(const struct slo_term *t)
{
  static const char *const names[] = {
    [SLO_NS] = "ns",
    [SLO_SHARE] = "ratio",
    [SLO_PER_S] = "per_s",
  };

  return names[t->kind->unit];
}

static json_t *json_slo_term(const struct slo_result *r)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "term", r->term->text);
  jobj_text(&o, "unit", json_slo_unit(r->term));
  jobj_real(&o, "limit", r->term->limit);
  if (isfinite(r->value))
    jobj_real(&o, "value", r->value);
  else
    jobj_null(&o, "value");
  jobj_text(&o, "verdict", slo_state_name(slo_result_state(r)));
  jobj_bool(&o, "sure", r->sure);
  if (r->all > 0) {
    jobj_int(&o, "attempts", r->all);
    jobj_int(&o, "beyond", r->bad);
  }
  return jobj_take(&o);
}

json_t *json_slo(const struct slo_verdict *v)
{
  struct jobj o = jobj_new();
  struct jobj terms = jobj_list();

  jobj_text(&o, "verdict", slo_state_name(v->state));
  for (unsigned i = 0; i < v->n; i++)
    jobj_push(&terms, json_slo_term(&v->of[i]));
  jobj_add(&o, "terms", jobj_take(&terms));
  return jobj_take(&o);
}

static json_t *json_decision_term(const struct decision_term *t)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "term", t->term->text);
  jobj_text(&o, "verdict", decision_name(t->verdict));
  jobj_int(&o, "attempts", t->events);
  jobj_int(&o, "beyond", t->late);
  jobj_int(&o, "waiting", t->waiting);
  jobj_real(&o, "inflation", t->inflation);
  jobj_int(&o, "clusters", t->clusters);
  return jobj_take(&o);
}

json_t *json_decision(const struct decision_result *r)
{
  struct jobj o = jobj_new();
  struct jobj terms = jobj_list();

  jobj_text(&o, "verdict", decision_name(r->verdict));
  jobj_real(&o, "settled_s", jobj_seconds(r->settled_ns));
  jobj_real(&o, "decided_s", jobj_seconds(r->decided_ns));
  jobj_int(&o, "intervals", r->intervals);
  for (unsigned i = 0; i < r->n; i++)
    jobj_push(&terms, json_decision_term(&r->of[i]));
  jobj_add(&o, "terms", jobj_take(&terms));
  return jobj_take(&o);
}

/* ---- coincidences ---- */

static json_t *json_dips(const struct correlations *c)
{
  struct jobj list = jobj_list();

  for (size_t i = 0; i < c->n; i++) {
    struct jobj o;
    size_t last = i;

    if (!c->dip[i])
      continue;
    while (last + 1 < c->n && c->dip[last + 1])
      last++;
    o = jobj_new();
    jobj_int(&o, "first", i);
    jobj_int(&o, "last", last);
    jobj_push(&list, jobj_take(&o));
    i = last;
  }
  return jobj_take(&list);
}

static json_t *json_finding(const struct correlations *c, unsigned i)
{
  const struct coincide_finding *f = &c->found.of[i];
  struct strbuf text = { 0 };
  struct jobj o = jobj_new();

  correlations_sentence(c, i, &text);
  jobj_text(&o, "series", correlations_series(f->series));
  jobj_text(&o, "text", strbuf_str(&text));
  jobj_int(&o, "dips", c->found.dips);
  jobj_int(&o, "hits", f->hits);
  jobj_real(&o, "expected", f->expected);
  jobj_real(&o, "p", f->p);
  strbuf_done(&text);
  return jobj_take(&o);
}

json_t *json_correlations(const struct correlations *c)
{
  struct jobj o = jobj_new();
  struct jobj found = jobj_list();

  for (unsigned i = 0; i < c->found.n; i++)
    jobj_push(&found, json_finding(c, i));
  jobj_int(&o, "intervals", c->n);
  jobj_add(&o, "dips", json_dips(c));
  jobj_add(&o, "found", jobj_take(&found));
  return jobj_take(&o);
}
