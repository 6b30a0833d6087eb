/*
 * cpu.h - what the CPUs of this machine did during a run.
 */
#ifndef BENCH_MACHINE_CPU_H
#define BENCH_MACHINE_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* /proc/stat, since the start of the machine. */
struct cpu_ticks {
  bool known;
  uint64_t user, system; /* with nice; with interrupts */
  uint64_t interrupts;
  uint64_t idle, iowait, steal;
  uint64_t switches;
};

/* The sum over `set`; NULL: all, with context switches. */
void cpu_read_ticks(struct cpu_ticks *ret, const char *root,
                    const cpu_set_t *set);

/* Since the start of the machine, of the CPUs that the process may use. */
struct machine_counts {
  bool known; /* the first four */
  uint64_t busy_ns, interrupts_ns, steal_ns, idle_ns;
  uint64_t throttled_ns;
  uint64_t heat; /* times of slowing down */

  /* At this moment; 0: unknown. */
  double mhz;      /* of the fastest CPU */
  double base_mhz; /* guaranteed */
};

/* Of the CPUs that the process may use, in the measured part. */
struct machine_use {
  bool known;       /* the next three */
  uint64_t busy_ns; /* by all programs, summed up over CPUs */
  uint64_t interrupts_ns;
  uint64_t steal_ns;
  uint64_t throttled_ns; /* by the control group's quota */
  uint64_t heat;
  double mhz, base_mhz;       /* at the end; 0: unknown */
  double first_ghz, last_ghz; /* measured on busy CPUs in the first and last
                                 quarter; 0: unknown */

  /* Of other processes since the load began. */
  uint64_t server_ns; /* database servers */
  char server[16];    /* the busiest; "": none */
  uint64_t sibling_ns;
  char busiest[16]; /* of all others; "": unknown */
};

/* About 10 us per CPU. */
void machine_read(const char *root, struct machine_counts *ret);

void machine_between(const struct machine_counts *before,
                     const struct machine_counts *after,
                     struct machine_use *ret);

#endif
