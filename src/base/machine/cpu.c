#include "base/machine/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine/cgroup.h"
#include "base/machine/proc.h"
#include "base/minmax.h"
#include "base/thread.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

enum {
  /* Reading can interrupt a CPU. */
  FREQUENCIES_MAX = 16,
};

static bool cpu_is_allowed(const cpu_set_t *set, unsigned cpu)
{
  return cpu >= CPUS_MAX || CPU_ISSET(cpu, set);
}

/* "cpu " is the sum. User time includes guests. */
void cpu_read_ticks(struct cpu_ticks *ret, const char *root,
                    const cpu_set_t *set)
{
  unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
  FILE *f = proc_open(root, "/proc/stat");
  char line[4096];

  *ret = (struct cpu_ticks){ 0 };
  while (f && fgets(line, sizeof(line), f)) {
    const char *at = strchr(line, ' ');
    unsigned long long switches;
    unsigned cpu;

    if (strncmp(line, "cpu", 3) != 0) {
      if (set)
        break;
      if (sscanf(line, "ctxt %llu", &switches) == 1)
        ret->switches = switches;
      continue;
    }
    if (!at || (line[3] == ' ') != !set ||
        (set &&
         (sscanf(line, "cpu%u", &cpu) != 1 || !cpu_is_allowed(set, cpu))) ||
        sscanf(at, "%llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice,
               &system, &idle, &iowait, &irq, &softirq, &steal) != 8)
      continue;
    ret->known = true;
    ret->user += user + nice;
    ret->system += system + irq + softirq;
    ret->interrupts += irq + softirq;
    ret->idle += idle;
    ret->iowait += iowait;
    ret->steal += steal;
  }
  if (f)
    (void)fclose(f);
}

static void cpu_read_times(const char *root, const cpu_set_t *set,
                           struct machine_counts *ret)
{
  const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
  struct cpu_ticks ticks;

  cpu_read_ticks(&ticks, root, set);
  ret->known = ticks.known;
  ret->busy_ns = (ticks.user + ticks.system) * tick_ns;
  ret->interrupts_ns = ticks.interrupts * tick_ns;
  ret->steal_ns = ticks.steal * tick_ns;
  ret->idle_ns = (ticks.idle + ticks.iowait) * tick_ns;
}

static void cpu_read_speed(const char *root, const cpu_set_t *set,
                           struct machine_counts *ret)
{
  unsigned read = 0;

  for (unsigned i = 0; i < CPUS_MAX && read < FREQUENCIES_MAX; i++) {
    uint64_t heat = 0, khz = 0, base_khz = 0;

    if (!CPU_ISSET(i, set))
      continue;
    read++;
    (void)proc_number(
      &heat, root, CPU_FOLDER "/cpu%u/thermal_throttle/core_throttle_count", i);
    ret->heat += heat;
    (void)proc_number(&khz, root, CPU_FOLDER "/cpu%u/cpufreq/scaling_cur_freq",
                      i);
    if ((double)khz / 1000 <= ret->mhz)
      continue;
    (void)proc_number(&base_khz, root,
                      CPU_FOLDER "/cpu%u/cpufreq/base_frequency", i);
    ret->mhz = (double)khz / 1000;
    ret->base_mhz = (double)base_khz / 1000;
  }
}

/* Of the main thread: the caller can be a worker bound to a CPU. */
static void find_allowed(cpu_set_t *ret)
{
  CPU_ZERO(ret);
  if (sched_getaffinity(getpid(), sizeof(*ret), ret) == 0)
    return;
  for (unsigned i = 0; i < CPUS_MAX; i++)
    CPU_SET(i, ret);
}

void machine_read(const char *root, struct machine_counts *ret)
{
  cpu_set_t set;

  *ret = (struct machine_counts){ 0 };
  find_allowed(&set);
  cpu_read_times(root, &set, ret);
  cpu_read_speed(root, &set, ret);
  ret->throttled_ns = cgroup_read(root).throttled_ns;
}

void machine_between(const struct machine_counts *before,
                     const struct machine_counts *after,
                     struct machine_use *ret)
{
  ret->known = before->known && after->known;
  ret->busy_ns = grown_u64(after->busy_ns, before->busy_ns);
  ret->interrupts_ns = grown_u64(after->interrupts_ns, before->interrupts_ns);
  ret->steal_ns = grown_u64(after->steal_ns, before->steal_ns);
  ret->throttled_ns = grown_u64(after->throttled_ns, before->throttled_ns);
  ret->heat = grown_u64(after->heat, before->heat);
  ret->mhz = after->mhz;
  ret->base_mhz = after->base_mhz;
}
