/*
 * test_sampler.c - what the machine reports, read from a small tree of files.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/facts.h"
#include "base/machine/cgroup.h"
#include "base/machine/disk.h"
#include "base/machine/env.h"
#include "base/machine/sampler.h"
#include "base/strbuf.h"
#include "results/prometheus.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-root-XXXXXX";

/* A file in the tree, with the folders above it. */
static void put(const char *name, const char *text)
{
  char path[512];
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s%s", root, name);
  for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    (void)mkdir(path, 0700);
    *p = '/';
  }
  f = fopen(path, "w");
  (void)fputs(text, f);
  (void)fclose(f);
}

static void test_use(void)
{
  struct sampler w;
  struct system_use u;

  put("/proc/stat", "cpu  100 10 50 1000 40 5 5 0 0 0\n"
                    "cpu0 1 1 1 1 1 1 1 1 0 0\nctxt 5000\n");
  put("/proc/diskstats", "   8 0 sda 10 0 100 7 20 0 200 7 0 1000 9\n"
                         "   8 1 sda1 1 0 1 1 1 0 1 1 0 1 1\n");
  put("/proc/net/dev", "Inter-| x\n face |bytes\n"
                       "    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n"
                       "  eth0:2000 1 0 0 0 0 0 0 3000 1 0 0 0 0 0 0\n");
  put("/proc/self/task/10/schedstat", "5 1000000000 7\n");
  put("/proc/self/task/11/schedstat", "5 2000000000 7\n");
  sampler_start(&w, root, "sda", 0);
  put("/proc/self/task/10/schedstat", "6 1500000000 8\n");
  put("/proc/self/task/11/schedstat", "6 2500000000 8\n");
  put("/proc/stat", "cpu  140 10 60 1040 50 5 5 0 0 0\nctxt 7000\n");
  put("/proc/diskstats", "   8 0 sda 14 0 108 7 25 0 300 7 0 1500 9\n");
  put("/proc/net/dev", "    lo: 1500 1 0 0 0 0 0 0 1500 1 0 0 0 0 0 0\n"
                       "  eth0:2010 1 0 0 0 0 0 0 3020 1 0 0 0 0 0 0\n");
  sampler_next(&w, 2 * NS_PER_S, &u);
  OK(u.has_cpu && u.user == 0.4 && u.system == 0.1 && u.iowait == 0.1 &&
       u.idle == 0.4,
     "processors");
  OK(u.switches_per_s == 1000.0, "context switches");
  /* 50 ticks in 2 s, and hardly any time of this program. */
  OK(u.others > 0.2 * 100 / (double)sysconf(_SC_CLK_TCK) &&
       u.others < 0.25 * 100 / (double)sysconf(_SC_CLK_TCK),
     "other programs");
  OK(u.has_waited && u.waiting == 0.5, "threads that wait for processors");
  OK(u.has_disk && u.reads == 4 && u.writes == 5 && u.read_bytes == 4096 &&
       u.written_bytes == 51200 && u.busy == 0.25,
     "the disk, and not its partition");
  OK(u.has_net && u.received_bytes == 10 && u.sent_bytes == 20 &&
       u.loopback_bytes == 500,
     "network");
  put("/proc/stat", "cpu  150 10 60 1030 50 5 5 0 0 0\nctxt 7000\n");
  sampler_next(&w, 3 * NS_PER_S, &u);
  OK(u.user == 1.0 && u.idle == 0.0, "a counter that steps back");
  OK(u.reads == 0 && u.switches_per_s == 0.0, "only what is new");
  sampler_start(&w, "/nowhere", "", 0);
  sampler_next(&w, NS_PER_S, &u);
  OK(!u.has_cpu && !u.has_disk && !u.has_net && !u.has_waited,
     "a system that tells nothing");
}

