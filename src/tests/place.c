#include "tests/place.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/machine/proc.h"
#include "base/parse.h"

enum {
  INDEXES_MAX = 10,
  LINE_USUAL = 64,
};

void place_find_cpus(struct place_cpus *ret)
{
  const size_t size = CPU_ALLOC_SIZE(PLACE_CPUS_MAX);
  cpu_set_t *set = CPU_ALLOC(PLACE_CPUS_MAX);

  ret->n = 0;
  if (set && sched_getaffinity(0, size, set) == 0) {
    for (int i = 0; i < PLACE_CPUS_MAX; i++) {
      if (CPU_ISSET_S(i, size, set))
        ret->of[ret->n++] = i;
    }
  }
  if (set)
    CPU_FREE(set);
  if (ret->n == 0)
    ret->of[ret->n++] = 0;
}

int place_pin(int cpu, const char *option, struct err *err)
{
  const size_t size = CPU_ALLOC_SIZE(PLACE_CPUS_MAX);
  cpu_set_t *set = CPU_ALLOC(PLACE_CPUS_MAX);
  int rc = 0;

  if (!set)
    return err_set(err, -ENOMEM, "not enough memory for a set of CPUs");
  CPU_ZERO_S(size, set);
  CPU_SET_S((size_t)cpu, size, set);
  if (sched_setaffinity(0, size, set) < 0)
    rc = err_sys(
      err, "cannot keep a thread on CPU %d, which %s needs (%s),", cpu, option,
      errno == ENOSYS ? "this system or container has no such call"
                      : "does this container allow sched_setaffinity?");
  CPU_FREE(set);
  return rc;
}

long place_switches(void)
{
#if defined(RUSAGE_THREAD)
  struct rusage u;

  return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_nivcsw : 0;
#else
  return 0;
#endif
}

static bool place_cache_file(const char *root, int cpu, int index,
                             const char *name, char *ret, size_t size)
{
  return proc_line(ret, size, root,
                   "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index,
                   name);
}

bool place_list_has(const char *list, int n)
{
  while (*list != '\0') {
    char *end;
    const long low = strtol(list, &end, 10);
    long high = low;

    if (end == list)
      return false;
    if (*end == '-') {
      list = end + 1;
      high = strtol(list, &end, 10);
    }
    if (n >= low && n <= high)
      return true;
    list = *end == ',' ? end + 1 : end;
  }
  return false;
}

static bool place_topology_file(const char *root, int cpu, const char *name,
                                char *ret, size_t size)
{
  return proc_line(ret, size, root, "/sys/devices/system/cpu/cpu%d/topology/%s",
                   cpu, name);
}

enum place_relation place_relate(const char *root, int cpu, int other)
{
  char here[4096], there[64];

  if (place_topology_file(root, cpu, "thread_siblings_list", here,
                          sizeof(here)) &&
      place_list_has(here, other))
    return PLACE_SAME_CORE;
  if (place_topology_file(root, cpu, "physical_package_id", here,
                          sizeof(here)) &&
      place_topology_file(root, other, "physical_package_id", there,
                          sizeof(there)) &&
      strcmp(here, there) != 0)
    return PLACE_OTHER_SOCKET;
  return PLACE_SAME_SOCKET;
}

static void place_add_cache(struct place_caches *c, unsigned level,
                            uint64_t bytes)
{
  unsigned at = c->n;

  if (c->n == PLACE_LEVELS_MAX)
    return;
  for (; at > 0 && c->of[at - 1].level > level; at--)
    c->of[at] = c->of[at - 1];
  c->of[at].level = level;
  c->of[at].bytes = bytes;
  c->n++;
}

