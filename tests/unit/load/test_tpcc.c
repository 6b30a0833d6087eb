/*
 * test_tpcc.c - the rows of the tpcc tables: their form, and the rules of the
 * standard that they have to keep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "db/load/kinds/kind_list.h"
#include "db/load/kinds/tpcc.h"
#include "tests/unit/tap.h"

enum {
  W = 2,
  COLUMNS = KIND_COLUMNS
};

static struct kind_args args_of(bool cents)
{
  return (struct kind_args){
    .seed = 7,
    .value = { W, TPCC_STD_DISTRICTS, TPCC_STD_CUSTOMERS, TPCC_STD_ITEMS, 123,
               cents },
  };
}

/* The fields of one row of text; returns where the next row begins. */
static char *split(char *row, char *field[COLUMNS], unsigned *ret_n)
{
  char *end = strchr(row, '\n');

  *end = '\0';
  *ret_n = 0;
  for (char *at = row; at; (*ret_n)++) {
    field[*ret_n] = at;
    at = strchr(at, '\t');
    if (at)
      *at++ = '\0';
  }
  return end + 1;
}

/* Makes the rows of `keys` keys of a table, and calls `see` for each row. */
static void see_rows(enum tpcc_table table, bool cents, uint64_t keys,
                     void (*see)(char *const *field, void *ctx), void *ctx)
{
  const struct kind_args args = args_of(cents);
  bool columns = true, fits = true, forms = true;
  char text[KIND_BYTES_MAX], *field[COLUMNS];
  struct maker m;

  OK(maker_init(&m, &kind_tpcc, &args, table) == 0, "a maker");
  OK(strlen(m.table.types) == m.table.n, m.table.name);
  if (keys > kind_keys(&m.table))
    keys = kind_keys(&m.table);
  for (uint64_t key = 1; key <= keys; key++) {
    const size_t len = m.kind->put(&m, ROWS_PLAIN, key, text);
    char *at = text;

    fits = fits && len <= m.table.bytes_max;
    for (text[len] = '\0'; *at;) {
      unsigned n;

      at = split(at, field, &n);
      columns = columns && n == m.table.n;
      see(field, ctx);
    }
    forms = forms &&
            m.kind->put(&m, ROWS_SQL, key, text) <= m.table.bytes_max &&
            m.kind->put(&m, ROWS_BINARY, key, text) <= m.table.bytes_max;
  }
  OK(columns, "each row has all columns");
  OK(fits && forms, "each row fits");
  maker_done(&m);
}

static void see_nothing(char *const *field, void *ctx)
{
  (void)field, (void)ctx;
}

/* ---- customers ---- */

struct names {
  unsigned bad_credit, n, in_turn, others[1000], n_others;
  bool fixed;
};

static unsigned number_of(const char *name)
{
  static const char *const syllables[] = { "BAR",   "OUGHT", "ABLE", "PRI",
                                           "PRES",  "ESE",   "ANTI", "CALLY",
                                           "ATION", "EING" };
  unsigned number = 0;

  while (*name) {
    unsigned digit = 0;

    while (strncmp(name, syllables[digit], strlen(syllables[digit])) != 0)
      digit++;
    number = number * 10 + digit;
    name += strlen(syllables[digit]);
  }
  return number;
}

static void see_customer(char *const *field, void *ctx)
{
  struct names *s = ctx;
  const unsigned c = (unsigned)atoi(field[0]);

  s->n++;
  s->bad_credit += strcmp(field[13], "BC") == 0;
  if (c <= 1000)
    s->in_turn += number_of(field[5]) == c - 1;
  else
    s->others[number_of(field[5])]++, s->n_others++;
  s->fixed = s->fixed && strcmp(field[4], "OE") == 0 &&
             strcmp(field[16], "-10.00") == 0 &&
             strcmp(field[14], "50000.00") == 0 && strlen(field[20]) >= 300 &&
             strlen(field[20]) <= 500 && strlen(field[11]) == 16 &&
             strcmp(field[10] + 4, "11111") == 0;
}

/* The chi-square statistic of names against NURand(255, 0, 999), in cells of
 * ten; it has 99 degrees of freedom, so 190 is six standard deviations. */
static double chi_square(const struct names *s)
{
  double want[100] = { 0 }, seen[100] = { 0 }, sum = 0;

  for (unsigned i = 0; i < 256; i++)
    for (unsigned j = 0; j < 1000; j++)
      want[((i | j) + 123) % 1000 / 10] += s->n_others / 256e3;
  for (unsigned i = 0; i < 1000; i++)
    seen[i / 10] += s->others[i];
  for (unsigned i = 0; i < 100; i++)
    sum += (seen[i] - want[i]) * (seen[i] - want[i]) / want[i];
  return sum;
}

static void test_customers(void)
{
  struct names s = { .fixed = true };

  see_rows(TPCC_CUSTOMER, false, UINT64_MAX, see_customer, &s);
  OK(s.n == W * 10 * 3000, "all customers");
  OK(s.in_turn == W * 10 * 1000, "the first ones have all names in turn");
  OK(s.bad_credit > 5640 && s.bad_credit < 6360, "a tenth has bad credit");
  OK(s.fixed, "what all customers have in common");
  OK(chi_square(&s) < 190, "the other names are those of NURand");
}

