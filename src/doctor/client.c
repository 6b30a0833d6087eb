/*
 * client.c - what on this machine costs latencies.
 */
#include "doctor/client.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "doctor/findings.h"
#include "machine/cpu.h"
#include "machine/proc.h"

enum {
  STATES_MAX = 16, /* per CPU */
  LINE_SIZE = 65536 /* CPUs in /proc/interrupts */,
  SLEEPS = 21,
};

/* CPU time of other programs that disturbs. */
#define NOISE 0.1
/* Exit latency that is visible. */
#define SLOW_STATE_US 50
/* Per second; some microseconds each are some percent of a CPU. */
#define MANY_IRQS 5000.0
#define SLEEP_NS (100 * NS_PER_US)
#define LATE_NS (100 * NS_PER_US)

#define CPU "/sys/devices/system/cpu"

/* ---- settings of CPUs ---- */

void client_governors(struct findings *to, const char *root,
                      const cpu_set_t *cpus)
{
  unsigned known = 0, others = 0;
  char text[64], other[64] = "";

  for (unsigned i = 0; i < CPUS_MAX; i++) {
    if (!CPU_ISSET(i, cpus))
      continue;
    if (!proc_line(text, sizeof(text), root,
                   CPU "/cpu%u/cpufreq/scaling_governor", i))
      continue;
    known++;
    if (strcmp(text, "performance") == 0)
      continue;
    others++;
    (void)snprintf(other, sizeof(other), "%s", text);
  }
  if (others > 0)
    findings_add(to, FINDING_WARN, "governor",
                 "cpupower frequency-set -g performance",
                 "%s changes the frequency of %u processor%s with the load",
                 other, others, others == 1 ? "" : "s");
  else if (known > 0)
    findings_add(to, FINDING_OK, "governor", NULL, "performance");
}

/* The enabled state with the longest exit latency. */
struct idle_state {
  unsigned long latency_us;
  char name[32];
  bool known;
};

static void look_at_states(struct idle_state *worst, const char *root,
                           unsigned cpu)
{
  for (unsigned i = 0; i < STATES_MAX; i++) {
    uint64_t latency, disabled = 0;
    char name[32];

    if (!proc_number(&latency, root, CPU "/cpu%u/cpuidle/state%u/latency", cpu,
                     i))
      return;
    (void)proc_number(&disabled, root, CPU "/cpu%u/cpuidle/state%u/disable",
                      cpu, i);
    (void)proc_line(name, sizeof(name), root, CPU "/cpu%u/cpuidle/state%u/name",
                    cpu, i);
    if (disabled || (worst->known && latency <= worst->latency_us))
      continue;
    worst->known = true;
    worst->latency_us = (unsigned long)latency;
    (void)snprintf(worst->name, sizeof(worst->name), "%s", name);
  }
}

void client_idle_states(struct findings *to, const char *root,
                        const cpu_set_t *cpus)
{
  struct idle_state worst = { .known = false };

  for (unsigned i = 0; i < CPUS_MAX; i++) {
    if (CPU_ISSET(i, cpus))
      look_at_states(&worst, root, i);
  }
  if (!worst.known)
    return;
  if (worst.latency_us > SLOW_STATE_US)
    findings_add(to, FINDING_WARN, "idle states",
                 "cpupower idle-set -D 10 (cpupower idle-set -E undoes it)",
                 "an idle processor may take %lu us to wake up (state %s)",
                 worst.latency_us, worst.name);
  else
    findings_add(to, FINDING_OK, "idle states", NULL,
                 "processors wake up within %lu us", worst.latency_us);
}

/* ---- load and interrupts ---- */

static void read_ticks(struct client_counts *c, const char *root)
{
  struct cpu_ticks ticks;

  cpu_read_ticks(&ticks, root, NULL);
  c->stolen = ticks.steal;
  c->busy = ticks.user + ticks.system;
  c->all = c->busy + ticks.idle + ticks.iowait + ticks.steal;
}

/* CPUs of the columns. */
struct columns {
  unsigned cpu[CPUS_MAX];
  size_t n;
};

static void read_columns(struct columns *c, const char *line)
{
  unsigned cpu;

  c->n = 0;
  while ((line = strstr(line, "CPU")) && c->n < CPUS_MAX) {
    if (sscanf(line, "CPU%u", &cpu) == 1)
      c->cpu[c->n++] = cpu;
    line += 3;
  }
}

