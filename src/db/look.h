/*
 * look.h - questions to a server: do the tables of a bundled script have the
 * run's rows?
 */
#ifndef BENCH_DB_LOOK_H
#define BENCH_DB_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "db/process.h"

struct conn;
struct strbuf;

struct size_look {
  uint64_t tables; /* sbtest1 to sbtest<tables>; 0: none is readable */
  uint64_t rows;   /* the highest id of all; 0: no rows */
  bool other;      /* the next table differs */
  struct tables_look each;
};

void look_at_tables(struct conn *c, const struct run_facts *facts,
                    struct tables_look *ret);
void look_at_indexes(struct conn *c, struct tables_look *look);

/* Up to `most` tables; `alike`: with about as many rows as the first. */
void look_at_size(struct conn *c, uint64_t most, bool alike,
                  struct size_look *ret);

/* The only row's number; NULL is 0.  False: none; c->out has a failure.
 * WAITS. */
bool look_at_number(struct conn *c, const char *sql, uint64_t *ret);

/* False: c->out.  WAITS. */
bool look_executes(struct conn *c, const char *sql);

bool look_at_data(struct conn *c, uint64_t *ret);

bool look_at_backend(struct conn *c, uint64_t *ret);

void look_warn_missing(const struct tables_look *look, struct strbuf *lines);

void look_unindexed(const struct tables_look *look, struct strbuf *text);

/* Tables whose highest id is below the run's keys. */
void look_warn(const struct tables_look *look, const struct run_facts *facts,
               struct strbuf *lines);

#endif
