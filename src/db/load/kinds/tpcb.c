/*
 * tpcb.c - the tables of pgbench, as after `pgbench -i`: ten tellers and
 * 100,000 accounts per branch, an empty history.  Fillers of branches and
 * tellers stay NULL.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "db/load/kinds/kind_list.h"

enum {
  SCALE,
};

enum {
  TELLERS = 10, /* per branch */
  ACCOUNTS = 100000,
  SCALE_MAX = 19999, /* pgbench has 64-bit numbers above */
  /* The largest comes first, for the other threads. */
  TABLE_ACCOUNTS = 1,
  TABLE_BRANCHES,
  TABLE_TELLERS,
  TABLE_HISTORY,
  TABLES = TABLE_HISTORY,
};

static const char *const params[] = { "scale", NULL };
static const char *const account[] = { "aid", "bid", "abalance", "filler" };
static const char *const branch[] = { "bid", "bbalance" };
static const char *const teller[] = { "tid", "bid", "tbalance" };

static const struct {
  const char *name;
  const char *const *columns;
  unsigned n;
  const char *types;
  unsigned per_branch, disk_bytes[SPACE_SERVERS];
} tables[TABLES + 1] = {
  [TABLE_ACCOUNTS] = { "pgbench_accounts",
                       account,
                       4,
                       "iiit",
                       ACCOUNTS,
                       { 157, 131, 12 } },
  [TABLE_BRANCHES] = { "pgbench_branches", branch, 2, "ii", 1, { 60, 60, 12 } },
  [TABLE_TELLERS] = { "pgbench_tellers",
                      teller,
                      3,
                      "iii",
                      TELLERS,
                      { 60, 60, 12 } },
  [TABLE_HISTORY] = { .name = "pgbench_history" },
};

static int tpcb_check(const struct kind_args *args, struct err *err)
{
  if (args->value[SCALE] >= 1 && args->value[SCALE] <= SCALE_MAX)
    return 0;
  return err_set(err, -EINVAL,
                 "--scale must be from 1 to %d, because the number of an "
                 "account has 32 bits",
                 SCALE_MAX);
}

static void tpcb_describe(const struct kind_args *args, uint64_t number,
                          struct kind_table *ret)
{
  (void)strcpy(ret->name, tables[number].name);
  ret->columns = tables[number].columns;
  ret->n = tables[number].n;
  ret->types = tables[number].types;
  memcpy(ret->disk_bytes, tables[number].disk_bytes, sizeof(ret->disk_bytes));
  ret->bytes_max = 5 * ROW_INT_MAX;
  if (tables[number].n > 0) {
    ret->key[0] = (struct kind_key){
      .name = tables[number].columns[0],
      .first = 1,
      .count = args->value[SCALE] * tables[number].per_branch,
    };
    ret->keys = 1;
  }
}

/* Key, branch (except for branches), balance, blank filler (for accounts). */
static size_t tpcb_put(struct maker *m, enum rows_form form, uint64_t key,
                       char *to)
{
  struct row row;

  row_begin(&row, form, m->table.n, to);
  row_int(&row, (int64_t)key);
  if (m->number != TABLE_BRANCHES)
    row_int(&row, (int64_t)((key - 1) / tables[m->number].per_branch + 1));
  row_int(&row, 0);
  if (m->number == TABLE_ACCOUNTS)
    row_text(&row, "", 0);
  return (size_t)(row_end(&row) - to);
}

const struct kind kind_tpcb = {
  .name = "tpcb",
  .params = params,
  .tables = TABLES,
  .check = tpcb_check,
  .describe = tpcb_describe,
  .put = tpcb_put,
  .depends = "--scale",
  .size_option = "--scale",
  .fewer = "a smaller --scale",
};
