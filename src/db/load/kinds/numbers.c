/*
 * numbers.c - the tables of the scripts counter and bank: a key and numbers.
 */
#include <errno.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/err.h"
#include "db/load/kinds/kind_list.h"

enum {
  ROWS,  /* parameter */
  FIRST, /* parameter of the bank: the second column */
  NUMBERS_MAX = 100 * 1000 * 1000,
};

static const char *const counter_params[] = { "hot_rows", NULL };
static const char *const counter_columns[] = { "id", "n" };
static const char *const bank_params[] = { "accounts", "balance", NULL };
static const char *const bank_columns[] = { "id", "balance", "transfers",
                                            "version" };

static int numbers_check(const struct kind_args *args, const char *option,
                         struct err *err)
{
  if (args->value[ROWS] >= 1 && args->value[ROWS] <= NUMBERS_MAX)
    return 0;
  return err_set(err, -EINVAL, "%s must be from 1 to %d", option, NUMBERS_MAX);
}

static int check_counter(const struct kind_args *args, struct err *err)
{
  return numbers_check(args, "--hot-rows", err);
}

static int check_bank(const struct kind_args *args, struct err *err)
{
  return numbers_check(args, "--accounts", err);
}

static void numbers_describe(const struct kind_args *args, const char *name,
                             const char *const *columns, unsigned n,
                             struct kind_table *ret)
{
  (void)snprintf(ret->name, sizeof(ret->name), "%s", name);
  ret->columns = columns;
  ret->n = n;
  ret->types = "iiii";
  ret->key[0] = (struct kind_key){ columns[0], 1, args->value[ROWS] };
  ret->keys = 1;
  ret->bytes_max = ROW_HEAD + 4 * ROW_INT_MAX;
}

static void numbers_describe_counter(const struct kind_args *args,
                                     uint64_t number, struct kind_table *ret)
{
  (void)number;
  numbers_describe(args, "counter_rows", counter_columns,
                   ARRAY_SIZE(counter_columns), ret);
  kind_set_disk(ret, 73, 35, 9);
}

static void numbers_describe_bank(const struct kind_args *args, uint64_t number,
                                  struct kind_table *ret)
{
  (void)number;
  numbers_describe(args, "bank_accounts", bank_columns,
                   ARRAY_SIZE(bank_columns), ret);
  kind_set_disk(ret, 89, 51, 13);
}

/* The counter's second parameter is 0. */
static size_t numbers_put(struct maker *m, enum rows_form form, uint64_t key,
                          char *to)
{
  struct row row;

  row_begin(&row, form, m->table.n, to);
  row_int(&row, (int64_t)key);
  row_long(&row, (int64_t)m->args.value[FIRST]);
  for (unsigned i = 2; i < m->table.n; i++)
    row_long(&row, 0);
  return (size_t)(row_end(&row) - to);
}

const struct kind kind_counter = {
  .name = "counter",
  .params = counter_params,
  .tables = 1,
  .check = check_counter,
  .describe = numbers_describe_counter,
  .put = numbers_put,
  .depends = "--hot-rows",
  .size_option = "--hot-rows",
  .fewer = "fewer --hot-rows",
};

const struct kind kind_bank = {
  .name = "bank",
  .params = bank_params,
  .tables = 1,
  .check = check_bank,
  .describe = numbers_describe_bank,
  .put = numbers_put,
  .depends = "--accounts and --balance",
  .size_option = "--accounts",
  .fewer = "fewer --accounts",
};
