/*
 * ycsb.c - the table of the ycsb script as a kind of tables.
 *
 * The loader sees the keys in the order of the table, so rows with hashed keys
 * are loaded in the order of their index as well.
 */
#include "load/kinds/ycsb.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "load/kinds/kind_list.h"

static const char *const params[] = { "records",  "fields",  "length",
                                      "int_keys", "ordered", NULL };

static const char *const columns[YCSB_FIELDS_MAX + 1] = {
  "ycsb_key", "field0",  "field1",  "field2",  "field3",  "field4",  "field5",
  "field6",   "field7",  "field8",  "field9",  "field10", "field11", "field12",
  "field13",  "field14", "field15", "field16", "field17", "field18", "field19",
};

static int check(const struct kind_args *args, struct err *err)
{
  static const struct {
    const char *name;
    uint64_t min, max;
  } limit[] = {
    [YCSB_RECORDS] = { "records", 1, YCSB_RECORDS_MAX },
    [YCSB_FIELDS] = { "fields", 1, YCSB_FIELDS_MAX },
    [YCSB_LENGTH] = { "field-length", YCSB_HEAD, YCSB_LENGTH_MAX },
  };

  for (unsigned i = YCSB_RECORDS; i <= YCSB_LENGTH; i++) {
    if (args->value[i] < limit[i].min || args->value[i] > limit[i].max)
      return err_set(err, -EINVAL, "--%s must be from %" PRIu64 " to %" PRIu64,
                     limit[i].name, limit[i].min, limit[i].max);
  }
  return 0;
}

static void describe(const struct kind_args *args, uint64_t number,
                     struct kind_table *ret)
{
  const uint64_t fields = args->value[YCSB_FIELDS];
  const uint64_t length = args->value[YCSB_LENGTH];
  struct ycsb y;

  (void)number;
  ycsb_init(&y, args);
  (void)strcpy(ret->name, YCSB_TABLE);
  ret->columns = columns;
  ret->n = (unsigned)fields + 1;
  ret->types = y.int_keys ? "itttttttttttttttttttt" : "ttttttttttttttttttttt";
  ret->key[0] = (struct kind_key){
    .name = columns[0],
    .first = y.gap,
    .count = y.records,
    .step = y.gap,
    .prefix = y.int_keys ? NULL : YCSB_PREFIX,
  };
  ret->keys = 1;
  ret->bytes_max = ROW_HEAD + ROW_INT_MAX + ROW_TEXT_HEAD +
                   fields * (ROW_TEXT_HEAD + length);
  ret->disk_bytes = (unsigned)(60 + fields * (length + 2) * 11 / 10);
}

static void begin(struct maker *m)
{
  ycsb_init(m->state, &m->args);
}

static size_t put(struct maker *m, enum rows_form form, uint64_t key, char *to)
{
  static const struct ycsb_version first = { .whole = true };
  const struct ycsb *y = m->state;
  const uint64_t place = key * y->gap;
  const uint64_t number = ycsb_number(y, place);
  char text[YCSB_LENGTH_MAX];
  struct row row;

  row_begin(&row, form, m->table.n, to);
  if (y->int_keys) {
    row_long(&row, (int64_t)place);
  } else {
    ycsb_key(place, text);
    row_text(&row, text, YCSB_KEY);
  }
  for (unsigned i = 0; i < y->fields; i++) {
    ycsb_field(y, number, i, first, text);
    row_text(&row, text, y->length);
  }
  return (size_t)(row_end(&row) - to);
}

const struct kind kind_ycsb = {
  .name = "ycsb",
  .params = params,
  .tables = 1,
  .check = check,
  .describe = describe,
  .state_size = sizeof(struct ycsb),
  .begin = begin,
  .put = put,
  .depends = "--rand-seed, --records, --fields, --field-length, --key and "
             "--order",
  .size_option = "--records, --key and --order",
  .fewer = "fewer --records",
};
