/*
 * cpu.c - what the processors of this machine did.
 */
#include "machine/cpu.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "machine/cgroup.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

enum {
  /* Reading a frequency may interrupt its processor, so only a few are read. */
  FREQUENCIES_MAX = 16,
};

static FILE *open_below(const char *root, const char *name)
{
  char path[PATH_MAX];

  (void)snprintf(path, sizeof(path), "%s%s", root, name);
  return fopen(path, "re");
}

/* The number in a file of a processor; 0 if there is none. */
static double number_of(const char *root, unsigned cpu, const char *name)
{
  char path[PATH_MAX];
  double value = 0;
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s" CPU_FOLDER "/cpu%u/%s", root, cpu,
                 name);
  f = fopen(path, "re");
  if (!f)
    return 0;
  if (fscanf(f, "%lf", &value) != 1)
    value = 0;
  (void)fclose(f);
  return value;
}

static bool is_allowed(const cpu_set_t *set, unsigned cpu)
{
  return cpu >= CPUS_MAX || CPU_ISSET(cpu, set);
}

/* User time includes the time of guests. */
static void read_times(const char *root, const cpu_set_t *set,
                       struct machine_counts *ret)
{
  unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
  const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
  FILE *f = open_below(root, "/proc/stat");
  char line[4096];
  unsigned cpu;

  if (!f)
    return;
  while (fgets(line, sizeof(line), f) && strncmp(line, "cpu", 3) == 0) {
    if (line[3] == ' ' ||
        sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu,
               &user, &nice, &system, &idle, &iowait, &irq, &softirq,
               &steal) != 9 ||
        !is_allowed(set, cpu))
      continue;
    ret->known = true;
    ret->busy_ns += (user + nice + system + irq + softirq) * tick_ns;
    ret->steal_ns += steal * tick_ns;
    ret->idle_ns += (idle + iowait) * tick_ns;
  }
  (void)fclose(f);
}

static void read_speed(const char *root, const cpu_set_t *set,
                       struct machine_counts *ret)
{
  unsigned read = 0;

  for (unsigned i = 0; i < CPUS_MAX && read < FREQUENCIES_MAX; i++) {
    double khz;

    if (!CPU_ISSET(i, set))
      continue;
    read++;
    ret->heat += (uint64_t)number_of(root, i,
                                     "thermal_throttle/core_throttle_count");
    khz = number_of(root, i, "cpufreq/scaling_cur_freq");
    if (khz / 1000 <= ret->mhz)
      continue;
    ret->mhz = khz / 1000;
    ret->base_mhz = number_of(root, i, "cpufreq/base_frequency") / 1000;
  }
}

/* Those of the main thread: the caller may be a worker with a processor of its
 * own. */
static void find_allowed(cpu_set_t *ret)
{
  CPU_ZERO(ret);
  if (sched_getaffinity(getpid(), sizeof(*ret), ret) == 0)
    return;
  for (unsigned i = 0; i < CPUS_MAX; i++)
    CPU_SET(i, ret);
}

void machine_read_times(const char *root, struct machine_counts *ret)
{
  cpu_set_t set;

  *ret = (struct machine_counts){ 0 };
  find_allowed(&set);
  read_times(root, &set, ret);
}

void machine_read(const char *root, struct machine_counts *ret)
{
  cpu_set_t set;

  *ret = (struct machine_counts){ 0 };
  find_allowed(&set);
  read_times(root, &set, ret);
  read_speed(root, &set, ret);
  ret->throttled_ns = cgroup_read(root).throttled_ns;
}

void machine_between(const struct machine_counts *before,
                     const struct machine_counts *after,
                     struct machine_use *ret)
{
  ret->known = before->known && after->known;
  ret->busy_ns = grown_u64(after->busy_ns, before->busy_ns);
  ret->steal_ns = grown_u64(after->steal_ns, before->steal_ns);
  ret->throttled_ns = grown_u64(after->throttled_ns, before->throttled_ns);
  ret->heat = grown_u64(after->heat, before->heat);
  ret->mhz = after->mhz;
  ret->base_mhz = after->base_mhz;
}
