/*
 * check.h - compares the rows of a table with those that a load makes.
 */
#ifndef BENCH_LOAD_CHECK_H
#define BENCH_LOAD_CHECK_H

#include <stdbool.h>

struct conn;
struct err;
struct maker;
struct pace;
struct strbuf;

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
