/*
 * old_names.h - option names that bench does not have: those of sysbench 0.4
 * and 0.5, and those that other programs use.
 */
#ifndef BENCH_OPT_OLD_NAMES_H
#define BENCH_OPT_OLD_NAMES_H

#include <stdbool.h>

struct old_name {
  const char *name;   /* with `-` */
  bool other;         /* from another program, not from an old sysbench */
  const char *now;    /* [opt] "NAME" or "NAME=VALUE": what to write instead */
  const char *advice; /* [opt] the rest of "--NAME ...", if there is no `now` */
};

/* `-` and `_` are equal.  NULL: the name is not one of them. */
const struct old_name *old_name_find(const char *name);

#endif
