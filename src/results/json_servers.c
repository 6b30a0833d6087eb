/*
 * json_servers.c - what database servers did, as JSON.
 */
#include "monitor/digests.h"
#include "monitor/monitor.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/shared.h"

static void add_figures(struct jobj *o, const struct server_reading *r)
{
  for (int f = 0; f < SERVER_FIGURES; f++) {
    if (!r->has[f])
      continue;
    if (figures_info[f].kind == SERVER_COUNT)
      jobj_int(o, figures_info[f].name, (uint64_t)r->value[f]);
    else
      jobj_real(o, figures_info[f].name, r->value[f]);
  }
}

/* The most frequent one that is not in `done` yet; w->n: there is none. */
static unsigned most(const struct server_waits *w, const bool *done)
{
  unsigned best = w->n;

  for (unsigned i = 0; i < w->n; i++) {
    if (!done[i] && (best == w->n || w->of[i].sessions > w->of[best].sessions))
      best = i;
  }
  return best;
}

static json_t *waits_part(const struct server_waits *w, unsigned max)
{
  bool done[SERVER_WAITS] = { false };
  json_t *list = json_array();
  unsigned i;

  while (list && max-- > 0 && (i = most(w, done)) < w->n) {
    struct jobj o = jobj_new();

    done[i] = true;
    jobj_text(&o, "name", w->of[i].name);
    jobj_real(&o, "sessions", (double)w->of[i].sessions / (double)w->looks);
    if (!jobj_array_add(list, jobj_take(&o))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}

static json_t *interval_part(const struct server_interval *i)
{
  struct jobj o = jobj_new();

  jobj_bool(&o, "known", i->known);
  if (i->known) {
    jobj_real(&o, "period_s", jobj_seconds(i->period_ns));
    add_figures(&o, &i->did);
    if (i->waits.looks > 0)
      jobj_add(&o, "waits", waits_part(&i->waits, JSON_WAITS_SHOWN));
  } else {
    add_figures(&o, &i->seen);
  }
  return jobj_take(&o);
}

static json_t *servers_interval(struct monitor *m)
{
  json_t *list = json_array();

  for (unsigned i = 0; list && i < monitor_servers(m); i++) {
    struct server_interval did;

    monitor_interval(m, i, &did);
    if (!jobj_array_add(list, interval_part(&did))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}

json_t *json_interval(const struct report *r, const struct report_setup *setup,
                      const struct results_shared *shared, bool brief)
{
  json_t *value = json_report(r, setup, &shared->sys, brief);

  if (value && monitor_servers(shared->monitor) > 0 &&
      json_object_set_new(value, "servers", servers_interval(shared->monitor)) <
        0) {
    json_decref(value);
    value = NULL;
  }
  if (value && shared->marks_from < shared->marks_to &&
      json_object_set_new(
        value, "marks",
        json_marks(shared->marks, shared->marks_from, shared->marks_to)) < 0) {
    json_decref(value);
    value = NULL;
  }
  return value;
}

/* ---- the whole run ---- */

static json_t *figures_part(const struct server_reading *r)
{
  struct jobj o = jobj_new();

  add_figures(&o, r);
  return jobj_take(&o);
}

static json_t *most_part(const struct server_reading *r)
{
  struct jobj o = jobj_new();

  for (int f = 0; f < SERVER_FIGURES; f++) {
    if (r->has[f] && figures_info[f].kind == SERVER_LEVEL)
      jobj_real(&o, figures_info[f].name, r->value[f]);
  }
  return jobj_take(&o);
}

static json_t *per_event_part(const struct server_total *t)
{
  struct jobj o = jobj_new();

  for (int f = 0; f < SERVER_FIGURES && t->events > 0; f++) {
    if (t->did.has[f] && figures_info[f].kind == SERVER_COUNT)
      jobj_real(&o, figures_info[f].name, t->did.value[f] / t->events);
  }
  return jobj_take(&o);
}

static json_t *gaps_part(const struct server_gaps *gaps)
{
  json_t *list = json_array();

  for (unsigned i = 0; list && i < gaps->n; i++) {
    struct jobj o = jobj_new();

    jobj_text(&o, "figures", gaps->of[i].what);
    jobj_text(&o, "reason", gaps->of[i].why);
    if (!jobj_array_add(list, jobj_take(&o))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}

static json_t *raw_part(const struct monitor *m, unsigned server)
{
  struct jobj o = jobj_new();
  struct server_raw raw;

  for (size_t i = 0; monitor_raw(m, server, i, &raw); i++) {
    if (raw.change != 0)
      jobj_named(&o, raw.name, jobj_number(raw.change));
  }
  return jobj_take(&o);
}

static json_t *statement_part(const struct digest *d)
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

static json_t *statements_part(const struct digests *d)
{
  struct jobj o = jobj_new();
  json_t *list = json_array();

  for (size_t i = 0; list && i < d->n; i++) {
    if (!jobj_array_add(list, statement_part(&d->of[i]))) {
      json_decref(list);
      list = NULL;
    }
  }
  jobj_real(&o, "period_s", jobj_seconds(d->period_ns));
  jobj_add(&o, "top", list);
  return jobj_take(&o);
}

static json_t *cost_part(const struct server_total *t)
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

static json_t *server_part(struct monitor *m, unsigned server)
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
  jobj_add(&o, "monitor", cost_part(&t));
  jobj_int(&o, "restarts", t.restarts);
  jobj_add(&o, "not_read", gaps_part(&t.gaps));
  jobj_real(&o, "period_s", jobj_seconds(t.period_ns));
  jobj_add(&o, "figures", figures_part(&t.did));
  jobj_add(&o, "most", most_part(&t.most));
  jobj_add(&o, "per_event", per_event_part(&t));
  jobj_add(&o, "waits", waits_part(&t.waits, SERVER_WAITS));
  jobj_add(&o, "raw", raw_part(m, server));
  if (statements)
    jobj_add(&o, "statements", statements_part(statements));
  return jobj_take(&o);
}

json_t *json_servers(struct monitor *m)
{
  json_t *list = json_array();

  for (unsigned i = 0; list && i < monitor_servers(m); i++) {
    if (!jobj_array_add(list, server_part(m, i))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}
