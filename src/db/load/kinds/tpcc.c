/*
 * tpcc.c - the tables of the tpcc script, filled as in TPC-C 4.3.3.
 *
 * Each row has its own random stream; both tables of an order draw the number
 * of its lines from one stream.  Fixed dates make equal loads.
 */
#include "db/load/kinds/tpcc.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "db/load/kinds/kind_list.h"
#include "stats/rand/rng.h"

static const char *const params[] = { "warehouses", "districts", "customers",
                                      "items",      "c_load",    "cents",
                                      NULL };

static const char *const warehouse_columns[] = {
  "w_id",    "w_name", "w_street_1", "w_street_2", "w_city",
  "w_state", "w_zip",  "w_tax",      "w_ytd"
};
static const char *const district_columns[] = {
  "d_id",    "d_w_id", "d_name", "d_street_1", "d_street_2", "d_city",
  "d_state", "d_zip",  "d_tax",  "d_ytd",      "d_next_o_id"
};
static const char *const customer_columns[] = {
  "c_id",      "c_d_id",        "c_w_id",        "c_first",
  "c_middle",  "c_last",        "c_street_1",    "c_street_2",
  "c_city",    "c_state",       "c_zip",         "c_phone",
  "c_since",   "c_credit",      "c_credit_lim",  "c_discount",
  "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt",
  "c_data"
};
static const char *const history_columns[] = { "h_c_id",   "h_c_d_id",
                                               "h_c_w_id", "h_d_id",
                                               "h_w_id",   "h_date",
                                               "h_amount", "h_data" };
static const char *const new_order_columns[] = { "no_o_id", "no_d_id",
                                                 "no_w_id" };
static const char *const orders_columns[] = { "o_id",      "o_d_id",
                                              "o_w_id",    "o_c_id",
                                              "o_entry_d", "o_carrier_id",
                                              "o_ol_cnt",  "o_all_local" };
static const char *const order_line_columns[] = {
  "ol_o_id",        "ol_d_id",       "ol_w_id",     "ol_number", "ol_i_id",
  "ol_supply_w_id", "ol_delivery_d", "ol_quantity", "ol_amount", "ol_dist_info"
};
static const char *const item_columns[] = { "i_id", "i_im_id", "i_name",
                                            "i_price", "i_data" };
static const char *const stock_columns[] = {
  "s_i_id",       "s_w_id",    "s_quantity", "s_dist_01", "s_dist_02",
  "s_dist_03",    "s_dist_04", "s_dist_05",  "s_dist_06", "s_dist_07",
  "s_dist_08",    "s_dist_09", "s_dist_10",  "s_ytd",     "s_order_cnt",
  "s_remote_cnt", "s_data"
};

/* Columns of the primary key. */
enum levels {
  BY_ITEM,
  BY_WAREHOUSE,
  BY_DISTRICT,  /* warehouse, district */
  BY_CUSTOMER,  /* warehouse, district, customer or order */
  BY_NEW_ORDER, /* the same, for the last orders */
  BY_STOCK,     /* warehouse, item */
};

#define COLUMNS(of) of##_columns, ARRAY_SIZE(of##_columns)

