/*
 * json_outages.c - the outages of a run as a JSON object.
 */
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/outage_report.h"

static json_t *fault_part(const struct outage_report *r,
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

static json_t *stall_part(const struct outage_report *r, const struct stall *s)
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
  jobj_add(&o, "first_error", fault_part(r, &s->fault));
  return jobj_take(&o);
}

static json_t *stalls(const struct outage_report *r)
{
  json_t *array = json_array();

  for (unsigned i = 0; array && i < r->n_stalls; i++) {
    if (!jobj_array_add(array, stall_part(r, &r->stalls[i]))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

static json_t *brownout_part(const struct outage_report *r,
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

static json_t *brownouts(const struct outage_report *r)
{
  json_t *array = json_array();

  for (unsigned i = 0; array && i < r->n_brownouts; i++) {
    if (!jobj_array_add(array, brownout_part(r, &r->brownouts[i]))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

static json_t *spread(const struct outage_spread *s)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "median_s", jobj_seconds(s->median_ns));
  jobj_real(&o, "p95_s", jobj_seconds(s->p95_ns));
  jobj_real(&o, "longest_s", jobj_seconds(s->max_ns));
  return jobj_take(&o);
}

static json_t *clients(const struct outage_report *r)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "all", r->clients);
  jobj_int(&o, "affected", r->affected);
  jobj_int(&o, "until_the_end", r->still_down);
  jobj_int(&o, "outages", r->outages);
  jobj_real(&o, "unserved_s", jobj_seconds(r->unserved_ns));
  jobj_add(&o, "unavailable", spread(&r->unavailable));
  jobj_add(&o, "noticed", spread(&r->noticed));
  return jobj_take(&o);
}

static json_t *phases(const struct outage_report *r)
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
  jobj_add(&o, "stalls", stalls(r));
  if (r->brownouts) {
    jobj_int(&o, "brownout_count", r->brownout_count);
    jobj_real(&o, "brownout_s", jobj_seconds(r->brownout_ns));
    jobj_add(&o, "brownouts", brownouts(r));
  }
  jobj_add(&o, "clients", clients(r));
  jobj_add(&o, "first_errors", phases(r));
  return jobj_take(&o);
}
