/*
 * env.h - the machine and system that a run uses, as facts: host, kernel,
 * processors, memory, limits, virtualisation, clock, disk.
 *
 * Each function adds its part, without what cannot be found out.  Files are
 * read below `root`, "" for the system itself.
 */
#ifndef BENCH_MACHINE_ENV_H
#define BENCH_MACHINE_ENV_H

struct disk;
struct facts;

void env_host(struct facts *f, const char *root);
/* The clock that is used; call it after the run has started. */
void env_clock(struct facts *f, const char *root);
void env_cpu(struct facts *f, const char *root);
void env_limits(struct facts *f, const char *root);
void env_disk(struct facts *f, const struct disk *d);

#endif
