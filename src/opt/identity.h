/*
 * identity.h - the name and version under which the program presents itself.
 */
#ifndef BENCH_OPT_IDENTITY_H
#define BENCH_OPT_IDENTITY_H

#include "opt/opt.h"

enum identity {
  IDENTITY_BENCH,
  IDENTITY_SYSBENCH, /* called by this name, through a link or a copy */
};

/* argv[0] may be NULL. */
enum identity identity_of(const char *argv0);

const char *identity_name(enum identity id);

const char *identity_version(enum identity id, enum compat level);

#endif
