/*
 * resume.h - finds the chunks of a table that an earlier load has filled.
 */
#ifndef BENCH_LOAD_RESUME_H
#define BENCH_LOAD_RESUME_H

struct chunks;
struct conn;
struct err;
struct maker;

/*
 * Look at the table of `m` and fill in *chunks.  Returns -EINVAL if its rows
 * are not those that `m` makes.
 */
int resume_find(struct conn *c, struct maker *m, struct chunks *chunks,
                struct err *err);

#endif
