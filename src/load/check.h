/*
 * check.h - are the rows of a table those that a load makes?
 */
#ifndef BENCH_LOAD_CHECK_H
#define BENCH_LOAD_CHECK_H

struct conn;
struct err;
struct pace;
struct rows;
struct strbuf;

/*
 * Compare all rows with ids 1..size, and add them to `pace` [opt].  *faults
 * gets what differs, in words; nothing if all is well.  -EIO when the table
 * cannot be read.
 */
int check_rows(struct conn *c, struct rows *rows, struct pace *pace,
               struct strbuf *faults, struct err *err);

#endif