static void test_pressure(void)
{
  struct sampler w;
  struct system_use u;

  put("/proc/pressure/cpu", "some avg10=1.00 avg60=1 avg300=1 total=1000\n"
                            "full avg10=0.00 avg60=0 avg300=0 total=0\n");
  put("/proc/pressure/io", "some avg10=1.00 avg60=1 avg300=1 total=5000\n"
                           "full avg10=0.00 avg60=0 avg300=0 total=7000\n");
  put("/proc/vmstat", "pgfault 99\npgmajfault 10\n");
  put("/proc/meminfo", "Dirty:     4 kB\nWriteback:   8 kB\n");
  put("/proc/net/snmp", "Ip: A B\nIp: 1 2\nTcp: X RetransSegs Y\n"
                        "Tcp: -1 20 7\n");
  put("/proc/self/cgroup", "0::/q\n");
  put("/sys/fs/cgroup/q/cpu.max", "50000 100000\n");
  put("/sys/fs/cgroup/q/cpu.stat", "nr_throttled 3\nthrottled_usec 1000\n");
  put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2400000\n");
  sampler_start(&w, root, "", 0);
  put("/proc/pressure/cpu", "some avg10=1.00 avg60=1 avg300=1 total=501000\n");
  put("/proc/pressure/io", "some avg10=1.00 avg60=1 avg300=1 total=1005000\n"
                           "full avg10=0.00 avg60=0 avg300=0 total=507000\n");
  put("/proc/vmstat", "pgfault 99\npgmajfault 13\n");
  put("/proc/net/snmp", "Tcp: X RetransSegs Y\nTcp: -1 25 7\n");
  put("/sys/fs/cgroup/q/cpu.stat", "nr_throttled 9\nthrottled_usec 501000\n");
  sampler_next(&w, 2 * NS_PER_S, &u);
  OK(u.pressure.has[PRESSURE_CPU_SOME] &&
       u.pressure.stopped[PRESSURE_CPU_SOME] == 0.25,
     "pressure of processors");
  OK(u.pressure.stopped[PRESSURE_IO_SOME] == 0.5 &&
       u.pressure.stopped[PRESSURE_IO_FULL] == 0.25,
     "pressure of disks, some and full");
  OK(!u.pressure.has[PRESSURE_MEMORY_SOME], "what the system lacks is unknown");
  OK(u.pressure.has_faults && u.pressure.major_faults == 3, "major faults");
  OK(u.pressure.has_dirty && u.pressure.dirty_bytes == 4096 &&
       u.pressure.writeback_bytes == 8192,
     "dirty pages");
  OK(u.pressure.has_retransmits && u.pressure.retransmits == 5, "retransmits");
  OK(u.pressure.throttled == 0.25, "a quota");
  OK(u.pressure.mhz == 2400, "the clock");
}

/* The files are those that the two tests before this one have left. */
static void test_metrics(void)
{
  static const char *const lines[] = {
    "bench_machine_cpu_seconds_total{mode=\"user\"} 1.60\n",
    "bench_machine_cpu_seconds_total{mode=\"system\"} 0.70\n",
    "bench_machine_cpu_seconds_total{mode=\"idle\"} 10.30\n",
    "bench_machine_context_switches_total 7000\n",
    "bench_machine_disk_reads_total 14\n",
    "bench_machine_disk_writes_total 25\n",
    "bench_machine_disk_read_bytes_total 55296\n",
    "bench_machine_disk_written_bytes_total 153600\n",
    "bench_machine_disk_busy_seconds_total 1.5\n",
    "bench_machine_network_received_bytes_total 2010\n",
    "bench_machine_network_sent_bytes_total 3020\n",
    "bench_machine_network_retransmits_total 25\n",
    "bench_machine_pressure_seconds_total{resource=\"cpu\",tasks=\"some\"} "
    "0.501000\n",
    "bench_machine_pressure_seconds_total{resource=\"io\",tasks=\"full\"} "
    "0.507000\n",
    "bench_machine_throttled_seconds_total 0.501\n",
    "bench_machine_major_faults_total 13\n",
    "bench_machine_dirty_bytes 4096\n",
    "bench_machine_writeback_bytes 8192\n",
    "bench_machine_clock_hertz 2400000000\n",
  };
  struct strbuf b = { 0 };
  const struct metrics_out o = { &b, METRICS_OPENMETRICS };

  prometheus_machine(&o, root, "sda");
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
    OK(strstr(strbuf_str(&b), lines[i]), lines[i]);
  OK(!strstr(strbuf_str(&b), "resource=\"memory\""),
     "what the system lacks is left out");
  strbuf_clear(&b);
  prometheus_machine(&o, "/nowhere", "sda");
  OK_STR(strbuf_str(&b),
         "# HELP bench_machine_throttled_seconds Time that the quota of the "
         "control group has withheld.\n"
         "# TYPE bench_machine_throttled_seconds counter\n"
         "bench_machine_throttled_seconds_total 0\n",
         "a system that tells nothing");
  strbuf_done(&b);
}

static void test_cgroups(void)
{
  struct cgroup_limits l;

  l = cgroup_read("/nowhere");
  OK(l.cpus == 0.0 && l.memory_bytes == 0, "no groups");
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/a/b/memory.max", "1048576\n");
  l = cgroup_read(root);
  OK(l.cpus == 1.5 && l.memory_bytes == 1048576,
     "the least of the group and those above");
  put("/proc/self/cgroup", "0::/not/mounted/here\n");
  put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  l = cgroup_read(root);
  OK(l.cpus == 0.5, "a container sees its own group as the root");
  put("/proc/self/cgroup", "3:cpu,cpuacct:/c\n4:memory:/c\n");
  put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "250000\n");
  put("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
  l = cgroup_read(root);
  OK(l.cpus == 2.5 && l.memory_bytes == 0, "the first version");
  put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
  OK(cgroup_read(root).cpus == 0.0, "no quota");
  OK(cgroup_cpus_allowed() >= 1, "this process may run");
  put("/proc/loadavg", "0.10 0.20 0.30 4/321 9876\n");
  OK(cgroup_others_running(root) == 3, "threads that run besides this one");
  put("/proc/loadavg", "what is this\n");
  OK(cgroup_others_running(root) == 0, "a system that counts otherwise");
  OK(cgroup_others_running("/nowhere") == 0, "and one that tells nothing");
}

