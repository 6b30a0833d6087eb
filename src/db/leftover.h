/*
 * leftover.h - what a statement leaves in its session beyond the transaction; a
 * pure function.
 */
#ifndef BENCH_DB_LEFTOVER_H
#define BENCH_DB_LEFTOVER_H

#include <stddef.h>

enum {
  LEFTOVERS_MAX = 32
};

/*
 * Judged by its first words; `dialect`: enum emul_flags.  -1: nothing.  Or the
 * number of its kind, below LEFTOVERS_MAX; *ret says in words what it is
 * (static).
 */
int leftover_of(const char *sql, size_t len, unsigned dialect,
                const char **ret);

#endif
