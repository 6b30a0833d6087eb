/*
 * env.h - what a run runs on, as facts: host, kernel, processors, memory,
 * limits, virtualisation, clock, disk.
 *
 * Each function adds its part.  What cannot be found out is left out.  Files
 * are read below `root`, "" for the system itself.
 */
#ifndef BENCH_RESULTS_ENV_H
#define BENCH_RESULTS_ENV_H

struct disk;
struct facts;

void env_host(struct facts *f, const char *root);
/* The clock that was used: once the run has started. */
void env_clock(struct facts *f, const char *root);
void env_cpu(struct facts *f, const char *root);
void env_limits(struct facts *f, const char *root);
void env_disk(struct facts *f, const struct disk *d);

#endif
