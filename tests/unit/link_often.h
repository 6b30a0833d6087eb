/*
 * link_often.h - for tests whose server is a function link_query(): it keeps no
 * plans.
 */
#ifndef BENCH_TESTS_UNIT_LINK_OFTEN_H
#define BENCH_TESTS_UNIT_LINK_OFTEN_H

#include "monitor/link.h"

bool link_query_often(struct link *l, const char *sql,
                      void (*row)(void *ctx, const sql_value *v, unsigned n),
                      void *ctx)
{
  return link_query(l, sql, row, ctx);
}

#endif
