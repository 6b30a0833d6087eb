#include "monitor/account.h"

#include "base/minmax.h"
#include "monitor/source.h"

/* Processes that end take some with them; tables of performance_schema can be
 * emptied. */
static bool account_may_fall(enum server_metric f)
{
  return f == SERVER_PART_TRANSACTIONS || f == SERVER_CPU_NS ||
         f == SERVER_CPU_WAIT_NS || f == SERVER_SWITCHES ||
         f == SERVER_READ_BYTES || f == SERVER_WRITTEN_BYTES;
}

static bool account_is_count(enum server_metric f)
{
  return f >= SERVER_METRICS || server_metrics_info[f].kind == SERVER_COUNT;
}

static bool account_is_restart(const struct server_reading *from,
                               const struct server_reading *to)
{
  for (int f = 0; f < SERVER_VALUES; f++) {
    if (account_is_count(f) && !account_may_fall(f) && from->has[f] &&
        to->has[f] && to->value[f] < from->value[f])
      return true;
  }
  return false;
}

static void account_subtract(const struct server_reading *from,
                             const struct server_reading *to,
                             struct server_reading *ret)
{
  *ret = *to;
  for (int f = 0; f < SERVER_VALUES; f++) {
    if (!account_is_count(f))
      continue;
    ret->has[f] = from->has[f] && to->has[f];
    ret->value[f] = ret->has[f] && to->value[f] > from->value[f]
                      ? to->value[f] - from->value[f]
                      : 0;
  }
  /* Then commits are computed from other counts. */
  if (to->value[SERVER_PART_TRANSACTIONS] <
      from->value[SERVER_PART_TRANSACTIONS])
    ret->has[SERVER_PART_TRANSACTIONS] = false;
}

static void account_add_up(struct account *a, const struct server_interval *i)
{
  a->period_ns += i->period_ns;
  for (int f = 0; f < SERVER_METRICS; f++) {
    if (!i->did.has[f])
      continue;
    a->sum.has[f] = true;
    a->sum.value[f] += i->did.value[f];
    if (!a->most.has[f] || a->most.value[f] < i->did.value[f])
      a->most.value[f] = i->did.value[f];
    a->most.has[f] = true;
    a->levels[f]++;
  }
  server_waits_add(&a->all_waits, &i->waits);
}

static void account_note_cost(struct account *a, const struct server_reading *r)
{
  a->readings++;
  a->took_ns += r->took_ns;
  a->took_last_ns = r->took_ns;
  a->took_max_ns = max_u64(a->took_max_ns, r->took_ns);
}

void account_lose(struct account *a)
{
  a->lost++;
  a->unsure = true;
  a->latest = (struct server_interval){ 0 };
}

void account_restart(struct account *a)
{
  a->restarts++;
  a->has_base = false;
}

static void account_set_base(struct account *a, const struct server_reading *r)
{
  if (!a->has_base)
    a->owed = (struct server_owed){ 0 };
  a->base = *r;
  a->has_base = true;
  a->waits = (struct server_waits){ 0 };
}

void account_add(struct account *a, const struct monitor_source *source,
                 const struct server_access *access,
                 const struct server_reading *r, uint64_t grid_ns)
{
  struct server_interval i = { .known = true, .waits = a->waits };

  account_note_cost(a, r);
  if (a->has_base && grid_ns != UINT64_MAX && grid_ns > 0 &&
      a->passed_ns >= grid_ns) {
    a->late++;
    return;
  }
  /* Counts of files begin anew without a restart. */
  if (a->has_base && source && account_is_restart(&a->base, r)) {
    a->restarts++;
    a->has_base = false;
  }
  a->has_base = a->has_base && !a->unsure;
  a->unsure = false;
  if (a->over_ns > 0 && (!a->has_base || a->base.at_ns >= a->over_ns))
    return;
  if (a->has_base) {
    i.period_ns = r->at_ns - a->base.at_ns;
    account_subtract(&a->base, r, &i.did);
    if (source && source->derive)
      source->derive(&i.did, &a->owed);
    if (source)
      server_waits_levels(source, access, &a->waits, &i.did);
    account_add_up(a, &i);
    a->events += r->events - a->base.events;
    a->ready = a->latest = i;
  }
  account_set_base(a, r);
}

void account_look(struct account *a, const struct monitor_source *source,
                  const struct server_access *access,
                  const struct server_waits *waits)
{
  server_waits_add(&a->waits, waits);
  server_waits_add(&a->now, waits);
  server_waits_levels(source, access, &a->now, &a->seen);
}

void account_pass(struct account *a, const struct account_part *interval)
{
  a->missed += interval->due && !a->ready.known;
  a->passed_ns = interval->end_ns;
  a->shown = a->ready;
  a->shown.seen = a->seen;
  a->ready = (struct server_interval){ 0 };
  a->now = (struct server_waits){ 0 };
  a->seen = (struct server_reading){ 0 };
}

void account_finish(struct account *a, uint64_t end_ns)
{
  a->over_ns = end_ns;
}

void account_total(const struct account *a, struct server_total *ret)
{
  ret->readings = a->readings;
  ret->late = a->late;
  ret->missed = a->missed;
  ret->lost = a->lost;
  ret->restarts = a->restarts;
  ret->took_mean_ns = a->readings > 0 ? a->took_ns / a->readings : 0;
  ret->took_max_ns = a->took_max_ns;
  ret->period_ns = a->period_ns;
  ret->events = a->events;
  ret->did = a->sum;
  ret->most = a->most;
  for (int f = 0; f < SERVER_METRICS; f++) {
    if (server_metrics_info[f].kind == SERVER_LEVEL && a->levels[f] > 0)
      ret->did.value[f] /= (double)a->levels[f];
  }
  ret->waits = a->all_waits;
}
