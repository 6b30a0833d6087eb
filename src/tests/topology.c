/*
 * topology.c - cores and their hardware threads.
 */
#include "tests/topology.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  LIST_SIZE = 128, /* of a list of siblings that is read */
};

/* The list of the hardware threads of a core is the same for all of them. */
static bool read_siblings(const char *root, int cpu, char list[LIST_SIZE])
{
  char path[512];
  bool found;
  FILE *f;

  (void)snprintf(path, sizeof(path),
                 "%s/sys/devices/system/cpu/cpu%d/topology/"
                 "thread_siblings_list",
                 root, cpu);
  f = fopen(path, "re");
  if (!f)
    return false;
  found = fgets(list, LIST_SIZE, f) != NULL;
  (void)fclose(f);
  return found;
}

/* How many earlier processors are on the same core? */
static unsigned earlier_siblings(const char lists[][LIST_SIZE], unsigned i)
{
  unsigned n = 0;

  for (unsigned k = 0; lists[i][0] != '\0' && k < i; k++)
    n += strcmp(lists[k], lists[i]) == 0;
  return n;
}

void topology_of(const char *root, const int *cpu, unsigned n,
                 struct topology *ret)
{
  char lists[TOPOLOGY_CPUS_MAX][LIST_SIZE];
  unsigned earlier[TOPOLOGY_CPUS_MAX], done = 0;

  n = n > TOPOLOGY_CPUS_MAX ? TOPOLOGY_CPUS_MAX : n;
  ret->cpus = n;
  ret->cores = 0;
  for (unsigned i = 0; i < n; i++) {
    if (!read_siblings(root, cpu[i], lists[i]))
      lists[i][0] = '\0';
    earlier[i] = earlier_siblings((const char(*)[LIST_SIZE])lists, i);
    ret->cores += earlier[i] == 0;
  }
  for (unsigned rank = 0; done < n; rank++) {
    for (unsigned i = 0; i < n; i++) {
      if (earlier[i] == rank)
        ret->cpu[done++] = cpu[i];
    }
  }
}

void topology_find(struct topology *ret)
{
  const size_t size = CPU_ALLOC_SIZE(TOPOLOGY_CPUS_MAX);
  cpu_set_t *set = CPU_ALLOC(TOPOLOGY_CPUS_MAX);
  int cpu[TOPOLOGY_CPUS_MAX];
  unsigned n = 0;

  if (set && sched_getaffinity(0, size, set) == 0) {
    for (int i = 0; i < TOPOLOGY_CPUS_MAX; i++) {
      if (CPU_ISSET_S(i, size, set))
        cpu[n++] = i;
    }
  }
  if (set)
    CPU_FREE(set);
  if (n == 0)
    cpu[n++] = 0;
  topology_of("", cpu, n, ret);
}
