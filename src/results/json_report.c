/*
 * json_report.c - the report of a period as a JSON object.
 */
#include <assert.h>

#include "report/form.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/system.h"
#include "stats/report.h"

/* Groups of figures, each a JSON object. */
enum {
  NESTED = 4
};

struct nesting {
  struct jobj *at[NESTED + 1]; /* at[0] is the report */
  struct jobj group[NESTED];
  const char *name[NESTED];
  unsigned n;
};

static void begin_group(void *ctx, const char *name)
{
  struct nesting *n = ctx;

  assert(n->n < NESTED);
  n->name[n->n] = name;
  n->group[n->n] = jobj_new();
  n->at[n->n + 1] = &n->group[n->n];
  n->n++;
}

static void end_group(void *ctx)
{
  struct nesting *n = ctx;

  n->n--;
  jobj_add(n->at[n->n], n->name[n->n], jobj_take(&n->group[n->n]));
}

static void add_count(void *ctx, const char *name, uint64_t value)
{
  struct nesting *n = ctx;

  jobj_int(n->at[n->n], name, value);
}

static void add_real(void *ctx, const char *name, double value)
{
  struct nesting *n = ctx;

  jobj_real(n->at[n->n], name, value);
}

/* Add the figures that only this test has. */
static void add_figures(struct jobj *o, const struct report *r,
                        const struct report_setup *setup)
{
  struct nesting n = { .at = { o } };
  const struct figures to = { &n, begin_group, end_group, add_count, add_real };

  if (r->form->figures)
    r->form->figures(&to, setup, r);
}

static json_t *cpu_use(const struct system_use *u)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "user_ratio", u->user);
  jobj_real(&o, "system_ratio", u->system);
  jobj_real(&o, "iowait_ratio", u->iowait);
  jobj_real(&o, "idle_ratio", u->idle);
  jobj_real(&o, "steal_ratio", u->steal);
  jobj_real(&o, "context_switches_per_s", u->switches_per_s);
  jobj_real(&o, "throttled_ratio", u->strain.throttled);
  if (u->strain.mhz > 0)
    jobj_real(&o, "clock_mhz", u->strain.mhz);
  return jobj_take(&o);
}

static json_t *disk_use(const struct system_use *u)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "reads", u->reads);
  jobj_int(&o, "writes", u->writes);
  jobj_int(&o, "read_bytes", u->read_bytes);
  jobj_int(&o, "written_bytes", u->written_bytes);
  jobj_real(&o, "utilisation_ratio", u->busy);
  return jobj_take(&o);
}

static json_t *network_use(const struct system_use *u)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "received_bytes", u->received_bytes);
  jobj_int(&o, "sent_bytes", u->sent_bytes);
  jobj_int(&o, "loopback_bytes", u->loopback_bytes);
  if (u->strain.has_retransmits)
    jobj_int(&o, "retransmits", u->strain.retransmits);
  return jobj_take(&o);
}

static json_t *memory_use(const struct strain_use *u)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "dirty_bytes", u->dirty_bytes);
  jobj_int(&o, "writeback_bytes", u->writeback_bytes);
  if (u->has_faults)
    jobj_int(&o, "major_faults", u->major_faults);
  return jobj_take(&o);
}

static json_t *pressure_use(const struct strain_use *u)
{
  struct jobj o = jobj_new();

  for (int i = 0; i < STRAIN_PRESSURES; i++) {
    if (u->has[i])
      jobj_real(&o, strain_pressure_names[i], u->stopped[i]);
  }
  return jobj_take(&o);
}

static json_t *system_part(const struct system_use *u)
{
  struct jobj o = jobj_new();

  if (u->has_cpu)
    jobj_add(&o, "cpu", cpu_use(u));
  if (u->has_disk)
    jobj_add(&o, "disk", disk_use(u));
  if (u->has_net)
    jobj_add(&o, "network", network_use(u));
  if (u->strain.has_dirty)
    jobj_add(&o, "memory", memory_use(&u->strain));
  if (u->strain.has[STRAIN_CPU_SOME])
    jobj_add(&o, "pressure", pressure_use(&u->strain));
  return jobj_take(&o);
}

static void add_counts(struct jobj *o, const struct report *r,
                       const struct report_setup *setup)
{
  jobj_int(o, "events", r->events);
  jobj_real(o, "events_per_s", report_rate(r, r->events));
  add_figures(o, r, setup);
  jobj_int(o, "errors", r->counter[COUNTER_ERROR]);
  jobj_real(o, "errors_per_s", report_counter_rate(r, COUNTER_ERROR));
  jobj_int(o, "reconnects", r->counter[COUNTER_RECONNECT]);
}

json_t *json_report(const struct report *r, const struct report_setup *setup,
                    const struct system_use *sys, bool brief)
{
  const struct latency l = { r->events, r->sum_ns, r->min_ns,
                             r->max_ns, r->hist,   false };
  struct jobj o = jobj_new();

  jobj_real(&o, "elapsed_s", jobj_seconds(r->elapsed_ns));
  jobj_real(&o, "period_s", jobj_seconds(r->period_ns));
  if (r->kind == REPORT_INTERVAL)
    jobj_bool(&o, "partial", r->partial);
  if (r->kind == REPORT_FORCED)
    jobj_int(&o, "unfinished_events", r->unfinished);
  jobj_int(&o, "threads_running", r->threads_running);
  add_counts(&o, r, setup);
  jobj_add(&o, "latency_ns", json_latency(&l, setup));
  if (setup->rate) {
    jobj_int(&o, "queue_length", r->queue_length);
    jobj_int(&o, "concurrency", r->concurrency);
    jobj_int(&o, "arrivals", r->arrivals);
    jobj_real(&o, "offered_per_s", report_offered_rate(r));
  }
  if (r->has_stalled)
    jobj_real(&o, "stalled_s", jobj_seconds(r->stalled_ns));
  if (r->kind == REPORT_INTERVAL && r->classes.n > 0)
    jobj_add(&o, "classes", json_classes(r, setup, brief));
  if (r->kind == REPORT_INTERVAL && r->members.n > 0)
    jobj_add(&o, "members",
             json_members(r, setup, r->members.n > JSON_CLASSES_WHOLE));
  json_add_tally(&o, r, setup);
  if (sys)
    jobj_add(&o, "system", system_part(sys));
  return jobj_take(&o);
}
