/*
 * tpcc.c - the tables of the tpcc script, filled as clause 4.3.3 of the TPC-C
 * standard says.
 *
 * Each row is made from a random stream of its own.  The two tables of an order
 * agree, because both read the number of its lines from the same stream.
 * Moments are fixed, so that every load makes the same rows.
 */
#include "load/kinds/tpcc.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "load/kinds/kind_list.h"
#include "load/kinds/tpcc_rows.h"

static const char *const params[] = { "warehouses", "districts", "customers",
                                      "items",      "c_load",    "cents",
                                      NULL };

static const char *const warehouse[] = { "w_id",       "w_name", "w_street_1",
                                         "w_street_2", "w_city", "w_state",
                                         "w_zip",      "w_tax",  "w_ytd" };
static const char *const district[] = { "d_id",       "d_w_id",     "d_name",
                                        "d_street_1", "d_street_2", "d_city",
                                        "d_state",    "d_zip",      "d_tax",
                                        "d_ytd",      "d_next_o_id" };
static const char *const customer[] = {
  "c_id",      "c_d_id",        "c_w_id",        "c_first",
  "c_middle",  "c_last",        "c_street_1",    "c_street_2",
  "c_city",    "c_state",       "c_zip",         "c_phone",
  "c_since",   "c_credit",      "c_credit_lim",  "c_discount",
  "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt",
  "c_data"
};
static const char *const history[] = { "h_c_id",   "h_c_d_id", "h_c_w_id",
                                       "h_d_id",   "h_w_id",   "h_date",
                                       "h_amount", "h_data" };
static const char *const new_order[] = { "no_o_id", "no_d_id", "no_w_id" };
static const char *const orders[] = { "o_id",     "o_d_id",     "o_w_id",
                                      "o_c_id",   "o_entry_d",  "o_carrier_id",
                                      "o_ol_cnt", "o_all_local" };
static const char *const order_line[] = {
  "ol_o_id",        "ol_d_id",       "ol_w_id",     "ol_number", "ol_i_id",
  "ol_supply_w_id", "ol_delivery_d", "ol_quantity", "ol_amount", "ol_dist_info"
};
static const char *const item[] = { "i_id", "i_im_id", "i_name", "i_price",
                                    "i_data" };
static const char *const stock[] = { "s_i_id",       "s_w_id",    "s_quantity",
                                     "s_dist_01",    "s_dist_02", "s_dist_03",
                                     "s_dist_04",    "s_dist_05", "s_dist_06",
                                     "s_dist_07",    "s_dist_08", "s_dist_09",
                                     "s_dist_10",    "s_ytd",     "s_order_cnt",
                                     "s_remote_cnt", "s_data" };

/* The key columns of a table, in the order of its primary key. */
enum levels {
  BY_ITEM,      /* item */
  BY_WAREHOUSE, /* warehouse */
  BY_DISTRICT,  /* warehouse, district */
  BY_CUSTOMER,  /* warehouse, district, customer or order */
  BY_NEW_ORDER, /* the same, for the last orders */
  BY_STOCK,     /* warehouse, item */
};

#define COLUMNS(of) of, ARRAY_SIZE(of)

static const struct {
  const char *name;
  const char *const *columns;
  unsigned n;
  const char *types, *cents; /* with decimals; with cents */
  enum levels levels;
  const char *key[3];
  unsigned disk_bytes; /* estimated for InnoDB, which needs the most */
} tables[] = {
  [TPCC_ORDER_LINE] = { "order_line",
                        COLUMNS(order_line),
                        "iiiiiititt",
                        "iiiiiitiit",
                        BY_CUSTOMER,
                        { "ol_w_id", "ol_d_id", "ol_o_id" },
                        100 },
  [TPCC_STOCK] = { "stock",
                   COLUMNS(stock),
                   "iiittttttttttiiit",
                   "iiittttttttttiiit",
                   BY_STOCK,
                   { "s_w_id", "s_i_id" },
                   400 },
  [TPCC_CUSTOMER] = { "customer",
                      COLUMNS(customer),
                      "iiitttttttttttttttiit",
                      "iiitttttttttttiiiiiit",
                      BY_CUSTOMER,
                      { "c_w_id", "c_d_id", "c_id" },
                      750 },
  [TPCC_HISTORY] = { "history",
                     COLUMNS(history),
                     "iiiiittt",
                     "iiiiitit",
                     BY_CUSTOMER,
                     { "h_c_w_id", "h_c_d_id", "h_c_id" },
                     100 },
  [TPCC_ORDERS] = { "orders",
                    COLUMNS(orders),
                    "iiiitiii",
                    "iiiitiii",
                    BY_CUSTOMER,
                    { "o_w_id", "o_d_id", "o_id" },
                    100 },
  [TPCC_NEW_ORDER] = { "new_order",
                       COLUMNS(new_order),
                       "iii",
                       "iii",
                       BY_NEW_ORDER,
                       { "no_w_id", "no_d_id", "no_o_id" },
                       50 },
  [TPCC_ITEM] = { "item",
                  COLUMNS(item),
                  "iittt",
                  "iitit",
                  BY_ITEM,
                  { "i_id" },
                  120 },
  [TPCC_DISTRICT] = { "district",
                      COLUMNS(district),
                      "iitttttttti",
                      "iittttttiii",
                      BY_DISTRICT,
                      { "d_w_id", "d_id" },
                      150 },
  [TPCC_WAREHOUSE] = { "warehouse",
                       COLUMNS(warehouse),
                       "itttttttt",
                       "ittttttii",
                       BY_WAREHOUSE,
                       { "w_id" },
                       150 },
};