static const struct {
  const char *name;
  const char *const *columns;
  unsigned n;
  const char *types, *cents; /* with decimals; with cents */
  enum levels levels;
  const char *key[3];
  unsigned disk_bytes[SPACE_SERVERS];
} tables[] = {
  [TPCC_ORDER_LINE] = { "order_line",
                        COLUMNS(order_line),
                        "iiiiiititt",
                        "iiiiiitiit",
                        BY_CUSTOMER,
                        { "ol_w_id", "ol_d_id", "ol_o_id" },
                        { 127, 86, 81 } },
  [TPCC_STOCK] = { "stock",
                   COLUMNS(stock),
                   "iiittttttttttiiit",
                   "iiittttttttttiiit",
                   BY_STOCK,
                   { "s_w_id", "s_i_id" },
                   { 379, 352, 330 } },
  [TPCC_CUSTOMER] = { "customer",
                      COLUMNS(customer),
                      "iiitttttttttttttttiit",
                      "iiitttttttttttiiiiiit",
                      BY_CUSTOMER,
                      { "c_w_id", "c_d_id", "c_id" },
                      { 708, 702, 650 } },
  [TPCC_HISTORY] = { "history",
                     COLUMNS(history),
                     "iiiiittt",
                     "iiiiitit",
                     BY_CUSTOMER,
                     { "h_c_w_id", "h_c_d_id", "h_c_id" },
                     { 89, 88, 58 } },
  [TPCC_ORDERS] = { "orders",
                    COLUMNS(orders),
                    "iiiitiii",
                    "iiiitiii",
                    BY_CUSTOMER,
                    { "o_w_id", "o_d_id", "o_id" },
                    { 131, 141, 71 } },
  [TPCC_NEW_ORDER] = { "new_order",
                       COLUMNS(new_order),
                       "iii",
                       "iii",
                       BY_NEW_ORDER,
                       { "no_w_id", "no_d_id", "no_o_id" },
                       { 81, 36, 28 } },
  [TPCC_ITEM] = { "item",
                  COLUMNS(item),
                  "iittt",
                  "iitit",
                  BY_ITEM,
                  { "i_id" },
                  { 134, 100, 74 } },
  [TPCC_DISTRICT] = { "district",
                      COLUMNS(district),
                      "iitttttttti",
                      "iittttttiii",
                      BY_DISTRICT,
                      { "d_w_id", "d_id" },
                      { 150, 150, 150 } },
  [TPCC_WAREHOUSE] = { "warehouse",
                       COLUMNS(warehouse),
                       "itttttttt",
                       "ittttttii",
                       BY_WAREHOUSE,
                       { "w_id" },
                       { 150, 150, 150 } },
};

static int tpcc_check(const struct kind_args *args, struct err *err)
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

/* A district's first order without delivery. */
static uint64_t tpcc_first_undelivered(const struct kind_args *args)
{
  return args->value[TPCC_CUSTOMERS] * 7 / 10 + 1;
}

/* For a key of table orders. */
static unsigned tpcc_order_lines(const struct kind_args *args, uint64_t key)
{
  struct rng rng;

  rng_seed2(&rng, args->seed, RNG_ROWS, TPCC_ORDERS, key);
  return TPCC_MIN_LINES +
         (unsigned)rng_below(&rng, TPCC_MAX_LINES - TPCC_MIN_LINES + 1);
}

