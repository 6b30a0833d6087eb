/*
 * slo_group.h - judges results by an objective, from their documents.
 */
#ifndef BENCH_TOOLS_SLO_GROUP_H
#define BENCH_TOOLS_SLO_GROUP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/table.h"

struct err;
struct group;
struct groups;
struct slo;
struct slo_verdict;
struct strbuf;

/* The verdicts on all groups of several files. */
struct slo_table {
  const struct slo *slo; /* borrowed */
  bool steps;            /* set by the first row: rows name theirs */
  struct table table;    /* owned */
  json_t *list;          /* owned: for documents */
};

/* To start, set {0} and `slo`. */
void slo_table_done(struct slo_table *t);

/* Add a row per group.  *ret_missed is set if one has missed the objective. */
int slo_table_add(struct slo_table *t, const struct groups *g, bool *ret_missed,
                  struct err *err);

/* The table, followed by an empty line. */
void slo_table_print(const struct slo_table *t, enum table_format format,
                     struct strbuf *out);

#endif
