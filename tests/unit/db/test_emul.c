/*
 * test_emul.c - placeholders are found exactly, values arrive as written.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "tests/unit/tap.h"

enum {
  PGSQL_OFF = EMUL_PGSQL | EMUL_BACKSLASH
};

/* ---- fixed cases: `~` is written for a placeholder, `^` for a doubled one
 * ---- */

static const struct {
  unsigned flags;
  const char *sql;
} scan_case[] = {
  { EMUL_MYSQL, "SELECT 'a?', ~" },
  { EMUL_MYSQL, "~" },
  { EMUL_MYSQL, "" },
  { EMUL_MYSQL, "'?''?' ~" },
  { EMUL_MYSQL, "'?\\'?' ~" },
  { EMUL_MYSQL, "'\\\\' ~" },
  { EMUL_MYSQL_PLAIN, "'\\' ~ '" },
  { EMUL_MYSQL, "\"?\\\"?\" ~" },
  { EMUL_MYSQL_PLAIN, "\"\\\" ~ \"" },
  { EMUL_MYSQL, "\"?\"\"?\" ~" },
  { EMUL_MYSQL, "`?``?` ~" },
  { EMUL_PGSQL, "`~`" },
  { EMUL_MYSQL, "[~]" },
  { EMUL_SQLITE, "[?'] ~" },
  { EMUL_SQLITE, "'\\' ~" },
  { EMUL_SQLITE, "`?` ~" },
  { EMUL_MYSQL, "a -- ?\n~" },
  { EMUL_MYSQL, "a --~\n~" },
  { EMUL_MYSQL, "a --\t?\n~" },
  { EMUL_MYSQL, "5--~" },
  { EMUL_MYSQL, "a --" },
  { EMUL_PGSQL, "a --?\n~" },
  { EMUL_SQLITE, "a --?\n~" },
  { EMUL_MYSQL, "a # ?\n~" },
  { EMUL_PGSQL, "a # ~" },
  { EMUL_SQLITE, "a # ~" },
  { EMUL_MYSQL, "/* ? */ ~" },
  { EMUL_MYSQL, "/* /* ? */ ~ */" },
  { EMUL_PGSQL, "/* /* ? */ ? */ ~" },
  { EMUL_MYSQL, "/*! ~ */ ~" },
  { EMUL_MYSQL, "/*!50000 '?' ~ */ ~" },
  { EMUL_MYSQL, "/*M!100000 ~ */" },
  { EMUL_SQLITE, "/*! ? */ ~" },
  { EMUL_PGSQL, "/*/ ? */ ~" },
  { EMUL_MYSQL, "/* ?" },
  { EMUL_MYSQL, "'?" },
  { EMUL_MYSQL, "'\\" },
  { EMUL_MYSQL, "`?" },
  { EMUL_PGSQL, "E'?\\'?' ~" },
  { EMUL_PGSQL, "e'?\\'?' ~" },
  { EMUL_PGSQL, "'\\' ~" },
  { EMUL_PGSQL, "date'\\' ~" },
  { EMUL_PGSQL, "E'a''?\\'' ~" },
  { PGSQL_OFF, "'?\\'?' ~" },
  { EMUL_PGSQL, "$$ ? $$ ~" },
  { EMUL_PGSQL, "$a$ ? $$ ? $b$ ? $a$ ~" },
  { EMUL_PGSQL, "$1 ~ $2" },
  { EMUL_PGSQL, "a$b$ ~ $b$" },
  { EMUL_PGSQL, "a$$~" },
  { EMUL_PGSQL, "$a ~ $" },
  { EMUL_MYSQL, "$$ ~ $$" },
  { EMUL_PGSQL, "j ^ 'a' AND ~" },
  { EMUL_PGSQL, "j ^| ~" },
  { EMUL_PGSQL, "^~" },
  { EMUL_MYSQL, "~~" },
};

/* Returns the real statement, in memory of exactly its length. */
static char *real_text(const char *sql, size_t *ret_len)
{
  char *text = malloc(2 * strlen(sql) + 1);
  size_t n = 0;

  for (; *sql; sql++) {
    text[n++] = *sql == '~' || *sql == '^' ? '?' : *sql;
    if (*sql == '^')
      text[n++] = '?';
  }
  *ret_len = n;
  return realloc(text, n ? n : 1); /* ASan reports reading beyond it */
}

static bool marks_are(const struct emul_scan *scan, const char *sql)
{
  size_t at = 0, mark = 0;

  for (; *sql; sql++, at++) {
    if (*sql != '~' && *sql != '^')
      continue;
    if (mark == scan->n || scan->mark[mark].at != at ||
        scan->mark[mark].doubled != (*sql == '^'))
      return false;
    mark++;
    at += *sql == '^';
  }
  return mark == scan->n;
}

