/*
 * suggest.h - which known name a misspelt one probably meant.
 */
#ifndef BENCH_OPT_SUGGEST_H
#define BENCH_OPT_SUGGEST_H

#include <stdbool.h>

struct opt;

struct suggest {
  const char *typed; /* borrowed */
  const char *found; /* the nearest name within two edits, borrowed */
  int edits;         /* distance of `found`; at first: the maximum */
  bool several;      /* another name is just as near */
};

/* Call suggest_offer() with all known names in turn, then suggest_result(). */
void suggest_init(struct suggest *s, const char *typed);
void suggest_offer(struct suggest *s, const char *name);

/* The nearest name within two single-character edits, in any letter case; NULL:
 * there is none, or several are equally near. */
const char *suggest_result(const struct suggest *s);

/* Names are equal when `-` and `_` count as the same character. */
bool opt_name_equal(const char *a, const char *b);

/* Does one of the rows have this name? */
bool opt_rows_have(const struct opt *rows, const char *name);

/* Names that bench does not have: those of sysbench 0.4 and 0.5, and of other
 * programs. */
struct old_name {
  const char *name;   /* with `-` */
  bool other;         /* from another program, not from an old sysbench */
  const char *now;    /* [opt] "NAME" or "NAME=VALUE": what to write instead */
  const char *advice; /* [opt] the rest of "--NAME ...", if there is no `now` */
};

/* `-` and `_` are equal.  NULL: the name is not one of them. */
const struct old_name *old_name_find(const char *name);

#endif
