/*
 * check.h - compares the rows of a table with those that a load makes.
 */
#ifndef BENCH_LOAD_CHECK_H
#define BENCH_LOAD_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "load/kind.h"

struct conn;
struct err;
struct maker;
struct pace;
struct strbuf;

struct expect {
  struct maker *maker; /* borrowed */
  unsigned key_at[KIND_KEYS], line_at;
  uint64_t key;   /* `text` has its rows; 0: none */
  uint64_t lines; /* how many */
  char *text;     /* owned; in plain form */
};

/* Returns -ENOMEM; expect_done() accepts a zeroed one. */
int expect_init(struct expect *e, struct maker *m);
void expect_done(struct expect *e);

/* The key of a row with these values, and its line (1 if a key has one row).
 * False: there is no such key. */
bool expect_place(const struct expect *e, const sql_value *values,
                  uint64_t *ret_key, uint64_t *ret_line);

/* The number of rows of a key. */
uint64_t expect_lines(struct expect *e, uint64_t key);

/* A bit for each column whose value differs from that of the row: bit 0 is the
 * first column.  `line` is 1..expect_lines(). */
uint32_t expect_compare(struct expect *e, uint64_t key, uint64_t line,
                        const sql_value *values);

/*
 * Compare the rows of all keys, and add their number to `pace` [opt].  The
 * columns in `skip` [opt], with commas between them, are not compared.  The
 * differences are described in *faults, which stays empty if there are none.
 * Returns -EIO if the table cannot be read, or -ENOMEM.
 */
int check_rows(struct conn *c, struct maker *m, const char *skip,
               struct pace *pace, struct strbuf *faults, struct err *err);

/* The same for rows that have no key of the table. */
int check_others(struct conn *c, const struct maker *m, struct strbuf *faults,
                 struct err *err);

#endif
