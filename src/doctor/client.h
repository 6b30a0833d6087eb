/*
 * client.h - what on this machine costs latencies while a run measures them:
 * the clock of processors, deep idle states, interrupts of devices, the load of
 * other programs, late wake-ups.
 *
 * Files are read below `root`, which is "" for the system itself.  What cannot
 * be read has no finding.
 */
#ifndef BENCH_DOCTOR_CLIENT_H
#define BENCH_DOCTOR_CLIENT_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

struct findings;

/* How often an interrupt came to the processors of the run. */
struct client_irq {
  unsigned number;
  uint64_t count;
  char name[48]; /* of its device */
};

/* Counters that only grow. */
struct client_counts {
  /* Processor time of all programs, in ticks; all 0: not known. */
  uint64_t busy, stolen, all;
  struct client_irq *irqs; /* owned */
  size_t n_irqs;
};

/* Governors of the processors in `cpus`. */
void client_governors(struct findings *to, const char *root,
                      const cpu_set_t *cpus);

/* The idle states that these processors may enter. */
void client_idle_states(struct findings *to, const char *root,
                        const cpu_set_t *cpus);

void client_counts_read(struct client_counts *ret, const char *root,
                        const cpu_set_t *cpus);
void client_counts_done(struct client_counts *c);

/* What happened from one reading to another in which this program slept, so
 * that all load comes from others; they are `seconds` apart. */
void client_load(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, const cpu_set_t *cpus);
void client_irqs(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, double seconds);

/* Sleep a few milliseconds: how late half of the sleeps ended, in
 * nanoseconds. */
uint64_t client_wakeup_ns(void);
void client_wakeups(struct findings *to, uint64_t late_ns);

#endif
