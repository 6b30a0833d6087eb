/*
 * check.h - compares the rows of a table with those that a load makes.
 */
#ifndef BENCH_LOAD_CHECK_H
#define BENCH_LOAD_CHECK_H

struct conn;
struct err;
struct pace;
struct rows;
struct strbuf;

/*
 * Compare all rows with ids 1..size, and add their number to `pace` [opt].  The
 * differences are described in *faults, which stays empty if there are none.
 * Returns -EIO if the table cannot be read.
 */
int check_rows(struct conn *c, struct rows *rows, struct pace *pace,
               struct strbuf *faults, struct err *err);

#endif
