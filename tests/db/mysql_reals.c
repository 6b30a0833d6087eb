/*
 * mysql_reals.c - many numbers in FLOAT and DOUBLE columns of all kinds: a
 * prepared SELECT gives the same texts as a direct one, byte by byte.
 *
 * Arguments are options of the driver.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "suite.h"

enum {
  RANDOM_VALUES = 400
};

static const char *const types[] = {
  "DOUBLE",        "DOUBLE(255,30)",        "DOUBLE(53,2)",
  "DOUBLE(255,0)", "DOUBLE(20,4) ZEROFILL", "DOUBLE ZEROFILL",
  "FLOAT",         "FLOAT(255,30)",         "FLOAT(20,3)",
  "FLOAT(40,0)",   "FLOAT ZEROFILL",
};

/* Of each column, and some that have decimals of their own. */
static const char *const queries[] = {
  "SELECT v FROM mysql_reals ORDER BY n",
  "SELECT v + 0, -v, v / 3, v / 64, v * 0.125 FROM mysql_reals ORDER BY n",
  "SELECT ROUND(v, 2), TRUNCATE(v, 5), MAX(v) FROM mysql_reals "
  "WHERE v BETWEEN -1e300 AND 1e300 GROUP BY n ORDER BY n",
  "SELECT AVG(v), SUM(v), STD(v), MIN(v) FROM mysql_reals "
  "WHERE v BETWEEN -1e150 AND 1e150 GROUP BY n % 50 ORDER BY n % 50",
};

/* Borders of what is written with an exponent, of rounding, and of the types;
 * powers of two whose neighbours are not equally far away. */
static const double special[] = {
  0,
  1,
  0.5,
  1e14,
  1e15,
  1e16,
  1e-15,
  1e-16,
  999999999999999,
  1234567890123456.8,
  1234567890123456,
  12345678901234567.0,
  1234567,
  123456.5,
  999999.5,
  16777217,
  3.4028234663852886e38,
  1.401298464324817e-45,
  1.17549435e-38,
  1.7976931348623157e308,
  2.2250738585072014e-308,
  4.9406564584124654e-324,
  0x1p-44,
  0x1p-1017,
  0x1p-957,
  0x1p60,
};

static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

/* Of any magnitude, of a usual one, or with few digits. */
static double draw_number(int i)
{
  const double v = ldexp((double)draw(1u << 31) + 1, -(int)draw(80));

  if (i % 3 == 0)
    return ldexp(v, (int)draw(1990) - 1000);
  return i % 3 == 1 ? v : (double)draw(100000) * pow(10, (int)draw(30) - 20);
}

static void add_value(struct strbuf *sql, double v)
{
  strbuf_addf(sql, ",(%.17g),(%.17g)", v, -v);
}

static bool fill(struct rig *r, const char *type)
{
  struct strbuf sql = { 0 };
  bool good;

  strbuf_addf(&sql,
              "CREATE TABLE mysql_reals (n INT AUTO_INCREMENT PRIMARY KEY, "
              "v %s)",
              type);
  good = run_sql(r->con, "DROP TABLE IF EXISTS mysql_reals") &&
         run_sql(r->con, strbuf_str(&sql));
  strbuf_clear(&sql);
  strbuf_adds(&sql, "INSERT INTO mysql_reals (v) VALUES (NULL)");
  for (size_t i = 0; i < ARRAY_SIZE(special); i++)
    add_value(&sql, special[i]);
  for (int e = -30; e < 30; e++)
    add_value(&sql, pow(10, e));
  for (int i = 0; i < RANDOM_VALUES; i++)
    add_value(&sql, draw_number(i));
  good = good && run_sql(r->con, strbuf_str(&sql));
  strbuf_done(&sql);
  return good;
}

/* All values, a line each; how many. */
static unsigned lines(sql_result *rs, struct strbuf *to)
{
  unsigned n = 0;
  sql_row *row;

  while (rs && (row = conn_fetch_row(rs))) {
    for (uint32_t i = 0; i < rs->nfields; i++, n++) {
      const sql_value *v = &row->values[i];

      if (v->ptr)
        strbuf_add(to, v->ptr, v->len);
      else
        strbuf_adds(to, "NULL");
      strbuf_adds(to, "\n");
    }
  }
  return n;
}

/* The first lines that differ, as a diagnostic. */
static void show_difference(const char *a, const char *b)
{
  for (;;) {
    const size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");

    if (na != nb || memcmp(a, b, na) != 0 || !a[na] || !b[nb]) {
      printf("# direct '%.*s', prepared '%.*s'\n", (int)na, a, (int)nb, b);
      return;
    }
    a += na + 1;
    b += nb + 1;
  }
}

static void compare(struct rig *r, const char *sql, unsigned at_least,
                    const char *what)
{
  struct stmt *st = stmt_prepare(r->con, sql, strlen(sql));
  struct strbuf text = { 0 }, binary = { 0 };
  const unsigned n = lines(conn_query(r->con, sql, strlen(sql)), &text);
  bool good = st && n >= at_least && lines(stmt_execute(st), &binary) == n &&
              strcmp(strbuf_str(&text), strbuf_str(&binary)) == 0;

  if (!good)
    show_difference(strbuf_str(&text), strbuf_str(&binary));
  ok(good, "%s: %u values, %s", what, n, sql);
  stmt_free(st);
  strbuf_done(&text);
  strbuf_done(&binary);
}

/* Sums that have left the range of a DOUBLE; a server may refuse them. */
static void not_finite(struct rig *r)
{
  static const char *const sums[] = {
    "SELECT SUM(v) FROM mysql_reals",
    "SELECT -SUM(v) FROM mysql_reals",
    "SELECT ROUND(SUM(v), 2) FROM mysql_reals",
  };

  ok(run_sql(r->con, "DROP TABLE IF EXISTS mysql_reals") &&
       run_sql(r->con, "CREATE TABLE mysql_reals (v DOUBLE)") &&
       run_sql(r->con, "INSERT INTO mysql_reals VALUES (1.7e308), (1.7e308)"),
     "numbers whose sum is infinite");
  for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
    if (run_sql(r->con, sums[i]))
      compare(r, sums[i], 1, "infinite");
  }
}

int main(int argc, char **argv)
{
  const struct rig_settings set = { .argc = argc, .argv = argv };
  struct rig r;

  if (!rig_open(&r, &set)) {
    printf("Bail out! cannot connect\n");
    return 1;
  }
  (void)run_sql(r.con, "SET SESSION sql_mode = ''");
  for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
    ok(fill(&r, types[i]), "%s: filled", types[i]);
    for (size_t k = 0; k < ARRAY_SIZE(queries); k++)
      compare(&r, queries[k], k == 0 ? RANDOM_VALUES : 1, types[i]);
  }
  not_finite(&r);
  (void)run_sql(r.con, "DROP TABLE mysql_reals");
  rig_close(&r);
  return tap_end();
}
