/*
 * resume.h - which chunks of a table an earlier load has left.
 */
#ifndef BENCH_LOAD_RESUME_H
#define BENCH_LOAD_RESUME_H

struct chunks;
struct conn;
struct err;
struct rows;

/*
 * Look at the table of `rows` and fill in *chunks.  -EINVAL: it holds other
 * rows than those of `rows`.
 */
int resume_find(struct conn *c, struct rows *rows, struct chunks *chunks,
                struct err *err);

#endif
