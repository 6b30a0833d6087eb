/*
 * look.h - questions of the layer to a server; do the tables of a bundled
 * script have the rows of the run?
 */
#ifndef BENCH_DB_LOOK_H
#define BENCH_DB_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct run_facts;
struct strbuf;

enum {
  LOOK_TABLES = 24,
};

struct table_look {
  bool known;
  uint64_t rows; /* the highest id: cheaper than a count; gaps are not seen */
};

struct tables_look {
  unsigned n; /* tables sbtest1 to sbtest<n> */
  struct table_look of[LOOK_TABLES];
  unsigned unused; /* further tables; known only if the default number of rows
                      is used, and tables have more */
};

/* One query per table on this open connection. */
void look_at_tables(struct conn *c, const struct run_facts *facts,
                    struct tables_look *ret);

/* The number in the only row of a query on this open connection; NULL is 0.
 * False: none, and c->out says whether the query failed.  WAITS. */
bool look_at_number(struct conn *c, const char *sql, uint64_t *ret);

/* A statement without a result on this open connection; false: c->out.
 * WAITS. */
bool look_executes(struct conn *c, const char *sql);

/* Bytes of the data, if the server has them at hand. */
bool look_at_data(struct conn *c, uint64_t *ret);

/* The number of the answering session; driver->backend_query is set. */
bool look_at_backend(struct conn *c, uint64_t *ret);

/* Warnings about tables whose highest id is below the run's keys. */
void look_warn(const struct tables_look *look, const struct run_facts *facts,
               struct strbuf *lines);

/* A warning about tables of which the run uses a part by default. */
void look_warn_unused(const struct tables_look *look,
                      const struct run_facts *facts, struct strbuf *lines);

#endif
