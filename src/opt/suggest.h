/*
 * suggest.h - the known name that a misspelt one probably meant.
 */
#ifndef BENCH_OPT_SUGGEST_H
#define BENCH_OPT_SUGGEST_H

#include <stdbool.h>

struct opt;

struct suggest {
  const char *typed; /* borrowed */
  const char *found; /* borrowed; the nearest */
  int edits;         /* of `found`; at first the maximum */
  bool several;      /* another is as near */
};

/* Offer all known names in turn. */
void suggest_init(struct suggest *s, const char *typed);
void suggest_offer(struct suggest *s, const char *name);

/* The nearest name within two edits, in any letter case; NULL: none, or
 * several. */
const char *suggest_result(const struct suggest *s);

/* `-` and `_` are equal. */
bool opt_name_equal(const char *a, const char *b);

bool opt_rows_have(const struct opt *rows, const char *name);

/* Names of sysbench 0.4 and 0.5, and of other programs. */
struct old_name {
  const char *name;   /* with `-` */
  bool other;         /* not from an old sysbench */
  const char *now;    /* [opt] replacement: "NAME" or "NAME=VALUE" */
  const char *advice; /* [opt] the rest of "--NAME ...", without `now` */
};

/* `-` and `_` are equal. */
const struct old_name *old_name_find(const char *name);

#endif