static void tpcc_describe_key(const struct kind_args *args, uint64_t number,
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

static void tpcc_describe(const struct kind_args *args, uint64_t number,
                          struct kind_table *ret)
{
  assert(strlen(tables[number].name) < sizeof(ret->name));
  (void)strcpy(ret->name, tables[number].name);
  ret->columns = tables[number].columns;
  ret->n = tables[number].n;
  ret->types = args->value[TPCC_CENTS] ? tables[number].cents
                                       : tables[number].types;
  memcpy(ret->disk_bytes, tables[number].disk_bytes, sizeof(ret->disk_bytes));
  ret->per_key = 1;
  ret->bytes_max = TPCC_ROW_MAX;
  ret->plain = number != TPCC_NEW_ORDER;
  if (number == TPCC_ORDER_LINE) {
    ret->line = "ol_number";
    ret->per_key = (TPCC_MIN_LINES + TPCC_MAX_LINES) / 2;
    ret->bytes_max = (size_t)TPCC_ROW_MAX * TPCC_MAX_LINES;
  }
  tpcc_describe_key(args, number, ret);
}

static unsigned tpcc_lines(struct maker *m, uint64_t key)
{
  return tpcc_order_lines(&m->args, key);
}

enum {
  INITIAL_PAYMENT = 1000, /* cents per customer */
  CREDIT_LIMIT = 5000000, /* cents */
  LINE_CENTS = 999999,    /* the largest amount of a line */
};

static const char moment[] = "2026-01-01 00:00:00";

/* A maker's state: customers of a district's orders. */
struct tpcc_rows {
  uint64_t district;                     /* among all, from 1; 0: none yet */
  uint16_t customer[TPCC_STD_CUSTOMERS]; /* a permutation */
};

struct making {
  struct maker *m;
  struct rng rng;
  struct row row;
  uint64_t key[KIND_KEYS];
};

/* ---- values ---- */

static int64_t tpcc_between(struct making *k, uint64_t a, uint64_t b)
{
  return (int64_t)(a + rng_below(&k->rng, b - a + 1));
}

/* Letters and digits, ten for each draw. */
static void tpcc_fill(struct rng *rng, char *to, size_t len)
{
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZae";
  uint64_t bits = 0;

  for (size_t i = 0; i < len; i++) {
    if (i % 10 == 0)
      bits = rng_next(rng);
    to[i] = letters[bits & 63];
    bits >>= 6;
  }
}

static void tpcc_put_text(struct making *k, size_t min, size_t max)
{
  char text[500];
  const size_t len = (size_t)tpcc_between(k, min, max);

  assert(max <= sizeof(text));
  tpcc_fill(&k->rng, text, len);
  row_text(&k->row, text, len);
}

static void tpcc_put_digits(struct making *k, size_t len)
{
  char text[16];

  assert(len <= sizeof(text));
  for (size_t i = 0; i < len; i++)
    text[i] = (char)('0' + rng_below(&k->rng, 10));
  row_text(&k->row, text, len);
}

/* A tenth of the rows contain ORIGINAL (4.3.3.1). */
static void tpcc_put_data(struct making *k)
{
  static const char original[] = "ORIGINAL";
  const size_t n = sizeof(original) - 1;
  char text[50];
  const size_t len = (size_t)tpcc_between(k, 26, 50);

  tpcc_fill(&k->rng, text, len);
  if (rng_below(&k->rng, 10) == 0)
    memcpy(text + tpcc_between(k, 0, len - n), original, n);
  row_text(&k->row, text, len);
}

static void tpcc_put_word(struct making *k, const char *word)
{
  row_text(&k->row, word, strlen(word));
}

static void tpcc_put_moment(struct making *k)
{
  tpcc_put_word(k, moment);
}

static void tpcc_put_decimal(struct making *k, int64_t units, unsigned decimals)
{
  if (k->m->args.value[TPCC_CENTS])
    row_long(&k->row, units);
  else
    row_decimal(&k->row, units, decimals);
}

static void tpcc_put_cents(struct making *k, int64_t cents)
{
  tpcc_put_decimal(k, cents, 2);
}

/* street_1, street_2, city, state, zip (4.3.2.7) */
static void tpcc_put_address(struct making *k)
{
  char zip[9], state[2];

  memset(zip, '1', sizeof(zip));
  tpcc_put_text(k, 10, 20);
  tpcc_put_text(k, 10, 20);
  tpcc_put_text(k, 10, 20);
  for (size_t i = 0; i < sizeof(state); i++)
    state[i] = (char)('A' + rng_below(&k->rng, 26));
  row_text(&k->row, state, sizeof(state));
  for (size_t i = 0; i < 4; i++)
    zip[i] = (char)('0' + rng_below(&k->rng, 10));
  row_text(&k->row, zip, sizeof(zip));
}

/* The first customers have all names, the others NURand's. */
static void tpcc_put_last_name(struct making *k, uint64_t c)
{
  static const char *const syllables[] = { "BAR",   "OUGHT", "ABLE", "PRI",
                                           "PRES",  "ESE",   "ANTI", "CALLY",
                                           "ATION", "EING" };
  const uint64_t *v = k->m->args.value;
  const uint64_t names = 1000;
  char name[16] = "";
  uint64_t n = c - 1;

  if (c > names)
    n = ((rng_below(&k->rng, 256) | rng_below(&k->rng, names)) +
         v[TPCC_C_LOAD]) %
        names;
  (void)strcat(name, syllables[n / 100]);
  (void)strcat(name, syllables[n / 10 % 10]);
  (void)strcat(name, syllables[n % 10]);
  tpcc_put_word(k, name);
}

/* ---- orders ---- */

/* A district's permutation; its streams come after those of rows. */
static void tpcc_shuffle(struct tpcc_rows *s, const struct kind_args *args,
                         uint64_t district)
{
  const uint64_t n = args->value[TPCC_CUSTOMERS];
  struct rng rng;

  rng_seed2(&rng, args->seed, RNG_ROWS, TPCC_TABLES + TPCC_ORDERS, district);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t j = rng_below(&rng, i + 1);

    s->customer[i] = s->customer[j];
    s->customer[j] = (uint16_t)(i + 1);
  }
  s->district = district;
}

