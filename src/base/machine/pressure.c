#include "base/machine/pressure.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine/cgroup.h"
#include "base/machine/proc.h"
#include "base/minmax.h"

enum {
  FREQUENCIES_MAX = 4 /* reading can interrupt a CPU */
};

typedef unsigned long long count; /* for scanf() */

static void pressure_read_pressure(const char *root, const char *name,
                                   enum pressure some, enum pressure full,
                                   struct pressure_counts *ret)
{
  FILE *f = proc_open(root, "%s", name);
  char line[256], word[16];
  count total;

  while (f && fgets(line, sizeof(line), f)) {
    const char *at = strstr(line, "total=");
    enum pressure which;

    if (!at || sscanf(line, "%15s", word) != 1 ||
        sscanf(at, "total=%llu", &total) != 1)
      continue;
    which = strcmp(word, "full") == 0 ? full : some;
    if (which == PRESSURES)
      continue;
    ret->has[which] = true;
    ret->stopped_us[which] = total;
  }
  if (f)
    (void)fclose(f);
}

static void pressure_read_dirty(const char *root, struct pressure_counts *ret)
{
  ret->has_dirty = proc_meminfo(root, "Dirty", &ret->dirty_bytes) &&
                   proc_meminfo(root, "Writeback", &ret->writeback_bytes);
}

/* Names, then numbers: "Tcp: ... RetransSegs ...". */
static void pressure_read_retransmits(const char *root,
                                      struct pressure_counts *ret)
{
  FILE *f = proc_open(root, "/proc/net/snmp");
  char names[1024], numbers[1024];
  char *name_at, *number_at, *name, *number;

  while (f && !ret->has_retransmits && fgets(names, sizeof(names), f)) {
    if (strncmp(names, "Tcp:", 4) != 0 || !fgets(numbers, sizeof(numbers), f))
      continue;
    name = strtok_r(names, " \n", &name_at);
    number = strtok_r(numbers, " \n", &number_at);
    while (name && number && strcmp(name, "RetransSegs") != 0) {
      name = strtok_r(NULL, " \n", &name_at);
      number = strtok_r(NULL, " \n", &number_at);
    }
    if (name && number) {
      count n;

      ret->has_retransmits = sscanf(number, "%llu", &n) == 1;
      ret->retransmits = ret->has_retransmits ? n : 0;
    }
  }
  if (f)
    (void)fclose(f);
}

static double pressure_frequency(const char *root)
{
  uint64_t khz = 0, most = 0;

  for (int i = 0; i < FREQUENCIES_MAX; i++) {
    if (proc_number(&khz, root,
                    "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
                    i) &&
        khz > most)
      most = khz;
  }
  return (double)most / 1000;
}

void pressure_read(const char *root, struct pressure_counts *ret)
{
  *ret = (struct pressure_counts){ 0 };
  /* Linux counts no "full" CPU pressure of the machine. */
  pressure_read_pressure(root, "/proc/pressure/cpu", PRESSURE_CPU_SOME,
                         PRESSURES, ret);
  pressure_read_pressure(root, "/proc/pressure/io", PRESSURE_IO_SOME,
                         PRESSURE_IO_FULL, ret);
  pressure_read_pressure(root, "/proc/pressure/memory", PRESSURE_MEMORY_SOME,
                         PRESSURE_MEMORY_FULL, ret);
  ret->has_faults = proc_counter(root, "/proc/vmstat", "pgmajfault",
                                 &ret->major_faults);
  pressure_read_dirty(root, ret);
  pressure_read_retransmits(root, ret);
  ret->throttled_ns = cgroup_read(root).throttled_ns;
  ret->mhz = pressure_frequency(root);
}

void pressure_between(const struct pressure_counts *before,
                      const struct pressure_counts *after, uint64_t period_ns,
                      struct pressure_use *ret)
{
  const double us = (double)period_ns / (double)NS_PER_US;

  *ret = (struct pressure_use){ .mhz = after->mhz };
  for (int i = 0; i < PRESSURES; i++) {
    const double stopped = (double)grown_u64(after->stopped_us[i],
                                             before->stopped_us[i]);

    ret->has[i] = before->has[i] && after->has[i] && us > 0;
    if (ret->has[i])
      ret->stopped[i] = stopped < us ? stopped / us : 1.0;
  }
  ret->has_faults = before->has_faults && after->has_faults;
  ret->major_faults = grown_u64(after->major_faults, before->major_faults);
  ret->has_retransmits = before->has_retransmits && after->has_retransmits;
  ret->retransmits = grown_u64(after->retransmits, before->retransmits);
  ret->has_dirty = after->has_dirty;
  ret->dirty_bytes = after->dirty_bytes;
  ret->writeback_bytes = after->writeback_bytes;
  if (period_ns > 0)
    ret->throttled = (double)grown_u64(after->throttled_ns,
                                       before->throttled_ns) /
                     (double)period_ns;
}