static const char *text_of(const struct facts *f, const char *key)
{
  const struct fact *fact = facts_find(f, key);

  return fact && fact->text ? fact->text : "(none)";
}

static int64_t int_of(const struct facts *f, const char *key)
{
  const struct fact *fact = facts_find(f, key);

  return fact ? fact->integer : -1;
}

static void test_environment(void)
{
  struct facts f = { 0 };

  put("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Some System 7\"\n");
  put("/proc/meminfo", "MemTotal:       2048 kB\nMemAvailable: 1024 kB\n");
  put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: A Processor\n"
                       "flags\t\t: fpu hypervisor tsc\n");
  put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  put("/sys/devices/system/cpu/smt/active", "1\n");
  put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  env_host(&f, root);
  env_cpu(&f, root);
  env_limits(&f, root);
  env_clock(&f, root);
  OK(!f.failed, "memory was enough");
  OK_STR(text_of(&f, "os"), "Some System 7", "system");
  OK(int_of(&f, "memory.total_bytes") == 2048 * 1024, "memory");
  OK_STR(text_of(&f, "cpu.model"), "A Processor", "processor");
  OK_STR(text_of(&f, "cpu.governor"), "powersave", "governor");
  OK(int_of(&f, "cpu.smt") == 1 && int_of(&f, "virtualisation.hypervisor") == 1,
     "flags");
  OK_STR(text_of(&f, "virtualisation.vendor"), "QEMU", "vendor");
  OK(!facts_find(&f, "virtualisation.container"), "no container");
  OK(facts_find(&f, "clock.reading_ns")->real > 0.0, "clock");
  facts_done(&f);
}

static void test_disk(void)
{
  struct disk d;

  disk_find(&d, root);
  OK_STR(d.folder, root, "folder");
  OK(d.size_bytes > 0, "size");
  disk_find(&d, "/nowhere/at/all");
  OK(d.size_bytes == 0 && d.fs_type[0] == '\0' && d.device[0] == '\0',
     "a folder that is not there");
}

static const char *mounted(struct disk_mount which)
{
  static char text[640];
  struct disk d = { .fs_type = "" };

  disk_find_mount(&d, root, &which);
  (void)snprintf(text, sizeof(text), "%s %s %s", d.fs_type, d.source,
                 d.options);
  return text;
}

static void test_mounts(void)
{
  put("/proc/self/mountinfo",
      "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "22 21 0:5 / /proc rw - proc proc rw\n"
      "23 21 8:1 /home /home rw,noatime - ext4 /dev/sda1 rw\n"
      "24 21 0:40 / /data ro,lazytime - btrfs /dev/sdb rw\n"
      "25 21 8:1 /srv /srv ro - ext4 /dev/sda1 rw\n"
      "cut off\n");
  OK_STR(mounted((struct disk_mount){ true, 23, 8, 1 }),
         "ext4 /dev/sda1 rw,noatime", "one of three mounts of a device");
  OK_STR(mounted((struct disk_mount){ true, 24, 0, 41 }),
         "btrfs /dev/sdb ro,lazytime", "whatever number its device has");
  OK_STR(mounted((struct disk_mount){ false, 0, 8, 1 }), "ext4 /dev/sda1 ro",
         "the last one, when nothing tells which");
  OK_STR(mounted((struct disk_mount){ true, 99, 8, 1 }), "ext4 /dev/sda1 ro",
         "or it is not in the list");
  OK_STR(mounted((struct disk_mount){ false, 0, 7, 1 }), "  ", "none");
}

/* The machine is busy with nothing but this program. */
static void test_own(void)
{
  const double tick_ns = (double)NS_PER_S / (double)sysconf(_SC_CLK_TCK);
  struct system_counts now;
  struct sampler w;
  struct system_use u;
  char text[128];

  put("/proc/stat", "cpu  100 0 0 1000 0 0 0 0 0 0\n");
  sampler_start(&w, root, "", 0);
  do
    sampler_read(root, "", &now);
  while (now.own_ns < w.last.own_ns + 10 * (uint64_t)tick_ns);
  (void)snprintf(text, sizeof(text), "cpu  %.0f 0 0 1100 0 0 0 0 0 0\n",
                 100 + (double)(now.own_ns - w.last.own_ns) / tick_ns);
  put("/proc/stat", text);
  sampler_next(&w, NS_PER_S, &u);
  OK(u.user > 0.05 && fabs(u.others) < 0.05,
     "this program is no other program");
}

int main(void)
{
  char command[256];

  if (!mkdtemp(root))
    return 1;
  test_use();
  test_pressure();
  test_metrics();
  test_cgroups();
  test_environment();
  test_disk();
  test_mounts();
  test_own();
  (void)snprintf(command, sizeof(command), "rm -r '%s'", root);
  return system(command) != 0 || TAP_EXIT();
}
