/*
 * suggest.h - which known name a misspelt one probably meant.
 */
#ifndef BENCH_OPT_SUGGEST_H
#define BENCH_OPT_SUGGEST_H

#include <stdbool.h>

struct opt;

struct suggest {
  const char *typed; /* borrowed */
  const char *found; /* a name within two edits, borrowed */
  bool several;      /* there is another one */
};

/* Offer all known names in turn, then ask for the result. */
void suggest_init(struct suggest *s, const char *typed);
void suggest_offer(struct suggest *s, const char *name);

/* The only name within two single-character edits, or NULL. */
const char *suggest_result(const struct suggest *s);

/* Names are equal when `-` and `_` count as the same character. */
bool opt_name_equal(const char *a, const char *b);

/* One of the rows has this name. */
bool opt_rows_have(const struct opt *rows, const char *name);

#endif
