/*
 * differential.h - statements made at random, for the comparison of protocols.
 */
#ifndef TESTS_DB_DIFFERENTIAL_H
#define TESTS_DB_DIFFERENTIAL_H

#include "base/strbuf.h"
#include "suite.h"

enum {
  MADE_PARAMS = 6,
  MADE_TEXT = 70000, /* longest parameter */
};

/* One statement, the same for both sides. */
struct made {
  uint64_t random; /* the state of the generator; set before the first */
  struct strbuf sql;
  bool prepared, fetch;
  bool leave;    /* results behind the first are not asked for */
  bool fresh;    /* the statement in `slot` is another one: prepare anew */
  unsigned slot; /* where it stays prepared */
  size_t n_binds;
  sql_bind binds[MADE_PARAMS];

  /* Of the parameters. */
  union {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f;
    double d;
  } number[MADE_PARAMS];
  char *text[MADE_PARAMS]; /* owned */
  unsigned long len[MADE_PARAMS];
  char is_null[MADE_PARAMS];
  struct strbuf in_slot[16]; /* what is prepared there */
};

/* What differs between servers. */
struct dialect {
  const char *driver;
  const char *wire, *library;     /* options */
  const char *const *setup;       /* on each connection; ends with NULL */
  const char *const *expressions; /* that have a value; ends with NULL */
  const char *const *statements;  /* with and without errors */
  const char *const *several;     /* more than one result, direct */
  const char *const *procedures;  /* the same, prepared */
};

/* By --driver=NAME; NULL: none. */
const struct dialect *dialect_of(int argc, char **argv);

/* The next one; `aborted`: nothing but ROLLBACK has a chance. */
void make_statement(struct made *m, const struct dialect *d, bool aborted,
                    unsigned slots);
void made_done(struct made *m);

#endif
