/*
 * spread.c - threads that carry clients keep off each other's processor.
 */
#include "run/spread.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"
#include "os/os.h"

struct spread *spread_new(unsigned n)
{
  struct spread *s = malloc(sizeof(*s) + n * sizeof(s->cpu[0]));

  if (!s)
    return NULL;
  s->n = n;
  for (unsigned i = 0; i < n; i++)
    atomic_init(&s->cpu[i], -1);
  return s;
}

void spread_free(struct spread *s)
{
  free(s);
}

/* Is one of the first `n` there? */
static bool is_taken(const struct spread *s, unsigned n, int cpu)
{
  for (unsigned i = 0; i < n; i++) {
    if (atomic_load_explicit(&s->cpu[i], memory_order_relaxed) == cpu)
      return true;
  }
  return false;
}

/* A processor out of these where none of the threads is; -1: there is none. */
static int find_free(const struct spread *s, const cpu_set_t *may)
{
  for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
    if (CPU_ISSET(cpu, may) && !is_taken(s, s->n, cpu))
      return cpu;
  }
  return -1;
}

/* The calling thread leaves `cpu`, if it can.  Returns where it is then. */
static int leave(const struct spread *s, int cpu)
{
  cpu_set_t may;
  int to;

  CPU_ZERO(&may);
  if (sched_getaffinity(0, sizeof(may), &may) < 0)
    return cpu;
  to = find_free(s, &may);
  if (!thread_bind(to))
    return cpu;
  (void)sched_setaffinity(0, sizeof(may), &may);
  return to;
}

static void note(struct spread *s, unsigned number, int cpu)
{
  atomic_store_explicit(&s->cpu[number], cpu, memory_order_relaxed);
}

bool spread_look(struct spread *s, unsigned number)
{
  const int cpu = os_cpu();
  int now = cpu;

  if (cpu < 0)
    return false;
  note(s, number, cpu);
  /* Of two, the one with the lower number stays. */
  if (is_taken(s, number, cpu)) {
    now = leave(s, cpu);
    note(s, number, now);
  }
  return now != cpu;
}