static int64_t tpcc_customer_of(struct making *k)
{
  struct tpcc_rows *s = k->m->state;
  const uint64_t district = (k->key[0] - 1) * k->m->args.value[TPCC_DISTRICTS] +
                            k->key[1];

  if (s->district != district)
    tpcc_shuffle(s, &k->m->args, district);
  return s->customer[k->key[2] - 1];
}

static void tpcc_put_key(struct making *k)
{
  row_int(&k->row, (int64_t)k->key[2]);
  row_int(&k->row, (int64_t)k->key[1]);
  row_int(&k->row, (int64_t)k->key[0]);
}

/* ---- tables ---- */

static void tpcc_put_warehouse(struct making *k)
{
  const uint64_t *v = k->m->args.value;

  row_int(&k->row, (int64_t)k->key[0]);
  tpcc_put_text(k, 6, 10);
  tpcc_put_address(k);
  tpcc_put_decimal(k, tpcc_between(k, 0, 2000), 4);
  tpcc_put_cents(
    k, (int64_t)(v[TPCC_DISTRICTS] * v[TPCC_CUSTOMERS] * INITIAL_PAYMENT));
}

static void tpcc_put_district(struct making *k)
{
  const uint64_t customers = k->m->args.value[TPCC_CUSTOMERS];

  row_int(&k->row, (int64_t)k->key[1]);
  row_int(&k->row, (int64_t)k->key[0]);
  tpcc_put_text(k, 6, 10);
  tpcc_put_address(k);
  tpcc_put_decimal(k, tpcc_between(k, 0, 2000), 4);
  tpcc_put_cents(k, (int64_t)(customers * INITIAL_PAYMENT));
  row_int(&k->row, (int64_t)customers + 1);
}

static void tpcc_put_customer(struct making *k)
{
  tpcc_put_key(k);
  tpcc_put_text(k, 8, 16);
  tpcc_put_word(k, "OE");
  tpcc_put_last_name(k, k->key[2]);
  tpcc_put_address(k);
  tpcc_put_digits(k, 16);
  tpcc_put_moment(k);
  tpcc_put_word(k, rng_below(&k->rng, 10) == 0 ? "BC" : "GC");
  tpcc_put_cents(k, CREDIT_LIMIT);
  tpcc_put_decimal(k, tpcc_between(k, 0, 5000), 4);
  tpcc_put_cents(k, -INITIAL_PAYMENT);
  tpcc_put_cents(k, INITIAL_PAYMENT);
  row_int(&k->row, 1);
  row_int(&k->row, 0);
  tpcc_put_text(k, 300, 500);
}

static void tpcc_put_history(struct making *k)
{
  tpcc_put_key(k);
  row_int(&k->row, (int64_t)k->key[1]);
  row_int(&k->row, (int64_t)k->key[0]);
  tpcc_put_moment(k);
  tpcc_put_cents(k, INITIAL_PAYMENT);
  tpcc_put_text(k, 12, 24);
}

static void tpcc_put_new_order(struct making *k)
{
  tpcc_put_key(k);
}

