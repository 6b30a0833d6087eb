/*
 * sweep_spec.h - what one --sweep=OPTION:VALUES says: an option and the values
 * that it is to have, one after the other.
 *
 * VALUES is a list of items with commas between them (`\,` is a comma inside
 * of a value).  An item is a value, or a range of numbers:
 *
 *   A..B      A, A + 1, ... up to B
 *   A..B+S    A, A + S, A + 2 S, ... up to B
 *   A..B*F    A, A F, A F F, ... up to B
 *
 * Numbers of ranges may have decimals, or the suffix K, M, G or T.
 */
#ifndef BENCH_TOOLS_SWEEP_SPEC_H
#define BENCH_TOOLS_SWEEP_SPEC_H

#include <stdbool.h>
#include <stddef.h>

struct err;

enum {
  SWEEP_VALUES_MAX = 1000,
};

struct sweep_spec {
  char *option;  /* owned; as given, without dashes */
  char **values; /* owned; in the order given, all different */
  size_t n;
};

/* -EINVAL: `err` says what is wrong with the text; -ENOMEM. */
int sweep_spec_parse(struct sweep_spec *ret, const char *text, struct err *err);
void sweep_spec_done(struct sweep_spec *spec);

/* Is this the text of a sweep?  (For the row of the option.) */
bool sweep_spec_is_valid(const char *text);

#endif