static void test_scan(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(scan_case); i++) {
    struct emul_scan scan = { 0 };
    size_t len;
    char *text = real_text(scan_case[i].sql, &len);
    bool ok;

    (void)emul_scan(&scan, text, len, scan_case[i].flags);
    ok = marks_are(&scan, scan_case[i].sql);
    OK(ok, "the placeholders of a statement");
    if (!ok)
      printf("# case %zu\n", i);
    emul_scan_done(&scan);
    free(text);
  }
}

/* ---- values ---- */

static bool quote(void *ctx, const char *text, size_t len, struct strbuf *to,
                  const char **ret_why)
{
  (void)ctx;
  if (memchr(text, '!', len)) {
    *ret_why = "a bang";
    return false;
  }
  strbuf_adds(to, "'");
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '\'')
      strbuf_adds(to, "'");
    strbuf_add(to, &text[i], 1);
  }
  strbuf_adds(to, "'");
  return true;
}

static const char *special(double value)
{
  return isnan(value) ? "'NaN'" : value < 0 ? "'-inf'" : "'inf'";
}

static const struct emul_quote plain = { quote, NULL, NULL };
static const struct emul_quote with_special = { quote, special, NULL };

/* Returns the statement with one value, or "!why" if it failed. */
static const char *with(struct strbuf *to, unsigned flags, const char *sql,
                        const struct emul_quote *q, const sql_bind *b, size_t n)
{
  struct emul_scan scan = { 0 };
  const char *why = "";

  (void)emul_scan(&scan, sql, strlen(sql), flags);
  if (emul_format(&scan, sql, strlen(sql), b, n, q, to, &why) < 0) {
    strbuf_clear(to);
    strbuf_addf(to, "!%s", why);
  }
  emul_scan_done(&scan);
  return strbuf_str(to);
}

static void test_integers(void)
{
  struct strbuf to = { 0 };
  int8_t tiny = -128;
  int16_t small = -32768;
  int32_t medium = INT32_MIN;
  int64_t big = INT64_MIN;
  char null = 1;
  const sql_bind b[] = {
    { .type = SQL_TYPE_TINYINT, .buffer = &tiny },
    { .type = SQL_TYPE_SMALLINT, .buffer = &small },
    { .type = SQL_TYPE_INT, .buffer = &medium },
    { .type = SQL_TYPE_BIGINT, .buffer = &big },
    { .type = SQL_TYPE_BIGINT, .buffer = &big, .is_null = &null },
  };

  const sql_bind two[] = { b[3], b[3] };

  OK_STR(with(&to, EMUL_MYSQL, "(?,?,?,?,?)", &plain, b, 5),
         "(-128,-32768,-2147483648,-9223372036854775808,NULL)", "integers");
  big = INT64_MAX;
  null = 0;
  OK_STR(with(&to, EMUL_MYSQL, "(?,?)", &plain, b + 3, 2),
         "(9223372036854775807,9223372036854775807)", "values are read late");
  big = -1;
  OK_STR(with(&to, EMUL_PGSQL, "5-?", &plain, b + 3, 1), "5- -1",
         "a negative value does not begin a comment");
  OK_STR(with(&to, EMUL_MYSQL, "5--?, 5-?", &plain, two, 2), "5---1, 5- -1",
         "nor does it become part of one");
  OK_STR(with(&to, EMUL_PGSQL, "SELECT?FROM t", &plain, b + 3, 1),
         "SELECT -1 FROM t", "a value does not join with words");
  OK_STR(with(&to, EMUL_PGSQL, "x=?::text, ?::int", &plain, two, 2),
         "x=(-1)::text, (-1)::int", "a cast does not part it from its sign");
  OK_STR(with(&to, EMUL_PGSQL, "? ?", &plain, b + 3, 1),
         "!parameters are not bound", "never reads beyond the values");
  strbuf_done(&to);
}

static void test_strings(void)
{
  struct strbuf to = { 0 };
  char text[] = "it's ?\0x";
  unsigned long len = 8;
  const sql_bind b[] = {
    { .type = SQL_TYPE_VARCHAR, .buffer = text, .data_len = &len },
    { .type = SQL_TYPE_CHAR, .buffer = text, .data_len = &len, .max_len = 4 },
  };

  (void)with(&to, EMUL_MYSQL, "a ? b", &plain, b, 1);
  OK(to.len == 15 && memcmp(to.text, "a 'it''s ?\0x' b", 15) == 0,
     "a string with a quote, a placeholder and a NUL byte");
  OK_STR(with(&to, EMUL_MYSQL, "?", &plain, b + 1, 1), "'it''s'",
         "cut to max_len");
  OK_STR(with(&to, EMUL_PGSQL, "E? ?? ", &plain, b + 1, 1), "E 'it''s' ? ",
         "no E in front of the quote, ?? is ?");
  text[0] = '!';
  OK_STR(with(&to, EMUL_MYSQL, "?", &plain, b, 1), "!a bang",
         "the quoting function may refuse");
  strbuf_done(&to);
}

