/*
 * test_client.c - advice about the machine, on made-up trees of /proc and /sys:
 * each cause has its advice, and a calm machine gets none.
 */
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "tests/unit/tap.h"
#include "tools/doctor/doctor.h"

static char root[64];

/* Write a file of the tree, with its folders. */
static void put(const char *text, const char *name_fmt, ...)
  __attribute__((format(printf, 2, 3)));
static void put(const char *text, const char *name_fmt, ...)
{
  char path[PATH_MAX];
  int len = snprintf(path, sizeof(path), "%s", root);
  va_list ap;
  FILE *f;

  va_start(ap, name_fmt);
  (void)vsnprintf(path + len, sizeof(path) - (size_t)len, name_fmt, ap);
  va_end(ap);
  for (char *p = path + len + 1; (p = strchr(p, '/')); p++) {
    *p = '\0';
    (void)mkdir(path, 0700);
    *p = '/';
  }
  f = fopen(path, "w");
  MUST(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

#define CPU "/sys/devices/system/cpu/cpu%u"

static void put_state(unsigned cpu, unsigned state, const char *name,
                      const char *latency, const char *disabled)
{
  put(name, CPU "/cpuidle/state%u/name", cpu, state);
  put(latency, CPU "/cpuidle/state%u/latency", cpu, state);
  put(disabled, CPU "/cpuidle/state%u/disable", cpu, state);
}

/* A tree of four processors. */
static void put_calm(void)
{
  for (unsigned i = 0; i < 4; i++) {
    put("performance\n", CPU "/cpufreq/scaling_governor", i);
    put_state(i, 0, "POLL\n", "0\n", "0\n");
    put_state(i, 1, "C1\n", "2\n", "0\n");
    put_state(i, 2, "C6\n", "133\n", "1\n");
  }
}

static const char interrupts[] =
  "           CPU0       CPU1       CPU2       CPU3\n"
  "  1:          9          0          0          0   IO-APIC   1-edge  "
  "i8042\n"
  " 24:       %5d          7          0      %7d   PCI-MSI 524288-edge      "
  "eth0-rx-0\n"
  "NMI:          0          0          0          0   Non-maskable "
  "interrupts\n"
  "LOC:    %7d       9999       9999       9999   Local timer interrupts\n";

/* Counters of a moment: interrupts of the network card on processors 0 and 3,
 * of the timer, and busy, idle and stolen ticks. */
static void put_counts(int card0, int card3, int timer, int busy, int idle,
                       int stolen)
{
  char text[1024];

  (void)snprintf(text, sizeof(text), interrupts, card0, card3, timer);
  put(text, "/proc/interrupts");
  (void)snprintf(text, sizeof(text), "cpu  %d 0 0 %d 0 0 0 %d 0 0\ncpu0 1\n",
                 busy, idle, stolen);
  put(text, "/proc/stat");
}

static cpu_set_t cpus_from(unsigned first, unsigned last)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  for (unsigned i = first; i <= last; i++)
    CPU_SET(i, &set);
  return set;
}

static struct findings found;

/* The level of a subject, -1: there is no such finding. */
static int level_of(const char *subject)
{
  for (size_t i = 0; i < found.n; i++) {
    if (strcmp(found.of[i].subject, subject) == 0)
      return (int)found.of[i].level;
  }
  return -1;
}

static const char *text_of(const char *subject)
{
  for (size_t i = 0; i < found.n; i++) {
    if (strcmp(found.of[i].subject, subject) == 0)
      return found.of[i].text;
  }
  return "";
}

static void look_at_settings(cpu_set_t cpus)
{
  found.n = 0;
  doctor_governors(&found, root, &cpus);
  doctor_idle_states(&found, root, &cpus);
}

static void test_settings(void)
{
  put_calm();
  look_at_settings(cpus_from(0, 3));
  OK(found.n == 2 && level_of("governor") == FINDING_OK &&
       level_of("idle states") == FINDING_OK,
     "a calm machine gets no advice");
  OK_STR(text_of("idle states"), "CPUs wake up within 2 us",
         "states that are disabled do not count");

  put("powersave\n", CPU "/cpufreq/scaling_governor", 2u);
  look_at_settings(cpus_from(0, 3));
  OK(level_of("governor") == FINDING_WARN, "one governor is enough");
  OK_STR(text_of("governor"),
         "powersave changes the frequency of 1 CPU with the load",
         "which is named");
  look_at_settings(cpus_from(0, 1));
  OK(level_of("governor") == FINDING_OK,
     "processors that may not be used do not matter");

  put_state(3, 2, "C6\n", "133\n", "0\n");
  look_at_settings(cpus_from(0, 3));
  OK(level_of("idle states") == FINDING_WARN, "a deep state");
  OK_STR(text_of("idle states"),
         "an idle CPU can take 133 us to wake up (state C6)",
         "with its time and name");
  look_at_settings(cpus_from(0, 2));
  OK(level_of("idle states") == FINDING_OK, "of another processor");
}

static void look_at_counts(cpu_set_t cpus, const int before[6],
                           const int after[6])
{
  struct client_counts a, b;

  found.n = 0;
  put_counts(before[0], before[1], before[2], before[3], before[4], before[5]);
  client_counts_read(&a, root, &cpus);
  put_counts(after[0], after[1], after[2], after[3], after[4], after[5]);
  client_counts_read(&b, root, &cpus);
  doctor_load(&found, &a, &b, &cpus);
  doctor_irqs(&found, &a, &b, 2);
  client_counts_done(&a);
  client_counts_done(&b);
}

static void test_counts(void)
{
  static const int start[] = { 500, 1000, 1000, 100, 1000, 10 };
  static const int calm[] = { 600, 9000, 90000, 110, 1390, 10 };
  static const int rain[] = { 700, 21001, 1000, 110, 1390, 10 };
  static const int load[] = { 500, 1000, 1000, 180, 1320, 10 };
  static const int steal[] = { 500, 1000, 1000, 100, 1300, 110 };

  look_at_counts(cpus_from(0, 3), start, calm);
  OK(found.n == 2 && level_of("noise") == FINDING_OK &&
       level_of("interrupts") == FINDING_OK,
     "a calm machine, whose timers are no devices");
  OK_STR(text_of("noise"),
         "other programs use 2% of the CPUs; the run can use 4",
         "and its load");

  look_at_counts(cpus_from(0, 3), start, rain);
  OK(level_of("interrupts") == FINDING_WARN, "a device that interrupts often");
  OK_STR(text_of("interrupts"),
         "interrupt 24 (eth0-rx-0) comes 10100 times a second to the "
         "CPUs of the run",
         "and which one");
  look_at_counts(cpus_from(0, 2), start, rain);
  OK(level_of("interrupts") == FINDING_OK, "but not these processors");

  look_at_counts(cpus_from(0, 3), start, load);
  OK(level_of("noise") == FINDING_WARN &&
       strcmp(text_of("noise"), "other programs use 20% of the CPUs") == 0,
     "other programs");
  look_at_counts(cpus_from(0, 3), start, steal);
  OK(level_of("noise") == FINDING_WARN &&
       strstr(text_of("noise"), "the hypervisor took 25%"),
     "other guests");
}

static void test_missing(void)
{
  const cpu_set_t cpus = cpus_from(0, 3);
  struct client_counts a, b;

  (void)snprintf(root, sizeof(root), "/nowhere");
  look_at_settings(cpus);
  client_counts_read(&a, root, &cpus);
  client_counts_read(&b, root, &cpus);
  doctor_load(&found, &a, &b, &cpus);
  doctor_irqs(&found, &a, &b, 1);
  OK(found.n == 0, "what cannot be read has no finding");
  client_counts_done(&a);
  client_counts_done(&b);
}

static void test_wakeups(void)
{
  found.n = 0;
  doctor_wakeups(&found, 20 * NS_PER_US);
  OK(level_of("wake-ups") == FINDING_OK, "threads wake up at once");
  found.n = 0;
  doctor_wakeups(&found, 400 * NS_PER_US);
  OK(level_of("wake-ups") == FINDING_WARN, "threads wake up late");
  OK_STR(text_of("wake-ups"), "a sleeping thread wakes up 400 us late",
         "by so much");
}

int main(void)
{
  char remove[96];

  (void)snprintf(root, sizeof(root), "/tmp/bench-client-%ld", (long)getpid());
  (void)snprintf(remove, sizeof(remove), "rm -rf %s", root);
  MUST(mkdir(root, 0700) == 0);
  test_settings();
  test_counts();
  MUST(system(remove) == 0);
  test_missing();
  test_wakeups();
  return TAP_EXIT();
}
