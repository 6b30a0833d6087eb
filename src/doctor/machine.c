/*
 * machine.c - is this machine ready, and quiet?
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/facts.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "results/env.h"

enum {
  FILES_SPARE = 64,   /* open files, besides those of the test */
  THREADS_SPARE = 16, /* threads that a run needs besides the workers */
  CPU_FIELDS = 8,     /* fields of the line in /proc/stat, without guests */
};

/* Share of processor time used by other programs from which figures suffer. */
#define NOISE 0.1
/* Share of the memory below which a machine is short of it. */
#define SHORT_OF_MEMORY 0.1

/* Processor time since the machine started, in ticks; all 0: not known. */
struct cpu_ticks {
  uint64_t busy, stolen, all;
};

static struct cpu_ticks read_ticks(void)
{
  unsigned long long v[CPU_FIELDS] = { 0 };
  struct cpu_ticks t = { 0 };
  FILE *f = fopen("/proc/stat", "re");

  if (!f)
    return t;
  if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1],
             &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == CPU_FIELDS) {
    for (int i = 0; i < CPU_FIELDS; i++)
      t.all += v[i];
    t.stolen = v[7];
    t.busy = t.all - v[3] - v[4] - v[7]; /* less idle and iowait */
  }
  (void)fclose(f);
  return t;
}

/*
 * Measures the load while this program sleeps, so all of it comes from other
 * programs.
 */
static void look_at_noise(struct findings *to)
{
  const struct timespec second = { .tv_sec = 1 };
  const struct cpu_ticks before = read_ticks();
  struct cpu_ticks after;
  double all, busy, stolen, cpus;

  (void)nanosleep(&second, NULL);
  after = read_ticks();
  if (after.all <= before.all)
    return;
  all = (double)(after.all - before.all);
  cpus = (double)cgroup_cpus_allowed();
  busy = (double)(after.busy - before.busy) / all;
  stolen = (double)(after.stolen - before.stolen) / all;
  if (stolen > NOISE)
    findings_add(
      to, FINDING_WARN, "noise",
      "use a machine without other guests, or expect figures that vary",
      "the hypervisor kept %.0f%% of the processors' time", 100 * stolen);
  if (busy > NOISE)
    findings_add(to, FINDING_WARN, "noise",
                 "stop them, or expect figures that vary",
                 "other programs use %.0f%% of the processors", 100 * busy);
  else
    findings_add(
      to, FINDING_OK, "noise", NULL,
      "other programs use %.0f%% of the processors, %.0f may be used",
      100 * busy, cpus);
}

static void look_at_limit(struct findings *to, int which, const char *subject,
                          const char *command, uint64_t needed)
{
  struct rlimit limit;

  if (getrlimit(which, &limit) < 0)
    return;
  if (limit.rlim_max == RLIM_INFINITY)
    findings_add(to, FINDING_OK, subject, NULL, "no limit");
  else if (limit.rlim_max < needed)
    findings_add(to, FINDING_FAIL, subject,
                 "raise the limit, or use fewer --threads",
                 "%s allows %llu, the run needs about %" PRIu64, command,
                 (unsigned long long)limit.rlim_max, needed);
  else
    findings_add(to, FINDING_OK, subject, NULL,
                 "%s allows %llu, the run needs about %" PRIu64, command,
                 (unsigned long long)limit.rlim_max, needed);
}

static void look_at_cpus(struct findings *to, unsigned threads)
{
  const unsigned cpus = cgroup_cpus_allowed();
  const double quota = cgroup_read("").cpus;

  if (quota > 0 && quota < cpus)
    findings_add(
      to, FINDING_WARN, "processors",
      "raise the limit of the container, or the client may be slowed down",
      "%u, of which the control group allows %.4g", cpus, quota);
  else
    findings_add(to, FINDING_OK, "processors", NULL, "%u for %u thread%s", cpus,
                 threads, threads == 1 ? "" : "s");
}

static void look_at_governor(struct findings *to)
{
  struct facts f = { 0 };
  const struct fact *governor;

  env_cpu(&f, "");
  governor = facts_find(&f, "cpu.governor");
  if (governor && governor->type == FACT_TEXT) {
    if (strcmp(governor->text, "performance") == 0)
      findings_add(to, FINDING_OK, "governor", NULL, "%s", governor->text);
    else
      findings_add(to, FINDING_WARN, "governor",
                   "cpupower frequency-set -g performance",
                   "%s changes the frequency with the load", governor->text);
  }
  facts_done(&f);
}

static void look_at_memory(struct findings *to)
{
  struct facts f = { 0 };
  const struct fact *total, *left;

  env_host(&f, "");
  env_limits(&f, "");
  total = facts_find(&f, "memory.total_bytes");
  left = facts_find(&f, "memory.available_bytes");
  if (total && left && total->integer > 0) {
    const double gib = 1024.0 * 1024 * 1024;
    const double share = (double)left->integer / (double)total->integer;

    findings_add(to, share < SHORT_OF_MEMORY ? FINDING_WARN : FINDING_OK,
                 "memory",
                 share < SHORT_OF_MEMORY ? "stop programs that use it" : NULL,
                 "%.1f of %.1f GiB are available", (double)left->integer / gib,
                 (double)total->integer / gib);
  }
  facts_done(&f);
}

void doctor_machine(struct findings *to, const struct machine_needs *needs)
{
  look_at_cpus(to, needs->threads);
  look_at_governor(to);
  look_at_memory(to);
  look_at_limit(to, RLIMIT_NOFILE, "open files", "ulimit -n",
                needs->files + FILES_SPARE);
  look_at_limit(to, RLIMIT_NPROC, "processes", "ulimit -u",
                (uint64_t)needs->threads + THREADS_SPARE);
  look_at_noise(to);
}
