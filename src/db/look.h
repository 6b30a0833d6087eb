/*
 * look.h - a look at the tables of a bundled script before it runs: are they
 * there, and do they have the rows that it will ask for?  And how large are the
 * data of any script?
 */
#ifndef BENCH_DB_LOOK_H
#define BENCH_DB_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct run_facts;
struct strbuf;

enum {
  LOOK_TABLES = 24, /* more are not looked at */
};

struct table_look {
  bool known;    /* the server has answered */
  uint64_t rows; /* the highest id: cheap to ask for, unlike a count, and what
                    keys are compared with; gaps are not seen */
};

struct tables_look {
  unsigned n; /* tables sbtest1 to sbtest<n> */
  struct table_look of[LOOK_TABLES];
  unsigned unused; /* tables beyond those; only known if the number of rows is
                      the default, and the tables have more */
};

/* One query per table on this open connection; what fails is not known. */
void look_at_tables(struct conn *c, const struct run_facts *facts,
                    struct tables_look *ret);

/* The number in the only row of the result of a query on this open connection;
 * false: there is none, and if the query has failed, c->out says why.  NULL, as
 * of an empty table, is 0.  WAITS for the answer. */
bool look_at_number(struct conn *c, const char *sql, uint64_t *ret);

/* Execute a statement without a result on this open connection; false: it has
 * failed, and c->out says why.  WAITS for the answer. */
bool look_executes(struct conn *c, const char *sql);

/* How many bytes the data have, as far as the server tells for little; false:
 * it does not. */
bool look_at_data(struct conn *c, uint64_t *ret);

/* The number of the session of the server that answers; its driver can ask. */
bool look_at_backend(struct conn *c, uint64_t *ret);

/* Warnings about tables whose highest id is below the keys that the run draws,
 * one line for successive tables. */
void look_warn(const struct tables_look *look, const struct run_facts *facts,
               struct strbuf *lines);

/* A warning about tables of which the run uses a part, because it has the
 * default number of rows. */
void look_warn_unused(const struct tables_look *look,
                      const struct run_facts *facts, struct strbuf *lines);

#endif
