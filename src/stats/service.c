#include "stats/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

const char *fault_phase_name(enum fault_phase phase)
{
  static const char *const names[] = {
    [FAULT_CONNECT] = "connect",     [FAULT_LOGIN] = "login",
    [FAULT_READ_ONLY] = "read_only", [FAULT_SHUTTING_DOWN] = "shutting_down",
    [FAULT_STATEMENT] = "statement", [FAULT_IN_TRANSACTION] = "in_transaction",
    [FAULT_AT_COMMIT] = "at_commit",
  };

  return names[phase];
}

int outages_init(struct outages *o, uint64_t limit_ns, struct err *err)
{
  memset(o, 0, sizeof(*o));
  (void)pthread_mutex_init(&o->lock, NULL);
  o->limit_ns = limit_ns;
  if (limit_ns == 0)
    return 0;
  o->of = calloc(STALLS_MAX, sizeof(*o->of));
  return o->of ? 0 : err_set(err, -ENOMEM, "cannot allocate the outages");
}

void outages_done(struct outages *o)
{
  (void)pthread_mutex_destroy(&o->lock);
  free(o->of);
  free(o->longest);
  o->of = NULL;
  o->longest = NULL;
}

static uint64_t service_length(const struct stall *s)
{
  return s->to_ns - s->from_ns;
}

static unsigned service_shortest(const struct outages *o)
{
  unsigned at = 0;

  for (unsigned i = 1; i < o->n; i++) {
    if (service_length(&o->of[i]) < service_length(&o->of[at]))
      at = i;
  }
  return at;
}

void outages_keep(struct outages *o, const struct stall *s)
{
  atomic_fetch_add_explicit(&o->count, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&o->sum_ns, service_length(s),
                            memory_order_relaxed);
  if (o->n < STALLS_MAX)
    o->of[o->n++] = *s;
  else if (service_length(s) > service_length(&o->of[o->shortest]))
    o->of[o->shortest] = *s;
  else
    return;
  if (o->n == STALLS_MAX)
    o->shortest = service_shortest(o);
}

static int service_by_time(const void *a, const void *b)
{
  const struct stall *x = a, *y = b;

  return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void outages_sort(struct outages *o)
{
  if (o->n > 0)
    qsort(o->of, o->n, sizeof(*o->of), service_by_time);
  if (o->n == STALLS_MAX)
    o->shortest = service_shortest(o);
}

void service_start(struct service *s, uint64_t now_ns)
{
  atomic_store_explicit(&s->last_ns, now_ns, memory_order_relaxed);
  s->patience_ns = s->all ? s->all->limit_ns : UINT64_MAX;
}

void service_fault(struct service *s, uint64_t now_ns, enum fault_phase phase,
                   const char *code, const char *text)
{
  if (!s->all || s->down)
    return;
  (void)pthread_mutex_lock(&s->all->lock);
  s->down = true;
  s->fault.at_ns = now_ns;
  s->fault.phase = phase;
  (void)snprintf(s->fault.code, sizeof(s->fault.code), "%s", code);
  (void)snprintf(s->fault.text, sizeof(s->fault.text), "%s", text);
  s->all->phases[phase]++;
  (void)pthread_mutex_unlock(&s->all->lock);
  s->patience_ns = 0; /* the next success takes the slow path */
}

void service_give_up(struct service *s)
{
  atomic_store_explicit(&s->unserved_ns, service_wants_since(s),
                        memory_order_relaxed);
}
