/*
 * ignore.h - which errors are ignorable: lists given as options.
 */
#ifndef BENCH_DB_IGNORE_H
#define BENCH_DB_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "opt/opt.h"

struct outcome;

struct ignore_list {
  bool all, connection;
  bool failover; /* a server that refuses its service is left, too */
  size_t n_codes, n_states, n_classes;
  int *codes; /* owned, as the others */
  char (*states)[6];
  char (*classes)[3];
};

/* How the digits of an item are to be read. */
enum ignore_kind {
  IGNORE_NUMBERS, /* any digits are a native number 0..65535 */
  /*
   * One to four digits: a native number; five characters: a SQLSTATE; two:
   * a class (two digits are both).
   */
  IGNORE_ANY,
};

/*
 * Add the items to *l ({0} is empty).  `connection_codes` as in struct driver.
 * -EINVAL: an item is nothing of the above.
 */
int ignore_add(struct ignore_list *l, const struct opt_list *items,
               enum ignore_kind kind, const int *connection_codes,
               struct err *err);
void ignore_done(struct ignore_list *l);

/* For option rows: the whole text of an item (or list) would be accepted. */
bool ignore_text_ok(const char *text);

/* The failure `out` is in the list. */
bool ignore_has(const struct ignore_list *l, const struct outcome *out);

#endif
