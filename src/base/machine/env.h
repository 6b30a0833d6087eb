/*
 * env.h - facts about the machine and the system: host, kernel, CPUs, memory,
 * limits, virtualisation, clock, disk. Unknown facts are left out.
 */
#ifndef BENCH_MACHINE_ENV_H
#define BENCH_MACHINE_ENV_H

struct disk;
struct facts;

void env_host(struct facts *f, const char *root);
/* After the run has started. */
void env_clock(struct facts *f, const char *root);
void env_cpu(struct facts *f, const char *root);
void env_limits(struct facts *f, const char *root);
void env_disk(struct facts *f, const struct disk *d);

#endif