/* ---- orders ---- */

struct orders {
  unsigned n, lines, fixed_customers, delivered;
  unsigned char seen[TPCC_STD_CUSTOMERS + 1], first[TPCC_STD_CUSTOMERS + 1];
  unsigned short customer[TPCC_STD_CUSTOMERS + 1];
  bool permutation, carriers;
};

static void see_order(char *const *field, void *ctx)
{
  struct orders *s = ctx;
  const unsigned o = (unsigned)atoi(field[0]), c = (unsigned)atoi(field[3]);
  const bool is_null = strcmp(field[5], "\\N") == 0;

  if (o == 1)
    memset(s->seen, 0, sizeof(s->seen));
  s->permutation = s->permutation && c >= 1 && c <= 3000 && !s->seen[c];
  s->seen[c] = 1;
  s->fixed_customers += s->customer[o] == c;
  s->customer[o] = (unsigned short)c;
  s->n++;
  s->lines += (unsigned)atoi(field[6]);
  s->carriers = s->carriers && is_null == (o >= 2101);
}

struct lines {
  unsigned n, number;
  uint64_t amount;
  bool rules;
};

static void see_line(char *const *field, void *ctx)
{
  struct lines *s = ctx;
  const unsigned o = (unsigned)atoi(field[0]);
  const int amount = atoi(field[8]), item = atoi(field[4]);

  s->n++;
  s->number = atoi(field[3]) == 1 ? 1 : s->number + 1;
  s->rules = s->rules && s->number == (unsigned)atoi(field[3]) &&
             strcmp(field[5], field[2]) == 0 && atoi(field[7]) == 5 &&
             item >= 1 && item <= 100000 && strlen(field[9]) == 24 &&
             (strcmp(field[6], "\\N") == 0) == (o >= 2101) &&
             (o < 2101 ? amount == 0 : amount >= 1 && amount <= 999999);
}

static void test_orders(void)
{
  struct orders s = { .permutation = true, .carriers = true };
  struct lines l = { .rules = true };

  see_rows(TPCC_ORDERS, true, UINT64_MAX, see_order, &s);
  OK(s.permutation, "each customer of a district has one order");
  OK(s.fixed_customers < 100, "districts have different permutations");
  OK(s.carriers, "the last 900 have no carrier");
  OK(s.lines > s.n * 9.95 && s.lines < s.n * 10.05, "ten lines on average");
  see_rows(TPCC_ORDER_LINE, true, UINT64_MAX, see_line, &l);
  OK(l.n == s.lines, "as many lines as the orders say");
  OK(l.rules, "the rules of lines");
}

/* ---- the other tables ---- */

static void see_original(char *const *field, void *ctx)
{
  *(unsigned *)ctx += strstr(field[4], "ORIGINAL") != NULL;
}

static void see_w(char *const *field, void *ctx)
{
  *(bool *)ctx = strcmp(field[8], "300000.00") == 0;
}

static void see_d(char *const *field, void *ctx)
{
  *(bool *)ctx = strcmp(field[9], "3000000") == 0 &&
                 strcmp(field[10], "3001") == 0;
}

static void test_others(void)
{
  unsigned original = 0;
  bool w = false, d = false;

  see_rows(TPCC_ITEM, false, UINT64_MAX, see_original, &original);
  OK(original > 9500 && original < 10500, "a tenth of the items is original");
  see_rows(TPCC_WAREHOUSE, false, UINT64_MAX, see_w, &w);
  OK(w, "w_ytd");
  see_rows(TPCC_DISTRICT, true, UINT64_MAX, see_d, &d);
  OK(d, "d_ytd in cents, d_next_o_id");
  see_rows(TPCC_STOCK, true, 1000, see_nothing, NULL);
  see_rows(TPCC_HISTORY, false, 1000, see_nothing, NULL);
  see_rows(TPCC_NEW_ORDER, false, UINT64_MAX, see_nothing, NULL);
}

static void test_sizes(void)
{
  static const uint64_t keys[] = {
    [TPCC_ORDER_LINE] = W * 30000, [TPCC_STOCK] = W * 100000,
    [TPCC_CUSTOMER] = W * 30000,   [TPCC_HISTORY] = W * 30000,
    [TPCC_ORDERS] = W * 30000,     [TPCC_NEW_ORDER] = W * 9000,
    [TPCC_ITEM] = 100000,          [TPCC_DISTRICT] = W * 10,
    [TPCC_WAREHOUSE] = W,
  };
  struct kind_args args = args_of(false);
  struct err err;

  for (unsigned i = 1; i <= TPCC_TABLES; i++) {
    struct kind_table t;

    kind_describe(&kind_tpcc, &args, i, &t);
    OK(kind_keys(&t) == keys[i], t.name);
  }
  OK(kind_tpcc.check(&args, &err) == 0, "the standard size");
  args.value[TPCC_CUSTOMERS] = 3001;
  OK(kind_tpcc.check(&args, &err) < 0, "too many customers");
  OK(strstr(err.text, "--customers"), "the option is named");
}

int main(void)
{
  test_sizes();
  test_customers();
  test_orders();
  test_others();
  return TAP_EXIT();
}
