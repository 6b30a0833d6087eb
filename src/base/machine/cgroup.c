#include "base/machine/cgroup.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/machine/proc.h"

enum {
  PATH_SIZE = 2 * PATH_MAX
};

/* "No limit" of memory is a number near 2^63. */
#define MEMORY_UNLIMITED (UINT64_C(1) << 60)

static void limit_cpus(struct cgroup_limits *l, double quota, double period)
{
  if (quota > 0.0 && period > 0.0 &&
      (l->cpus <= 0.0 || quota / period < l->cpus))
    l->cpus = quota / period;
}

static void limit_memory(struct cgroup_limits *l, uint64_t bytes)
{
  if (bytes > 0 && bytes < MEMORY_UNLIMITED &&
      (l->memory_bytes == 0 || bytes < l->memory_bytes))
    l->memory_bytes = bytes;
}

static void cgroup_read_throttled(const char *dir, const char *name,
                                  uint64_t unit_ns, struct cgroup_limits *l)
{
  uint64_t value;

  if (proc_counter(dir, "/cpu.stat", name, &value) &&
      value * unit_ns > l->throttled_ns)
    l->throttled_ns = value * unit_ns;
}

/* Pages of files, two numbers of memory.stat, which the kernel drops when
 * memory is needed. */
static uint64_t cgroup_droppable(const char *dir, const char *active,
                                 const char *inactive)
{
  uint64_t some = 0, others = 0;

  (void)proc_counter(dir, "/memory.stat", active, &some);
  (void)proc_counter(dir, "/memory.stat", inactive, &others);
  return some + others;
}

static void limit_left(struct cgroup_limits *l, uint64_t limit, uint64_t used,
                       uint64_t files)
{
  uint64_t left;

  if (limit >= MEMORY_UNLIMITED)
    return;
  used -= files < used ? files : used;
  left = used < limit ? limit - used : 0;
  if (left < l->memory_left)
    l->memory_left = left;
}

static void cgroup_read_v2(const char *dir, struct cgroup_limits *l)
{
  double quota, period;
  uint64_t bytes;
  char line[128];

  if (proc_line(line, sizeof(line), dir, "/cpu.max") &&
      sscanf(line, "%lf %lf", &quota, &period) == 2)
    limit_cpus(l, quota, period);
  cgroup_read_throttled(dir, "throttled_usec", 1000, l);
  if (proc_number(&bytes, dir, "/memory.max")) {
    uint64_t used;

    limit_memory(l, bytes);
    if (proc_number(&used, dir, "/memory.current"))
      limit_left(l, bytes, used,
                 cgroup_droppable(dir, "active_file", "inactive_file"));
  }
}

static void cgroup_read_v1_cpu(const char *dir, struct cgroup_limits *l)
{
  double quota, period;
  char line[128];

  if (!proc_line(line, sizeof(line), dir, "/cpu.cfs_quota_us") ||
      sscanf(line, "%lf", &quota) != 1 ||
      !proc_line(line, sizeof(line), dir, "/cpu.cfs_period_us") ||
      sscanf(line, "%lf", &period) != 1)
    return;
  limit_cpus(l, quota, period);
  cgroup_read_throttled(dir, "throttled_time", 1, l);
}

static void cgroup_read_v1_memory(const char *dir, struct cgroup_limits *l)
{
  uint64_t bytes, used;

  if (!proc_number(&bytes, dir, "/memory.limit_in_bytes"))
    return;
  limit_memory(l, bytes);
  if (proc_number(&used, dir, "/memory.usage_in_bytes"))
    limit_left(
      l, bytes, used,
      cgroup_droppable(dir, "total_active_file", "total_inactive_file"));
}

/* The group's folder and those above. If a container cannot see the path that
 * the kernel reports, the root of the tree is its group. */
static void walk_up(const char *base, char *group,
                    void (*look)(const char *dir, struct cgroup_limits *l),
                    struct cgroup_limits *l)
{
  char dir[PATH_SIZE];

  for (;;) {
    char *slash;

    if (snprintf(dir, sizeof(dir), "%s%s", base, group) < PATH_SIZE)
      look(dir, l);
    slash = strrchr(group, '/');
    if (!slash || group[0] == '\0')
      return;
    *slash = '\0';
  }
}

static bool cgroup_has_word(const char *list, const char *word)
{
  const size_t len = strlen(word);

  for (const char *p = list; p; p = strchr(p, ',')) {
    p += *p == ',';
    if (strncmp(p, word, len) == 0 && (p[len] == ',' || p[len] == '\0'))
      return true;
  }
  return false;
}

/* "ID:CONTROLLERS:PATH": one hierarchy. */
static void look_at(const char *root, char *line, struct cgroup_limits *l)
{
  char base[PATH_SIZE];
  char *controllers = strchr(line, ':');
  char *group = controllers ? strchr(controllers + 1, ':') : NULL;

  if (!group)
    return;
  controllers++;
  *group++ = '\0';
  group[strcspn(group, "\n")] = '\0';
  if (*controllers == '\0') {
    (void)snprintf(base, sizeof(base), "%s/sys/fs/cgroup", root);
    walk_up(base, group, cgroup_read_v2, l);
  } else if (cgroup_has_word(controllers, "cpu")) {
    (void)snprintf(base, sizeof(base), "%s/sys/fs/cgroup/cpu", root);
    walk_up(base, group, cgroup_read_v1_cpu, l);
  } else if (cgroup_has_word(controllers, "memory")) {
    (void)snprintf(base, sizeof(base), "%s/sys/fs/cgroup/memory", root);
    walk_up(base, group, cgroup_read_v1_memory, l);
  }
}

struct cgroup_limits cgroup_read_of(const char *root, const char *process)
{
  struct cgroup_limits limits = { .memory_left = UINT64_MAX };
  char line[PATH_MAX], name[64];
  FILE *f;

  (void)snprintf(name, sizeof(name), "/proc/%s/cgroup", process);
  f = proc_open(root, name);
  if (!f)
    return limits;
  while (fgets(line, sizeof(line), f))
    look_at(root, line, &limits);
  (void)fclose(f);
  return limits;
}

struct cgroup_limits cgroup_read(const char *root)
{
  return cgroup_read_of(root, "self");
}

uint64_t cgroup_memory_left(const char *root)
{
  return cgroup_read(root).memory_left;
}

unsigned cgroup_cpus_allowed(void)
{
  cpu_set_t set;

  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return (unsigned)CPU_COUNT(&set);
  return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

unsigned cgroup_others_running(const char *root)
{
  char line[128];
  unsigned running = 0;

  if (!proc_line(line, sizeof(line), root, "/proc/loadavg") ||
      sscanf(line, "%*s %*s %*s %u/", &running) != 1 || running == 0)
    return 0;
  return running - 1;
}