static int check(const struct kind_args *args, struct err *err)
{
  static const uint64_t max[TPCC_PARAMS] = {
    [TPCC_WAREHOUSES] = INT32_MAX,
    [TPCC_DISTRICTS] = TPCC_STD_DISTRICTS,
    [TPCC_CUSTOMERS] = TPCC_STD_CUSTOMERS,
    [TPCC_ITEMS] = TPCC_STD_ITEMS,
  };

  for (unsigned i = TPCC_WAREHOUSES; i <= TPCC_ITEMS; i++) {
    if (args->value[i] < 1 || args->value[i] > max[i])
      return err_set(err, -EINVAL, "--%s must be from 1 to %" PRIu64, params[i],
                     max[i]);
  }
  return 0;
}

static void describe_key(const struct kind_args *args, uint64_t number,
                         struct kind_table *ret)
{
  const uint64_t *v = args->value;
  const uint64_t undelivered = tpcc_first_undelivered(args);
  const struct kind_key first = { tables[number].key[0], 1,
                                  v[TPCC_WAREHOUSES] };
  const struct kind_key second = { tables[number].key[1], 1,
                                   v[TPCC_DISTRICTS] };

  ret->key[0] = first;
  ret->key[1] = second;
  ret->keys = 3;
  switch (tables[number].levels) {
  case BY_ITEM:
    ret->key[0].count = v[TPCC_ITEMS];
    ret->keys = 1;
    break;
  case BY_WAREHOUSE:
    ret->keys = 1;
    break;
  case BY_DISTRICT:
    ret->keys = 2;
    break;
  case BY_STOCK:
    ret->key[1].count = v[TPCC_ITEMS];
    ret->keys = 2;
    break;
  case BY_CUSTOMER:
    ret->key[2] = (struct kind_key){ tables[number].key[2], 1,
                                     v[TPCC_CUSTOMERS] };
    break;
  case BY_NEW_ORDER:
    ret->key[2] = (struct kind_key){ tables[number].key[2], undelivered,
                                     v[TPCC_CUSTOMERS] - undelivered + 1 };
    break;
  }
}

static void describe(const struct kind_args *args, uint64_t number,
                     struct kind_table *ret)
{
  assert(strlen(tables[number].name) < sizeof(ret->name));
  (void)strcpy(ret->name, tables[number].name);
  ret->columns = tables[number].columns;
  ret->n = tables[number].n;
  ret->types = args->value[TPCC_CENTS] ? tables[number].cents
                                       : tables[number].types;
  ret->disk_bytes = tables[number].disk_bytes;
  ret->per_key = 1;
  ret->bytes_max = TPCC_ROW_MAX;
  ret->plain = number != TPCC_NEW_ORDER;
  if (number == TPCC_ORDER_LINE) {
    ret->line = "ol_number";
    ret->per_key = (TPCC_MIN_LINES + TPCC_MAX_LINES) / 2;
    ret->bytes_max = (size_t)TPCC_ROW_MAX * TPCC_MAX_LINES;
  }
  describe_key(args, number, ret);
}

static unsigned lines(struct maker *m, uint64_t key)
{
  return tpcc_order_lines(&m->args, key);
}

const struct kind kind_tpcc = {
  .name = "tpcc",
  .params = params,
  .tables = TPCC_TABLES,
  .check = check,
  .describe = describe,
  .state_size = sizeof(struct tpcc_rows),
  .lines = lines,
  .put = tpcc_put,
  .depends = "--rand-seed and --warehouses",
  .size_option = "--warehouses",
  .fewer = "fewer --warehouses",
};