/* The stream begins with tpcc_order_lines(). */
static void tpcc_put_order(struct making *k)
{
  const int64_t n = tpcc_between(k, TPCC_MIN_LINES, TPCC_MAX_LINES);

  tpcc_put_key(k);
  row_int(&k->row, tpcc_customer_of(k));
  tpcc_put_moment(k);
  if (k->key[2] < tpcc_first_undelivered(&k->m->args))
    row_int(&k->row, tpcc_between(k, 1, 10));
  else
    row_null(&k->row);
  row_int(&k->row, n);
  row_int(&k->row, 1);
}

static void tpcc_put_line(struct making *k, unsigned number)
{
  const bool delivered = k->key[2] < tpcc_first_undelivered(&k->m->args);

  tpcc_put_key(k);
  row_int(&k->row, number);
  row_int(&k->row, tpcc_between(k, 1, k->m->args.value[TPCC_ITEMS]));
  row_int(&k->row, (int64_t)k->key[0]);
  if (delivered)
    tpcc_put_moment(k);
  else
    row_null(&k->row);
  row_int(&k->row, 5);
  tpcc_put_cents(k, delivered ? 0 : tpcc_between(k, 1, LINE_CENTS));
  tpcc_put_text(k, 24, 24);
}

static void tpcc_put_item(struct making *k)
{
  row_int(&k->row, (int64_t)k->key[0]);
  row_int(&k->row, tpcc_between(k, 1, 10000));
  tpcc_put_text(k, 14, 24);
  tpcc_put_cents(k, tpcc_between(k, 100, 10000));
  tpcc_put_data(k);
}

static unsigned first_quantity(struct rng *rng)
{
  return 10 + (unsigned)rng_below(rng, 91);
}

unsigned tpcc_first_quantity(uint64_t seed, uint64_t key)
{
  struct rng rng;

  rng_seed2(&rng, seed, RNG_ROWS, TPCC_STOCK, key);
  return first_quantity(&rng);
}

static void tpcc_put_stock(struct making *k)
{
  row_int(&k->row, (int64_t)k->key[1]);
  row_int(&k->row, (int64_t)k->key[0]);
  row_int(&k->row, first_quantity(&k->rng));
  for (int i = 0; i < TPCC_STD_DISTRICTS; i++)
    tpcc_put_text(k, 24, 24);
  for (int i = 0; i < 3; i++)
    row_int(&k->row, 0);
  tpcc_put_data(k);
}

static void (*const put_columns[])(struct making *k) = {
  [TPCC_STOCK] = tpcc_put_stock,         [TPCC_CUSTOMER] = tpcc_put_customer,
  [TPCC_HISTORY] = tpcc_put_history,     [TPCC_ORDERS] = tpcc_put_order,
  [TPCC_NEW_ORDER] = tpcc_put_new_order, [TPCC_ITEM] = tpcc_put_item,
  [TPCC_DISTRICT] = tpcc_put_district,   [TPCC_WAREHOUSE] = tpcc_put_warehouse,
};

static size_t tpcc_put(struct maker *m, enum rows_form form, uint64_t key,
                       char *to)
{
  struct making k = { .m = m };
  const char *const begin = to;

  kind_split(&m->table, key, k.key);
  rng_seed2(&k.rng, m->args.seed, RNG_ROWS, m->number, key);
  if (m->number == TPCC_ORDER_LINE) {
    const unsigned n = tpcc_order_lines(&m->args, key);

    for (unsigned i = 1; i <= n; i++) {
      row_begin(&k.row, form, m->table.n, to);
      tpcc_put_line(&k, i);
      to = row_end(&k.row);
    }
  } else {
    row_begin(&k.row, form, m->table.n, to);
    put_columns[m->number](&k);
    to = row_end(&k.row);
  }
  return (size_t)(to - begin);
}

const struct kind kind_tpcc = {
  .name = "tpcc",
  .params = params,
  .tables = TPCC_TABLES,
  .check = tpcc_check,
  .describe = tpcc_describe,
  .state_size = sizeof(struct tpcc_rows),
  .lines = tpcc_lines,
  .put = tpcc_put,
  .depends = "--rand-seed and --warehouses",
  .size_option = "--warehouses",
  .fewer = "fewer --warehouses",
};