/* "24: 100 0 PCI-MSI 1-edge eth0"; false: not of a device. */
static bool read_irq(struct client_irq *ret, char *line,
                     const struct columns *columns, const cpu_set_t *cpus)
{
  char *p, *end;
  size_t len;

  ret->number = (unsigned)strtoul(line, &p, 10);
  if (p == line || *p != ':')
    return false;
  ret->count = 0;
  p++;
  for (size_t i = 0; i < columns->n; i++) {
    const unsigned long long n = strtoull(p, &end, 10);

    if (end == p)
      break;
    if (columns->cpu[i] < CPUS_MAX && CPU_ISSET(columns->cpu[i], cpus))
      ret->count += n;
    p = end;
  }
  p[strcspn(p, "\n")] = '\0';
  len = strlen(p);
  while (len > 0 && p[len - 1] == ' ')
    p[--len] = '\0';
  end = strrchr(p, ' ');
  (void)snprintf(ret->name, sizeof(ret->name), "%s", end ? end + 1 : p);
  return true;
}

static bool add_irq(struct client_counts *c, const struct client_irq *irq)
{
  struct client_irq *more = realloc(c->irqs, (c->n_irqs + 1) * sizeof(*more));

  if (!more)
    return false;
  c->irqs = more;
  c->irqs[c->n_irqs++] = *irq;
  return true;
}

static void read_irqs(struct client_counts *c, const char *root,
                      const cpu_set_t *cpus)
{
  struct columns *columns = calloc(1, sizeof(*columns));
  char *line = malloc(LINE_SIZE);
  FILE *f = proc_open(root, "/proc/interrupts");
  struct client_irq irq;

  if (f && line && columns && fgets(line, LINE_SIZE, f)) {
    read_columns(columns, line);
    while (fgets(line, LINE_SIZE, f)) {
      if (read_irq(&irq, line, columns, cpus) && !add_irq(c, &irq))
        break;
    }
  }
  if (f)
    (void)fclose(f);
  free(line);
  free(columns);
}

void client_counts_read(struct client_counts *ret, const char *root,
                        const cpu_set_t *cpus)
{
  *ret = (struct client_counts){ 0 };
  read_ticks(ret, root);
  read_irqs(ret, root, cpus);
}

void client_counts_done(struct client_counts *c)
{
  free(c->irqs);
  *c = (struct client_counts){ 0 };
}

void client_load(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, const cpu_set_t *cpus)
{
  double all, busy, stolen;

  if (after->all <= before->all)
    return;
  all = (double)(after->all - before->all);
  busy = (double)(after->busy - before->busy) / all;
  stolen = (double)(after->stolen - before->stolen) / all;
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
    findings_add(to, FINDING_OK, "noise", NULL,
                 "other programs use %.0f%% of the processors, %d may be used",
                 100 * busy, CPU_COUNT(cpus));
}

static uint64_t count_of(const struct client_counts *c, unsigned number)
{
  for (size_t i = 0; i < c->n_irqs; i++) {
    if (c->irqs[i].number == number)
      return c->irqs[i].count;
  }
  return 0;
}

void client_irqs(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, double seconds)
{
  const struct client_irq *busiest = NULL;
  double most = 0;

  for (size_t i = 0; i < after->n_irqs; i++) {
    const struct client_irq *irq = &after->irqs[i];
    const uint64_t old = count_of(before, irq->number);
    const double rate = irq->count > old ? (double)(irq->count - old) / seconds
                                         : 0;

    if (rate > most) {
      most = rate;
      busiest = irq;
    }
  }
  if (busiest && most > MANY_IRQS)
    findings_add(to, FINDING_WARN, "interrupts",
                 "move it by /proc/irq/N/smp_affinity_list, or keep the run "
                 "off its processors (taskset)",
                 "interrupt %u (%s) comes %.0f times a second to the "
                 "processors of the run",
                 busiest->number, busiest->name, most);
  else if (after->n_irqs > 0)
    findings_add(to, FINDING_OK, "interrupts", NULL,
                 "no device interrupts the processors often");
}

/* ---- wake-ups ---- */

static int by_value(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

uint64_t client_wakeup_ns(void)
{
  uint64_t late[SLEEPS];

  thread_exact_timers(true); /* as workers do */
  for (int i = 0; i < SLEEPS; i++) {
    const uint64_t until = clock_now_ns() + SLEEP_NS;
    uint64_t now;

    thread_sleep_until(until);
    now = clock_now_ns();
    late[i] = now > until ? now - until : 0;
  }
  thread_exact_timers(false);
  qsort(late, SLEEPS, sizeof(late[0]), by_value);
  return late[SLEEPS / 2];
}

void client_wakeups(struct findings *to, uint64_t late_ns)
{
  const double us = (double)late_ns / (double)NS_PER_US;

  if (late_ns > LATE_NS)
    findings_add(to, FINDING_WARN, "wake-ups",
                 "look at governor, idle states and load; with --rate, this is "
                 "a part of all latencies",
                 "a thread that sleeps wakes up %.0f us late", us);
  else
    findings_add(to, FINDING_OK, "wake-ups", NULL,
                 "a thread that sleeps wakes up %.0f us late", us);
}
