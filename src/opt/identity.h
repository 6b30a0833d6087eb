/*
 * identity.h - under which name and version the program presents itself.
 */
#ifndef BENCH_OPT_IDENTITY_H
#define BENCH_OPT_IDENTITY_H

#include "opt/opt.h"

enum identity {
  IDENTITY_BENCH,
  IDENTITY_SYSBENCH, /* called by this name, through a link or a copy */
};

/* From argv[0], which may be NULL. */
enum identity identity_of(const char *argv0);

/* "bench" or "sysbench", for usage, help and hints. */
const char *identity_name(enum identity id);

/* Name and version, as in the header and for --version. */
const char *identity_version(enum identity id, enum compat level);

#endif
