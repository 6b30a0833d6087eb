/*
 * test_processes.c - which programs used the processors, from files that are
 * written here.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine/cgroup.h"
#include "base/machine/cpu.h"
#include "base/machine/processes.h"
#include "base/thread.h"
#include "report/life.h"
#include "tests/unit/machine/machine_rig.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-machine-XXXXXX";

/* ROOT/PATH, with all folders above it. */
static void put(const char *path, const char *text)
{
  char full[512];
  FILE *f;

  (void)snprintf(full, sizeof(full), "%s%s", root, path);
  for (char *p = full + sizeof(root); (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    OK(mkdir(full, 0700) == 0 || errno == EEXIST, full);
    *p = '/';
  }
  f = fopen(full, "w");
  OK(f && fputs(text, f) >= 0, path);
  if (f)
    (void)fclose(f);
}

/*
 * Writes times of the allowed processor, and of one on which the process may
 * not run.
 */
static void put_stat(const char *times)
{
  char text[512];

  (void)snprintf(text, sizeof(text),
                 "cpu  1 1 1 1 1 1 1 1 0 0\ncpu%d %s\n"
                 "cpu1000 9 9 9 9 9 9 9 9 0 0\nintr 12345\n",
                 allowed_cpu(), times);
  put("/proc/stat", text);
}

static void test_times(void)
{
  struct machine_counts a, b;
  struct machine_use use = { 0 };

  machine_read(root, &a);
  OK(!a.known && a.throttled_ns == 0 && a.mhz == 0, "nothing can be read");
  put_stat("100 10 50 900 7 3 2 5 40 0");
  machine_read(root, &a);
  OK(a.known && a.busy_ns == 165 * (NS_PER_S / 100) &&
       a.steal_ns == 5 * (NS_PER_S / 100),
     "user, nice, system and interrupts are busy; guests are in user");
  OK(a.idle_ns == 907 * (NS_PER_S / 100), "waits for disks are idle");
  put_stat("298 10 50 950 7 4 3 25 40 0");
  machine_read(root, &b);
  machine_between(&a, &b, &use);
  OK(use.known && use.busy_ns == 2 * NS_PER_S &&
       use.interrupts_ns == 2 * (NS_PER_S / 100) &&
       use.steal_ns == 2 * (NS_PER_S / 10),
     "between two readings");
  machine_between(&b, &a, &use);
  OK(use.busy_ns == 0 && use.steal_ns == 0, "counters that step back");
  b.known = false;
  machine_between(&a, &b, &use);
  OK(!use.known, "one reading is none");
}

/* The second reading is that of a thread with a processor of its own. */
static void *read_pinned(void *ret)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  CPU_SET(allowed_cpu(), &set);
  OK(sched_setaffinity(0, sizeof(set), &set) == 0, "a thread is pinned");
  machine_read(root, ret);
  return NULL;
}

/* Two processors, if the process may run on so many. */
static void test_pinned(void)
{
  struct machine_counts a, b = { 0 };
  char text[4096] = "cpu  1 1 1 1 1 1 1 1 0 0\n";
  cpu_set_t set;
  pthread_t thread;
  unsigned n = 0;

  (void)sched_getaffinity(0, sizeof(set), &set);
  for (int i = 0; i < CPUS_MAX && n < 2; i++) {
    if (CPU_ISSET(i, &set))
      n++, (void)snprintf(strchr(text, '\0'), 100,
                          "cpu%d 100 0 0 0 0 0 0 7 0 0\n", i);
  }
  put("/proc/stat", text);
  machine_read(root, &a);
  OK(a.busy_ns == n * NS_PER_S, "all processors of the process");
  OK(pthread_create(&thread, NULL, read_pinned, &b) == 0 &&
       pthread_join(thread, NULL) == 0,
     "a worker reads");
  OK(b.busy_ns == a.busy_ns && b.steal_ns == a.steal_ns,
     "a worker that is kept on a processor sees all of them");
}

