#include "results/correlations.h"

#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/machine/sampler.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "stats/report.h"

#define AGE_LIMIT 0.85 /* servers slow down below 100 % */

struct moment {
  const struct report *report;
  const struct system_use *sys;
  const struct server_reading *server; /* [opt] */
  double servers;                      /* of local servers; NAN: unknown */
};

struct rule {
  const char *name; /* for programs */
  const char *text; /* after "coincide with" */
  enum server_metric figure;
  double (*of)(const struct moment *m); /* [opt] else the figure */
};

static double correlations_age(const struct moment *m)
{
  const struct server_reading *s = m->server;

  if (!s || !s->has[SERVER_CHECKPOINT_AGE_BYTES] ||
      !s->has[SERVER_CHECKPOINT_LIMIT_BYTES] ||
      s->value[SERVER_CHECKPOINT_LIMIT_BYTES] <= 0)
    return NAN;
  return s->value[SERVER_CHECKPOINT_AGE_BYTES] >
             AGE_LIMIT * s->value[SERVER_CHECKPOINT_LIMIT_BYTES]
           ? 1
           : 0;
}

static double correlations_busy(const struct moment *m)
{
  return m->sys->has_cpu ? m->sys->user + m->sys->system : NAN;
}

/* CPU time of other programs. */
static double correlations_others(const struct moment *m)
{
  return m->sys->has_cpu ? m->sys->others - m->servers : NAN;
}

static double correlations_waiting(const struct moment *m)
{
  return m->sys->has_waited ? m->sys->waiting : NAN;
}

static double correlations_iowait(const struct moment *m)
{
  return m->sys->has_cpu ? m->sys->iowait : NAN;
}

static double correlations_steal(const struct moment *m)
{
  return m->sys->has_cpu ? m->sys->steal : NAN;
}

static double correlations_throttled(const struct moment *m)
{
  return m->sys->pressure.throttled;
}

static double correlations_disk(const struct moment *m)
{
  return m->sys->has_disk ? m->sys->busy : NAN;
}

static double correlations_pressure(const struct moment *m, enum pressure which)
{
  return m->sys->pressure.has[which] ? m->sys->pressure.stopped[which] : NAN;
}

static double cpu_some(const struct moment *m)
{
  return correlations_pressure(m, PRESSURE_CPU_SOME);
}

static double io_full(const struct moment *m)
{
  return correlations_pressure(m, PRESSURE_IO_FULL);
}

static double memory_full(const struct moment *m)
{
  return correlations_pressure(m, PRESSURE_MEMORY_FULL);
}

static double correlations_retransmits(const struct moment *m)
{
  return m->sys->pressure.has_retransmits ? (double)m->sys->pressure.retransmits
                                          : NAN;
}

static double correlations_faults(const struct moment *m)
{
  return m->sys->pressure.has_faults ? (double)m->sys->pressure.major_faults
                                     : NAN;
}

static double correlations_errors(const struct moment *m)
{
  return (double)m->report->counter[COUNTER_ERROR];
}

static double correlations_reconnects(const struct moment *m)
{
  return (double)m->report->counter[COUNTER_RECONNECT];
}

static const struct rule rules[] = {
  { "server.checkpoint_running", "a running checkpoint",
    SERVER_CHECKPOINT_RUNNING, NULL },
  { "server.checkpoints", "a checkpoint", SERVER_CHECKPOINTS, NULL },
  { "server.checkpoint_age", "a checkpoint age above 85 % of its limit",
    SERVER_METRICS, correlations_age },
  { "server.lock_waiting", "sessions that wait for locks", SERVER_LOCK_WAITING,
    NULL },
  { "server.lock_waits", "many waits for locks", SERVER_LOCK_WAITS, NULL },
  { "server.deadlocks", "deadlocks", SERVER_DEADLOCKS, NULL },
  { "server.free_page_waits", "statements that had to write pages",
    SERVER_FREE_PAGE_WAITS, NULL },
  { "server.pages_read", "many pages read by the server", SERVER_PAGES_READ,
    NULL },
  { "server.pages_written", "many pages written by the server",
    SERVER_PAGES_WRITTEN, NULL },
  { "server.fsyncs", "many fsyncs of the server", SERVER_FSYNCS, NULL },
  { "server.fsync_ns", "long fsyncs of the server's log", SERVER_FSYNC_NS,
    NULL },
  { "server.vacuum_running", "an automatic vacuum", SERVER_VACUUM_RUNNING,
    NULL },
  { "server.history_length", "many undo logs that wait for the purge",
    SERVER_HISTORY_LENGTH, NULL },
  { "server.temp_files", "results that needed files", SERVER_TEMP_FILES, NULL },
  { "server.oldest_transaction", "an old transaction",
    SERVER_OLDEST_TRANSACTION_S, NULL },
  { "server.connections", "more connections to the server", SERVER_CONNECTIONS,
    NULL },
  { "errors", "errors of the run", SERVER_METRICS, correlations_errors },
  { "reconnects", "lost connections", SERVER_METRICS, correlations_reconnects },
  { "system.cpu.steal", "CPU time that the hypervisor took", SERVER_METRICS,
    correlations_steal },
  { "system.cpu.throttled", "the quota of the control group", SERVER_METRICS,
    correlations_throttled },
  { "system.cpu.busy", "busy CPUs", SERVER_METRICS, correlations_busy },
  { "system.cpu.others", "other programs on the CPUs", SERVER_METRICS,
    correlations_others },
  { "client.waiting", "threads of this program that wait for CPUs",
    SERVER_METRICS, correlations_waiting },
  { "server.cpu_wait_ns", "a server that waits for CPUs", SERVER_CPU_WAIT_NS,
    NULL },
  { "system.cpu.iowait", "CPUs that wait for disks", SERVER_METRICS,
    correlations_iowait },
  { "system.disk.utilisation", "a busy disk", SERVER_METRICS,
    correlations_disk },
  { "system.pressure.cpu_some", "tasks that wait for CPUs", SERVER_METRICS,
    cpu_some },
  { "system.pressure.io_full", "tasks that disks have stopped", SERVER_METRICS,
    io_full },
  { "system.pressure.memory_full", "tasks that a lack of memory has stopped",
    SERVER_METRICS, memory_full },
  { "system.network.retransmits", "network packets that were sent again",
    SERVER_METRICS, correlations_retransmits },
  { "system.memory.major_faults", "pages that were read back into memory",
    SERVER_METRICS, correlations_faults },
};

