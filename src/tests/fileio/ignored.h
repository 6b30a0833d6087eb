/*
 * ignored.h - warnings about options that have no effect beside others.
 *
 * They are no errors: command lines for several modes, and those of sysbench,
 * have such options.
 */
#ifndef BENCH_TESTS_FILEIO_IGNORED_H
#define BENCH_TESTS_FILEIO_IGNORED_H

#include <stdbool.h>

struct fileio_cfg;

/* Prints a warning for each option without effect.  run: the run command; else
 * only what concerns prepare. */
void ignored_warn(const struct fileio_cfg *cfg, bool run);

#endif
