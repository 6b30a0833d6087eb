/*
 * sampler.h - CPUs, the disk under test, the network, and pressure in an
 * interval.
 */
#ifndef BENCH_MACHINE_SAMPLER_H
#define BENCH_MACHINE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/machine/cpu.h"
#include "base/machine/pressure.h"

enum {
  SYSTEM_SECTOR = 512 /* for all disks */
};

/* Since the start of the machine, in the kernel's units. */
struct system_counts {
  bool has_disk, has_net;
  struct cpu_ticks cpu;
  uint64_t own_ns; /* of this process */
  bool has_waited;
  uint64_t waited_ns; /* of its first threads, for a CPU */
  uint64_t reads, writes, read_sectors, written_sectors, busy_ms;
  uint64_t received, sent, loopback; /* bytes; the first two without loopback */
};

struct sampler {
  char root[64];
  char device[64]; /* "": no disk */
  struct system_counts last;
  struct pressure_counts last_pressure;
  uint64_t last_ns;
};

struct system_use {
  bool has_cpu, has_disk, has_net;
  uint64_t period_ns;
  double user, system, iowait, idle, steal; /* of all ticks, 0..1 */
  double switches_per_s;
  bool has_waited;
  double waiting; /* of the first threads of this program, on average */
  double others;  /* CPUs used by other programs */
  uint64_t reads, writes, read_bytes, written_bytes;
  double busy; /* share of the time with a request, 0..1 */
  uint64_t received_bytes, sent_bytes, loopback_bytes;
  struct pressure_use pressure;
};

/* `device`: a disk, or "". */
void sampler_read(const char *root, const char *device,
                  struct system_counts *ret);

void sampler_start(struct sampler *w, const char *root, const char *device,
                   uint64_t now_ns);

/* Since the last call. */
void sampler_next(struct sampler *w, uint64_t now_ns, struct system_use *ret);

#endif