_Static_assert(ARRAY_SIZE(rules) == CORRELATIONS_SERIES, "one series per rule");

void correlations_done(struct correlations *c)
{
  free(c->rate);
  free(c->latency);
  free(c->dip);
  for (size_t k = 0; k < CORRELATIONS_SERIES; k++)
    free(c->series[k]);
  *c = (struct correlations){ 0 };
}

static bool correlations_grow_one(double **of, size_t room)
{
  double *more = realloc(*of, room * sizeof(*more));

  if (more)
    *of = more;
  return more != NULL;
}

static bool correlations_grow(struct correlations *c)
{
  const size_t room = c->room > 0 ? 2 * c->room : 256;
  bool ok = correlations_grow_one(&c->rate, room) &&
            correlations_grow_one(&c->latency, room);

  for (size_t k = 0; ok && k < CORRELATIONS_SERIES; k++)
    ok = correlations_grow_one(&c->series[k], room);
  if (ok)
    c->room = room;
  c->failed = !ok;
  return ok;
}

/* Unknown unless readings span the interval.  Servers elsewhere use none of
 * these CPUs. */
static double cpu_of_servers(struct monitor *m, uint64_t period_ns)
{
  double sum = 0;

  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval did;

    monitor_interval(m, i, &did);
    if (!did.known || did.period_ns < period_ns / 2 ||
        did.period_ns / 2 > period_ns)
      return NAN;
    if (did.local && !did.did.has[SERVER_CPU_NS])
      return NAN;
    if (did.did.has[SERVER_CPU_NS])
      sum += did.did.value[SERVER_CPU_NS] / (double)did.period_ns;
  }
  return sum;
}

/* Of several servers: sum of counters, maximum of levels. */
static bool merge_servers(struct monitor *m, struct server_reading *ret)
{
  bool known = false;

  *ret = (struct server_reading){ 0 };
  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval did;

    monitor_interval(m, i, &did);
    for (int f = 0; f < SERVER_METRICS; f++) {
      const struct server_reading *r = did.seen.has[f] ? &did.seen : &did.did;

      if (!r->has[f])
        continue;
      ret->has[f] = known = true;
      if (server_metrics_info[f].kind == SERVER_COUNT)
        ret->value[f] += r->value[f];
      else
        ret->value[f] = fmax(ret->value[f], r->value[f]);
    }
  }
  return known;
}

static double value_of(const struct rule *r, const struct moment *m)
{
  if (r->of)
    return r->of(m);
  return m->server && m->server->has[r->figure] ? m->server->value[r->figure]
                                                : NAN;
}

void correlations_add(struct correlations *c, const struct report *r,
                      const struct system_use *sys, struct monitor *monitor)
{
  struct server_reading server;
  const struct moment m = {
    r,
    sys,
    merge_servers(monitor, &server) ? &server : NULL,
    cpu_of_servers(monitor, sys->period_ns),
  };

  if (c->failed || r->partial || c->n == CORRELATIONS_MAX ||
      (c->n == c->room && !correlations_grow(c)))
    return;
  c->rate[c->n] = report_rate(r, r->events);
  c->latency[c->n] = r->events > 0 && r->hist ? (double)report_percentile(r, 99)
                                              : NAN;
  for (size_t k = 0; k < CORRELATIONS_SERIES; k++)
    c->series[k][c->n] = value_of(&rules[k], &m);
  c->n++;
}

void correlations_judge(struct correlations *c)
{
  const struct coincide_input in = {
    .n = c->n,
    .rate = c->rate,
    .latency = c->latency,
    .n_series = CORRELATIONS_SERIES,
    .series = (const double *const *)c->series,
  };

  if (c->failed || c->judged || c->n == 0)
    return;
  c->dip = calloc(c->n, sizeof(*c->dip));
  c->judged = c->dip && coincide_find(&in, c->dip, &c->found) == 0;
}

const char *correlations_series(size_t series)
{
  return rules[series].name;
}

void correlations_sentence(const struct correlations *c, unsigned i,
                           struct strbuf *ret)
{
  const struct coincide_finding *f = &c->found.of[i];

  if (c->found.dips == 1)
    strbuf_adds(ret, "the only dip coincides");
  else
    strbuf_addf(ret, "%u of %u dips coincide%s", f->hits, c->found.dips,
                f->hits == 1 ? "s" : "");
  strbuf_addf(ret, " with %s (%.1f expected by chance, ", rules[f->series].text,
              f->expected);
  if (f->p < 0.001)
    strbuf_adds(ret, "p < 0.001)");
  else
    strbuf_addf(ret, "p = %.3f)", f->p);
}
