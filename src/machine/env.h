/*
 * env.h - the machine and system that a run uses, as facts: host, kernel,
 * processors, memory, limits, virtualisation, clock, disk.
 *
 * Each function adds its part, without what cannot be found out.  Files are
 * read below `root`, "" for the system itself.
 */
#ifndef BENCH_MACHINE_ENV_H
#define BENCH_MACHINE_ENV_H

#include <stdbool.h>
#include <stddef.h>

struct disk;
struct facts;

void env_host(struct facts *f, const char *root);
/* The clock that is used; call it after the run has started. */
void env_clock(struct facts *f, const char *root);
void env_cpu(struct facts *f, const char *root);
void env_limits(struct facts *f, const char *root);
void env_disk(struct facts *f, const struct disk *d);

/* ---- env_file.c: files of the kernel; only for the files env_*.c ---- */

/* Read the first line, without its end; false: there is none, and ret is "". */
bool env_line(const char *root, const char *name, char *ret, size_t size);

/*
 * Read a file of lines "KEY : VALUE" or "KEY = VALUE": the value of the first
 * line with this key.
 */
bool env_field(const char *root, const char *name, const char *key, char *ret,
               size_t size);

#endif
