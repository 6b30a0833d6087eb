/*
 * check.h - compares the rows of a table with generated rows.
 */
#ifndef BENCH_LOAD_CHECK_H
#define BENCH_LOAD_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "db/load/kind.h"

struct conn;
struct err;
struct pace;
struct strbuf;

struct expect {
  struct maker *maker; /* borrowed */
  unsigned key_at[KIND_KEYS], line_at;
  uint64_t key;   /* `text` has its rows; 0: none */
  uint64_t lines; /* how many */
  char *text;     /* owned; ROWS_PLAIN */
};

/* -ENOMEM.  expect_done() accepts a zeroed one. */
int expect_init(struct expect *e, struct maker *m);
void expect_done(struct expect *e);

/* The key of a row, and its line (1 if a key has one row).  False: no key of
 * the table. */
bool expect_place(const struct expect *e, const sql_value *values,
                  uint64_t *ret_key, uint64_t *ret_line);

uint64_t expect_lines(struct expect *e, uint64_t key);

/* Bit i: column i differs.  `line` is 1..expect_lines(). */
uint32_t expect_compare(struct expect *e, uint64_t key, uint64_t line,
                        const sql_value *values);

/*
 * Compares all rows, and adds their number to `pace` [opt].  `skip` [opt]:
 * columns to leave out, with commas. *faults stays empty if all are equal.
 * -EIO: the table cannot be read; -ENOMEM.
 */
int check_rows(struct conn *c, struct maker *m, const char *skip,
               struct pace *pace, struct strbuf *faults, struct err *err);

/* The same for rows without a key of the table. */
int check_others(struct conn *c, const struct maker *m, struct strbuf *faults,
                 struct err *err);

#endif
