/*
 * env_cpu.c - processors, and how many of them the process may use.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/facts.h"
#include "machine/cgroup.h"
#include "machine/env.h"

#define CPU "/sys/devices/system/cpu"

/* A core is a processor that is the first of its siblings. */
static void add_cores(struct facts *f, const char *root, long cpus)
{
  char path[PATH_MAX], text[256];
  long cores = 0;

  for (long i = 0; i < cpus; i++) {
    long first;

    (void)snprintf(path, sizeof(path),
                   CPU "/cpu%ld/topology/"
                       "thread_siblings_list",
                   i);
    if (!env_line(root, path, text, sizeof(text)) ||
        sscanf(text, "%ld", &first) != 1)
      return;
    cores += first == i;
  }
  facts_int(f, "cpu.cores", cores);
}

void env_cpu(struct facts *f, const char *root)
{
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  char text[256];

  if (env_field(root, "/proc/cpuinfo", "model name", text, sizeof(text)))
    facts_text(f, "cpu.model", text);
  facts_int(f, "cpu.online", cpus);
  facts_int(f, "cpu.allowed", cgroup_cpus_allowed());
  add_cores(f, root, cpus);
  if (env_line(root, CPU "/smt/active", text, sizeof(text)))
    facts_bool(f, "cpu.smt", strcmp(text, "1") == 0);
  if (env_line(root, CPU "/cpu0/cpufreq/scaling_governor", text, sizeof(text)))
    facts_text(f, "cpu.governor", text);
  if (env_line(root, CPU "/intel_pstate/no_turbo", text, sizeof(text)))
    facts_bool(f, "cpu.turbo", strcmp(text, "0") == 0);
}

void env_limits(struct facts *f, const char *root)
{
  const struct cgroup_limits limits = cgroup_read(root);

  if (limits.cpus > 0.0)
    facts_real(f, "limits.cpu_quota_cpus", limits.cpus);
  if (limits.memory_bytes > 0)
    facts_int(f, "limits.memory_bytes", (int64_t)limits.memory_bytes);
}