static const struct {
  double value;
  const char *plain, *special;
} double_case[] = {
  { 0.1, "0.1", "0.1" },
  { 1e-7, "1e-07", "1e-07" },
  { 1e300, "1e+300", "1e+300" },
  { 1234567.891234567, "1234567.891234567", "1234567.891234567" },
  { 5, "5e0", "5e0" },
  { -0.0, "-0e0", "'inf'" },
  { DBL_MAX, "1.7976931348623157e+308", "1.7976931348623157e+308" },
  { 5e-324, "5e-324", "5e-324" },
  { 0.1 + 0.2, "0.30000000000000004", "0.30000000000000004" },
  { INFINITY, "!value cannot be sent", "'inf'" },
  { -INFINITY, "!value cannot be sent", "'-inf'" },
  { NAN, "!value cannot be sent", "'NaN'" },
};

static void test_doubles(void)
{
  struct strbuf to = { 0 };
  double value;
  float single = 0.1F;
  const sql_bind b = { .type = SQL_TYPE_DOUBLE, .buffer = &value };
  const sql_bind f = { .type = SQL_TYPE_FLOAT, .buffer = &single };

  for (size_t i = 0; i < ARRAY_SIZE(double_case); i++) {
    value = double_case[i].value;
    OK_STR(with(&to, 0, "?", &plain, &b, 1), double_case[i].plain,
           "a double as a number");
    OK_STR(with(&to, 0, "?", &with_special, &b, 1), double_case[i].special,
           "a double where there are literals for special ones");
  }
  OK_STR(with(&to, 0, "?", &plain, &f, 1), "0.1", "a float has its own digits");
  strbuf_done(&to);
}

static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

static void test_random_doubles(void)
{
  unsigned wrong = 0;

  for (int i = 0; i < 20000; i++) {
    uint64_t bits = (uint64_t)draw(1u << 31) << 33 ^
                    (uint64_t)draw(1u << 31) << 11 ^ draw(2048);
    double value;
    char text[32];

    memcpy(&value, &bits, sizeof(value));
    if (!isfinite(value))
      continue;
    (void)emul_double_text(value, false, text);
    wrong += strtod(text, NULL) != value;
  }
  OK(wrong == 0, "random doubles read back the same");
}

static void test_number(void)
{
  struct emul_scan scan = { 0 };
  struct strbuf to = { 0 };
  static const char sql[] = "SELECT ?::int, '?', j ?? 'a', a+?, LIMIT?";

  (void)emul_scan(&scan, sql, strlen(sql), EMUL_PGSQL);
  emul_number(&scan, sql, strlen(sql), &to);
  OK_STR(strbuf_str(&to), "SELECT $1::int, '?', j ? 'a', a+$2, LIMIT $3",
         "placeholders become $n");
  emul_scan_done(&scan);
  strbuf_done(&to);
}

static const struct {
  const char *sql, *word;
} word_case[] = {
  { "SELECT 1", "SELECT" },
  { "  select(1)", "select" },
  { "/* a */ BEGIN", "BEGIN" },
  { "-- x\nCOMMIT;", "COMMIT" },
  { "# x\nSTART", "START" },
  { "(SELECT 1)", "SELECT" },
  { "/*!40001 SET x */", "SET" },
  { "", "" },
  { "/* a", "" },
  { "?", "" },
};

static void test_first_word(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(word_case); i++) {
    const char *sql = word_case[i].sql;
    size_t len;
    const char *word = emul_first_word(sql, strlen(sql), EMUL_MYSQL, &len);

    OK(len == strlen(word_case[i].word) &&
         strncmp(word, word_case[i].word, len) == 0,
       word_case[i].word);
  }
  OK(emul_word_is("begin", 5, "BEGIN"), "any case");
  OK(!emul_word_is("begins", 6, "BEGIN"), "not a longer word");
  OK(!emul_word_is("beg", 3, "BEGIN"), "not a shorter word");
}

/* ---- random statements made of known pieces ---- */

