/*
 * json_report.c - the report of a period as a JSON object.
 */
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/system.h"
#include "stats/report.h"

static json_t *queries(const struct report *r)
{
  struct jobj o = jobj_new();
  const uint64_t read = r->counter[COUNTER_READ];
  const uint64_t write = r->counter[COUNTER_WRITE];
  const uint64_t other = r->counter[COUNTER_OTHER];

  jobj_int(&o, "read", read);
  jobj_int(&o, "write", write);
  jobj_int(&o, "other", other);
  jobj_int(&o, "total", read + write + other);
  jobj_real(&o, "total_per_s", report_rate(r, read + write + other));
  return jobj_take(&o);
}

/* Requests of one kind, with what they moved. */
static json_t *requests(const struct report *r, enum counter n,
                        enum counter bytes)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "count", r->counter[n]);
  jobj_real(&o, "per_s", report_rate(r, r->counter[n]));
  if (n != COUNTER_OTHER) {
    jobj_int(&o, "bytes", r->counter[bytes]);
    jobj_real(&o, "bytes_per_s", report_rate(r, r->counter[bytes]));
  }
  return jobj_take(&o);
}

static json_t *file_operations(const struct report *r)
{
  struct jobj o = jobj_new();

  jobj_add(&o, "read", requests(r, COUNTER_READ, COUNTER_BYTES_READ));
  jobj_add(&o, "write", requests(r, COUNTER_WRITE, COUNTER_BYTES_WRITTEN));
  jobj_add(&o, "fsync", requests(r, COUNTER_OTHER, COUNTER_OTHER));
  return jobj_take(&o);
}

static json_t *memory(const struct report *r, const struct report_setup *setup)
{
  const uint64_t bytes = setup->memory_bytes ? r->events * setup->memory_block
                                             : 0;
  struct jobj o = jobj_new();

  jobj_int(&o, "bytes", bytes);
  jobj_real(&o, "bytes_per_s", report_rate(r, bytes));
  return jobj_take(&o);
}

/* What only tests of this kind have. */
static void add_style(struct jobj *o, const struct report *r,
                      const struct report_setup *setup)
{
  switch (r->style) {
  case REPORT_SQL:
    jobj_add(o, "queries", queries(r));
    break;
  case REPORT_FILEIO:
    jobj_add(o, "file_operations", file_operations(r));
    break;
  case REPORT_MEMORY:
    jobj_add(o, "memory", memory(r, setup));
    break;
  case REPORT_EVENTS:
  case REPORT_CPU:
    break;
  }
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
  return jobj_take(&o);
}

static void add_counts(struct jobj *o, const struct report *r,
                       const struct report_setup *setup)
{
  jobj_int(o, "events", r->events);
  jobj_real(o, "events_per_s", report_rate(r, r->events));
  add_style(o, r, setup);
  jobj_int(o, "errors", r->counter[COUNTER_ERROR]);
  jobj_real(o, "errors_per_s", report_rate(r, r->counter[COUNTER_ERROR]));
  jobj_int(o, "reconnects", r->counter[COUNTER_RECONNECT]);
}

json_t *json_report(const struct report *r, const struct report_setup *setup,
                    const struct system_use *sys)
{
  const struct latency l = { r->events, r->sum_ns, r->min_ns, r->max_ns,
                             r->hist };
  struct jobj o = jobj_new();

  jobj_real(&o, "elapsed_s", json_seconds(r->elapsed_ns));
  jobj_real(&o, "period_s", json_seconds(r->period_ns));
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
  }
  if (r->kind == REPORT_INTERVAL && r->classes.n > 0)
    jobj_add(&o, "classes", json_classes(r, setup));
  json_add_tally(&o, r, setup);
  if (sys)
    jobj_add(&o, "system", system_part(sys));
  return jobj_take(&o);
}