static void test_speed(void)
{
  struct machine_counts a, b;
  struct machine_use use = { 0 };
  char path[256];

#define CPU_FILE(name)                                                 \
  (snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/" name, \
            allowed_cpu()),                                            \
   path)

  put(CPU_FILE("thermal_throttle/core_throttle_count"), "5\n");
  put(CPU_FILE("cpufreq/scaling_cur_freq"), "1200000\n");
  put(CPU_FILE("cpufreq/base_frequency"), "2600000\n");
  machine_read(root, &a);
  OK(a.mhz == 1200 && a.base_mhz == 2600, "frequencies");
  put(CPU_FILE("thermal_throttle/core_throttle_count"), "8\n");
  machine_read(root, &b);
  machine_between(&a, &b, &use);
  OK(use.heat == 3 && use.mhz == 1200 && use.base_mhz == 2600, "heat");
}

/*
 * Checks both versions of the interface; the limit may be that of a parent
 * group.
 */
static void test_quota(void)
{
  struct machine_counts a, b;
  struct machine_use use = { 0 };

  put("/proc/self/cgroup", "0::/app/part\n");
  put("/sys/fs/cgroup/app/cpu.max", "25000 100000\n");
  put("/sys/fs/cgroup/app/cpu.stat",
      "usage_usec 5000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 1500\n");
  put("/sys/fs/cgroup/app/part/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/app/part/cpu.stat", "usage_usec 5000\n");
  OK(cgroup_read(root).cpus == 0.25, "a quarter of a processor");
  put("/proc/42/cgroup", "0::/other\n");
  put("/sys/fs/cgroup/other/cpu.max", "100000 100000\n");
  OK(cgroup_read_of(root, "42").cpus == 1.0 &&
       cgroup_read_of(root, "43").cpus == 0.0,
     "one processor for another process, and none that is missing");
  machine_read(root, &a);
  OK(a.throttled_ns == 1500000, "it was stopped for 1.5 ms");
  put("/sys/fs/cgroup/app/cpu.stat", "throttled_usec 9500\n");
  machine_read(root, &b);
  machine_between(&a, &b, &use);
  OK(use.throttled_ns == 8000000, "and for 8 ms between two readings");

  put("/proc/self/cgroup", "3:cpu,cpuacct:/old\n");
  put("/sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "50000\n");
  put("/sys/fs/cgroup/cpu/old/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu/old/cpu.stat",
      "nr_periods 3\nnr_throttled 1\nthrottled_time 777\n");
  OK(cgroup_read(root).cpus == 0.5 && cgroup_read(root).throttled_ns == 777,
     "the older interface");
}

static void put_line(int pid, const char *name, int parent, unsigned flags,
                     int own, int children)
{
  char path[64], text[256];

  (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  (void)snprintf(text, sizeof(text),
                 "%d (%s) S %d 1 1 0 -1 %u 1 2 3 4 %d 0 %d 0 20 0 1 0 7\n", pid,
                 name, parent, flags, own, children);
  put(path, text);
}

/* Adds PID (NAME) with that many ticks of its own and of its children. */
static void put_process(int pid, const char *name, unsigned flags, int own,
                        int children)
{
  put_line(pid, name, 1, flags, own, children);
}

static void put_child(int pid, const char *name, int parent, int own)
{
  put_line(pid, name, parent, 0, own, 0);
}

static void test_processes(void)
{
  const uint64_t tick_ns = NS_PER_S / 100;
  const struct tested_server by_name = { .here = true, .driver = "pgsql" };
  const struct tested_server none = { .here = false, .driver = "pgsql" };
  struct tested_server one = { .here = true, .pid = 71, .driver = "pgsql" };
  struct processes a, b;
  struct machine_use use = { 0 };

  put_process(71, "postgres", 0, 100, 50);
  put_process(72, "a (b) c", 0, 10, 0);
  put_process(73, "kworker/0:1", 0x00200000, 5, 0);
  put_process(74, "bench", 0, 10, 0);
  processes_read(&a, root);
  OK(a.n == 3, "programs, but no threads of the kernel");
  put_process(71, "postgres", 0, 150, 80);
  put_process(72, "a (b) c", 0, 40, 0);
  put_process(73, "kworker/0:1", 0x00200000, 500, 0);
  put_process(74, "bench", 0, 30, 0);
  put_process(75, "postgres", 0, 20, 0);
  put_process((int)getpid(), "myself", 0, 10000, 0);
  processes_read(&b, root);
  processes_between(&a, &b, &by_name, "bench", &use);
  OK(use.server_ns == 100 * tick_ns && strcmp(use.server, "postgres") == 0,
     "a server, with children that have ended and those that are new");
  OK_STR(use.busiest, "a (b) c", "the busiest of the others");
  OK(use.sibling_ns == 20 * tick_ns, "other processes of this program");
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &none, "bench", &use);
  OK(use.server_ns == 0 && strcmp(use.busiest, "postgres") == 0,
     "somebody else's server, where none here is tested");
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &one, "bench", &use);
  OK(use.server_ns == 80 * tick_ns && strcmp(use.server, "postgres") == 0,
     "of two servers of one kind the process that listens");
  OK_STR(use.busiest, "a (b) c", "the other one is less busy");
  put_child(76, "postgres", 71, 30);
  processes_done(&b);
  processes_read(&b, root);
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &one, "bench", &use);
  OK(use.server_ns == 110 * tick_ns, "and its children");
  one.pid = 74;
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &one, "bench", &use);
  OK(use.server_ns == 20 * tick_ns && strcmp(use.server, "bench") == 0,
     "whatever its name is");
  put_process(77, "pgbouncer", 0, 5, 0);
  processes_done(&b);
  processes_read(&b, root);
  one.pid = 77;
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &one, "bench", &use);
  OK(use.server_ns == 135 * tick_ns && strcmp(use.server, "postgres") == 0,
     "a proxy: all servers that may be behind it");
  put_process(77, "mysqlrouter", 0, 5, 0);
  processes_done(&b);
  processes_read(&b, root);
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &one, "bench", &use);
  OK(use.server_ns == 135 * tick_ns, "MySQL Router is one");
  put("/proc/77/stat", "77 (short) S 1 2 3 4 -1 0 6 7\n");
  processes_done(&a);
  processes_read(&a, root);
  OK(a.n + 1 == b.n, "a line that is too short is no process");
  processes_done(&a);
  use = (struct machine_use){ 0 };
  processes_between(&a, &b, &by_name, "bench", &use);
  OK(use.server_ns == 0 && use.busiest[0] == '\0',
     "without a first reading nothing is known");
  processes_done(&b);
  processes_read(&a, "/nonexistent");
  OK(a.n == 0 && !a.of, "no folder");
}

int main(void)
{
  char command[64];

  if (!mkdtemp(root)) {
    perror("mkdtemp");
    return 1;
  }
  test_times();
  test_pinned();
  test_speed();
  test_quota();
  test_processes();
  (void)snprintf(command, sizeof(command), "rm -rf %s", root);
  OK(system(command) == 0, "nothing is left");
  return TAP_EXIT();
}