static const struct {
  unsigned need, refuse; /* flags */
  const char *text;
  bool param;
} piece[] = {
  { 0, 0, "?", true },
  { 0, 0, " ", false },
  { 0, 0, "\n", false },
  { 0, 0, "a1", false },
  { 0, 0, "'?'", false },
  { 0, 0, "'?''?'", false },
  { 0, 0, "''", false },
  { 0, 0, "\"?\"", false },
  { 0, 0, "\"?\"\"?\"", false },
  { EMUL_BACKSLASH, 0, "'\\'?'", false },
  { EMUL_BACKSLASH_D, 0, "\"\\\"?\"", false },
  { 0, EMUL_BACKSLASH, "'?\\'", false },
  { EMUL_E_STRING, 0, "E'\\'?'", false },
  { EMUL_BACKTICK, 0, "`?`", false },
  { EMUL_BRACKET, 0, "[?']", false },
  { EMUL_DOLLAR, 0, "$$?'$$", false },
  { EMUL_DOLLAR, 0, "$t$?$$?$t$", false },
  { 0, 0, "-- ?'\n", false },
  { 0, EMUL_DASH_BLANK, "--?\n", false },
  { EMUL_HASH, 0, "#?'\n", false },
  { 0, 0, "/* ?' */", false },
  { EMUL_NESTED, 0, "/* /* ? */ ? */", false },
  { 0, EMUL_NESTED, "/* /* ? */", false },
  { 0, 0, "-", false },
  { 0, 0, "/", false },
  { 0, 0, ",", false },
};

static const unsigned dialect[] = {
  EMUL_MYSQL, EMUL_MYSQL_PLAIN, EMUL_PGSQL, PGSQL_OFF, EMUL_SQLITE,
};

/*
 * Makes one statement; true: its marks are exactly the placeholders put into
 * it.
 */
static bool one_random(unsigned flags)
{
  struct strbuf sql = { 0 };
  struct emul_scan scan = { 0 };
  size_t want[64], n = 0;
  char *exact;
  bool same;

  for (uint32_t pieces = draw(30); pieces > 0; pieces--) {
    const size_t i = draw(ARRAY_SIZE(piece));

    if ((piece[i].need & flags) != piece[i].need || piece[i].refuse & flags)
      continue;
    if (piece[i].param)
      want[n++] = sql.len;
    strbuf_adds(&sql, piece[i].text);
    strbuf_adds(&sql, " "); /* otherwise two pieces could form a third token */
  }
  exact = malloc(sql.len + 1);
  memcpy(exact, strbuf_str(&sql), sql.len);
  exact = realloc(exact, sql.len ? sql.len : 1);
  (void)emul_scan(&scan, exact, sql.len, flags);
  same = scan.n == n && scan.n_params == n;
  for (size_t i = 0; i < n && same; i++)
    same = scan.mark[i].at == want[i] && !scan.mark[i].doubled;
  if (!same)
    printf("# flags %x: %s\n", flags, strbuf_str(&sql));
  free(exact);
  emul_scan_done(&scan);
  strbuf_done(&sql);
  return same;
}

/* Uses any bytes: nothing is read beyond them, and marks are question marks. */
static bool one_noise(unsigned flags)
{
  static const char alphabet[] = "?'\"`[]$-#/*!M\\E \nab1";
  const size_t len = draw(40);
  char *sql = malloc(len ? len : 1);
  struct emul_scan scan = { 0 };
  struct strbuf to = { 0 };
  size_t word;
  bool ok = true;

  for (size_t i = 0; i < len; i++)
    sql[i] = alphabet[draw(sizeof(alphabet) - 1)];
  (void)emul_scan(&scan, sql, len, flags);
  for (size_t i = 0; i < scan.n; i++)
    ok &= scan.mark[i].at < len && sql[scan.mark[i].at] == '?' &&
          (i == 0 || scan.mark[i].at > scan.mark[i - 1].at);
  emul_number(&scan, sql, len, &to);
  ok &= emul_first_word(sql, len, flags, &word) + word <= sql + len;
  strbuf_done(&to);
  emul_scan_done(&scan);
  free(sql);
  return ok;
}

static void test_random(void)
{
  for (size_t d = 0; d < ARRAY_SIZE(dialect); d++) {
    unsigned wrong = 0, noise = 0;

    for (int i = 0; i < 5000; i++) {
      wrong += !one_random(dialect[d]);
      noise += !one_noise(dialect[d]);
    }
    OK(wrong == 0, "generated statements: exactly the placeholders");
    OK(noise == 0, "noise is read safely");
  }
}

int main(void)
{
  test_scan();
  test_integers();
  test_strings();
  test_doubles();
  test_random_doubles();
  test_number();
  test_first_word();
  test_random();
  return TAP_EXIT();
}
