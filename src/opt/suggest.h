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
  int edits;         /* how far it is; at first: how far it may be */
  bool several;      /* there is another one as near */
};

/* Offer all known names in turn, then ask for the result. */
void suggest_init(struct suggest *s, const char *typed);
void suggest_offer(struct suggest *s, const char *name);

/* The nearest name within two single-character edits, in any letter case; NULL:
 * there is none, or there are several as near. */
const char *suggest_result(const struct suggest *s);

/* Names are equal when `-` and `_` count as the same character. */
bool opt_name_equal(const char *a, const char *b);

/* One of the rows has this name. */
bool opt_rows_have(const struct opt *rows, const char *name);

#endif
