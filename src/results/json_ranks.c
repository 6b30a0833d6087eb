/*
 * json_ranks.c - the ranks of a run that has several.
 */
#include "base/clock.h"
#include "report/life.h"
#include "results/jobj.h"
#include "results/json_parts.h"

static double per_second(uint64_t count, uint64_t ns)
{
  return ns > 0 ? (double)count * (double)NS_PER_S / (double)ns : 0.0;
}

static json_t *rank_part(const struct rank_part *p,
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
  jobj_real(&o, "events_per_s", per_second(p->events, p->period_ns));
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
  json_t *array = json_array();

  for (unsigned i = 0; array && i < end->n_ranks; i++) {
    if (!jobj_array_add(array, rank_part(&end->ranks[i], setup))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}
