/*
 * db_figures.h - a database's part of the results; see struct test_ops.
 */
#ifndef BENCH_DB_FIGURES_DB_FIGURES_H
#define BENCH_DB_FIGURES_DB_FIGURES_H

struct db_process;
struct warnings;
struct plan;
struct report;
struct tally;
struct test_details;

void db_figures_details(struct db_process *db, struct test_details *ret);
void db_figures_whole(struct db_process *db, const struct test_details *whole);

/* Reads without rows, no wait for the disk, workers kept waiting after the
 * end. */
void db_figures_doubts(struct db_process *db, const struct plan *plan,
                       const struct report *total, struct warnings *to);

void db_figures_tally(struct db_process *db, struct tally *to);

void db_figures_statement_times(struct db_process *db, struct report *r);

#endif
