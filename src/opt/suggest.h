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

/*
 * The nearest name within two single-character edits, in any letter case; NULL:
 * there is none, or several are equally near.
 */
const char *suggest_result(const struct suggest *s);

/* Names are equal when `-` and `_` count as the same character. */
bool opt_name_equal(const char *a, const char *b);

/* Does one of the rows have this name? */
bool opt_rows_have(const struct opt *rows, const char *name);

#endif
