/*
 * sbtest.c - the tables of the OLTP scripts: sbtest1, sbtest2, ...
 */
#include <inttypes.h>
#include <stdio.h>

#include "db/load/kinds/kind_list.h"
#include "db/load/rows.h"

enum {
  SIZE /* the parameter */
};

static const char *const params[] = { "table_size", NULL };
static const char *const columns[] = { "id", "k", "c", "pad" };

static void sbtest_describe(const struct kind_args *args, uint64_t number,
                            struct kind_table *ret)
{
  (void)snprintf(ret->name, sizeof(ret->name), "sbtest%" PRIu64, number);
  ret->columns = columns;
  ret->n = 4;
  ret->types = "iitt";
  ret->key[0] = (struct kind_key){ "id", 1, args->value[SIZE] };
  ret->keys = 1;
  ret->bytes_max = ROWS_MAX;
  kind_set_disk(ret, 255, 250, 220);
}

static void sbtest_begin(struct maker *m)
{
  rows_init(m->state, m->args.rand, m->args.seed, m->number,
            m->args.value[SIZE]);
}

static size_t sbtest_put(struct maker *m, enum rows_form form, uint64_t key,
                         char *to)
{
  return rows_put(m->state, form, key, to);
}

const struct kind kind_sbtest = {
  .name = "sbtest",
  .params = params,
  .describe = sbtest_describe,
  .state_size = sizeof(struct rows),
  .begin = sbtest_begin,
  .put = sbtest_put,
  .depends = "--rand-seed, --rand-type and --table-size",
  .size_option = "--table-size",
  .fewer = "fewer --tables or a smaller --table-size",
};