void place_find_caches(const char *root, int cpu, struct place_caches *ret)
{
  char text[64];

  *ret = (struct place_caches){ .line_bytes = LINE_USUAL };
  for (int i = 0; i < INDEXES_MAX; i++) {
    uint64_t bytes;
    int64_t level, line;

    if (!place_cache_file(root, cpu, i, "type", text, sizeof(text)) ||
        strcmp(text, "Instruction") == 0)
      continue;
    if (place_cache_file(root, cpu, i, "level", text, sizeof(text)) &&
        parse_int(text, &level) == 0 && level > 0 &&
        place_cache_file(root, cpu, i, "size", text, sizeof(text)) &&
        parse_size(text, &bytes) == 0 && bytes > 0)
      place_add_cache(ret, (unsigned)level, bytes);
    if (place_cache_file(root, cpu, i, "coherency_line_size", text,
                         sizeof(text)) &&
        parse_int(text, &line) == 0 && line >= 16 && line <= 4096 &&
        (line & (line - 1)) == 0)
      ret->line_bytes = (unsigned)line;
  }
}

static bool place_was_counted(const char *root, const struct place_cpus *cpus,
                              unsigned at, unsigned level)
{
  char list[4096], text[64];

  for (int i = 0; i < INDEXES_MAX; i++) {
    int64_t here;

    if (!place_cache_file(root, cpus->of[at], i, "level", text, sizeof(text)) ||
        parse_int(text, &here) < 0 || here != (int64_t)level ||
        !place_cache_file(root, cpus->of[at], i, "shared_cpu_list", list,
                          sizeof(list)))
      continue;
    for (unsigned k = 0; k < at; k++) {
      if (place_list_has(list, cpus->of[k]))
        return true;
    }
    return false;
  }
  return false;
}

uint64_t place_last_caches(const char *root, const struct place_cpus *cpus)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < cpus->n; i++) {
    struct place_caches c;

    place_find_caches(root, cpus->of[i], &c);
    if (c.n > 0 && !place_was_counted(root, cpus, i, c.of[c.n - 1].level))
      sum += c.of[c.n - 1].bytes;
  }
  return sum;
}

void place_find_nodes(const char *root, const struct place_cpus *cpus,
                      struct place_nodes *ret)
{
  char with_memory[4096], list[4096];

  ret->n = 0;
  if (!proc_line(with_memory, sizeof(with_memory), root,
                 "/sys/devices/system/node/has_memory"))
    return;
  for (int id = 0; id < PLACE_CPUS_MAX && ret->n < PLACE_NODES_MAX; id++) {
    int cpu = -1;

    if (!place_list_has(with_memory, id))
      continue;
    if (proc_line(list, sizeof(list), root,
                  "/sys/devices/system/node/node%d/cpulist", id)) {
      for (unsigned i = 0; i < cpus->n && cpu < 0; i++)
        cpu = place_list_has(list, cpus->of[i]) ? cpus->of[i] : -1;
    }
    ret->of[ret->n].id = id;
    ret->of[ret->n++].cpu = cpu;
  }
}

enum {
  LIST_SIZE = 128,
};

/* Earlier CPUs of the same core. */
static unsigned place_earlier_siblings(const char lists[][LIST_SIZE],
                                       unsigned i)
{
  unsigned n = 0;

  for (unsigned k = 0; lists[i][0] != '\0' && k < i; k++)
    n += strcmp(lists[k], lists[i]) == 0;
  return n;
}

void topology_of(const char *root, const int *cpu, unsigned n,
                 struct topology *ret)
{
  char lists[PLACE_CPUS_MAX][LIST_SIZE];
  unsigned earlier[PLACE_CPUS_MAX], done = 0;

  n = n > PLACE_CPUS_MAX ? PLACE_CPUS_MAX : n;
  ret->cpus = n;
  ret->cores = 0;
  for (unsigned i = 0; i < n; i++) {
    /* The same for all threads of a core; "": unknown. */
    (void)place_topology_file(root, cpu[i], "thread_siblings_list", lists[i],
                              LIST_SIZE);
    earlier[i] = place_earlier_siblings((const char(*)[LIST_SIZE])lists, i);
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
  struct place_cpus cpus;

  place_find_cpus(&cpus);
  topology_of("", cpus.of, cpus.n, ret);
}
