/*
 * client.h - what on this machine costs latencies: CPU clocks, idle states,
 * interrupts, load, late wake-ups.
 *
 * Files are read below `root` ("": the system); unreadable files give no
 * finding.
 */
#ifndef BENCH_DOCTOR_CLIENT_H
#define BENCH_DOCTOR_CLIENT_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

struct findings;

/* Interrupts on the CPUs of the run. */
struct client_irq {
  unsigned number;
  uint64_t count;
  char name[48]; /* device */
};

/* Counters. */
struct client_counts {
  /* Ticks of all programs; 0: not known. */
  uint64_t busy, stolen, all;
  struct client_irq *irqs; /* owned */
  size_t n_irqs;
};

/* Of `cpus`. */
void client_governors(struct findings *to, const char *root,
                      const cpu_set_t *cpus);

/* Of these CPUs. */
void client_idle_states(struct findings *to, const char *root,
                        const cpu_set_t *cpus);

void client_counts_read(struct client_counts *ret, const char *root,
                        const cpu_set_t *cpus);
void client_counts_done(struct client_counts *c);

/* Between readings `seconds` apart, in which this program slept. */
void client_load(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, const cpu_set_t *cpus);
void client_irqs(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, double seconds);

/* The median delay of sleeps of some milliseconds, in ns. */
uint64_t client_wakeup_ns(void);
void client_wakeups(struct findings *to, uint64_t late_ns);

#endif
