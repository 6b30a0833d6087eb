/*
 * machine.c - is this machine ready, and quiet?
 */
#include <inttypes.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/facts.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "doctor/client.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "machine/cgroup.h"
#include "machine/env.h"

enum {
  FILES_SPARE = 64,   /* besides the test's files */
  THREADS_SPARE = 16, /* besides workers */
};

/* of memory */
#define SHORT_OF_MEMORY 0.1

/* Allowed CPUs. */
static void allowed(cpu_set_t *ret)
{
  CPU_ZERO(ret);
  if (sched_getaffinity(0, sizeof(*ret), ret) < 0)
    CPU_SET(0, ret);
}

/* Sleeps for a second. */
static void look_at_others(struct findings *to, const cpu_set_t *cpus)
{
  struct client_counts before, after;
  const uint64_t from_ns = clock_now_ns();
  double seconds;

  client_counts_read(&before, "", cpus);
  thread_sleep_until(from_ns + NS_PER_S);
  client_counts_read(&after, "", cpus);
  seconds = (double)(clock_now_ns() - from_ns) / (double)NS_PER_S;
  client_load(to, &before, &after, cpus);
  client_irqs(to, &before, &after, seconds);
  client_counts_done(&before);
  client_counts_done(&after);
}

static void look_at_limit(struct findings *to, int which, const char *subject,
                          const char *command, uint64_t needed,
                          const char *advice)
{
  struct rlimit limit;

  if (getrlimit(which, &limit) < 0)
    return;
  if (limit.rlim_max == RLIM_INFINITY)
    findings_add(to, FINDING_OK, subject, NULL, "no limit");
  else if ((uint64_t)limit.rlim_max < needed)
    findings_add(to, FINDING_FAIL, subject, advice,
                 "%s allows %llu, the run needs about %" PRIu64, command,
                 (unsigned long long)limit.rlim_max, needed);
  else
    findings_add(to, FINDING_OK, subject, NULL,
                 "%s allows %llu, the run needs about %" PRIu64, command,
                 (unsigned long long)limit.rlim_max, needed);
}

static void look_at_cpus(struct findings *to, unsigned threads,
                         unsigned clients)
{
  const unsigned cpus = cgroup_cpus_allowed();
  const double quota = cgroup_read("").cpus;

  if (quota > 0 && quota < cpus)
    findings_add(
      to, FINDING_WARN, "processors",
      "raise the limit of the container, or the client may be slowed down",
      "%u, of which the control group allows %.4g", cpus, quota);
  else if (clients > 0)
    findings_add(to, FINDING_OK, "processors", NULL,
                 "%u for %u client%s on %u thread%s", cpus, clients,
                 fmt_plural(clients), threads, fmt_plural(threads));
  else
    findings_add(to, FINDING_OK, "processors", NULL, "%u for %u thread%s", cpus,
                 threads, fmt_plural(threads));
}

static void look_at_memory(struct findings *to)
{
  const struct cgroup_limits group = cgroup_read("");
  struct facts f = { 0 };
  const struct fact *total, *left;

  env_host(&f, "");
  total = facts_find(&f, "memory.total_bytes");
  left = facts_find(&f, "memory.available_bytes");
  if (total && left && total->integer > 0) {
    const bool less = group.memory_bytes > 0 &&
                      group.memory_bytes < (uint64_t)total->integer;
    const uint64_t whole = less ? group.memory_bytes : (uint64_t)total->integer;
    const uint64_t unused = min_u64((uint64_t)left->integer, group.memory_left);
    const double share = (double)unused / (double)whole;
    char some[FMT_SIZE_SIZE], all[FMT_SIZE_SIZE];

    findings_add(to, share < SHORT_OF_MEMORY ? FINDING_WARN : FINDING_OK,
                 "memory",
                 share >= SHORT_OF_MEMORY ? NULL
                 : less                   ? "raise the limit of the container"
                                          : "stop programs that use it",
                 "%s of %s%s are available", fmt_size(some, unused),
                 fmt_size(all, whole), less ? " of the control group" : "");
  }
  facts_done(&f);
}

void doctor_machine(struct findings *to, const struct machine_needs *needs)
{
  static const char fewer_clients[] = "raise the limit, or use fewer --clients";
  static const char fewer_threads[] = "raise the limit, or use fewer --threads";
  const bool carried = needs->carriers > 0;
  const unsigned threads = carried ? needs->carriers : needs->workers;
  cpu_set_t cpus;

  look_at_cpus(to, threads, carried ? needs->workers : 0);
  allowed(&cpus);
  client_governors(to, "", &cpus);
  client_idle_states(to, "", &cpus);
  look_at_memory(to);
  look_at_limit(to, RLIMIT_NOFILE, "open files", "ulimit -n",
                needs->files + FILES_SPARE,
                needs->clients ? fewer_clients : fewer_threads);
  look_at_limit(to, RLIMIT_NPROC, "processes", "ulimit -u",
                (uint64_t)threads + THREADS_SPARE, fewer_threads);
  client_wakeups(to, client_wakeup_ns());
  look_at_others(to, &cpus);
}
