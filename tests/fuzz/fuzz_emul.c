/*
 * fuzz_emul.c - whatever the statement and the values: literals and comments
 * are left alone, values read back as what they were, and putting a value into
 * the place of a placeholder never changes what the rest of the statement is.
 *
 * Input: a byte for the dialect, a byte for the length of the values, the
 * values, the statement.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "db/emul.h"
#include "input.h"

enum {
  BINDS = 8
};

static const unsigned dialect[] = {
  EMUL_MYSQL,  EMUL_MYSQL_PLAIN, EMUL_PGSQL, EMUL_PGSQL | EMUL_BACKSLASH,
  EMUL_SQLITE,
};

struct values {
  sql_bind bind[BINDS];
  int64_t number[BINDS];
  double real[BINDS];
  float single[BINDS];
  char *text[BINDS]; /* owned */
  unsigned long len[BINDS];
  char null[BINDS];
};

static void read_values(struct values *v, struct input *in)
{
  static const sql_bind_type_t types[] = {
    SQL_TYPE_TINYINT, SQL_TYPE_SMALLINT, SQL_TYPE_INT,     SQL_TYPE_BIGINT,
    SQL_TYPE_FLOAT,   SQL_TYPE_DOUBLE,   SQL_TYPE_VARCHAR, SQL_TYPE_CHAR,
    SQL_TYPE_DATE,    SQL_TYPE_NONE,
  };

  for (size_t i = 0; i < BINDS; i++) {
    const uint8_t kind = input_byte(in);
    sql_bind *b = &v->bind[i];
    size_t len;

    b->type = types[kind % (sizeof(types) / sizeof(types[0]))];
    v->text[i] = (char *)input_bytes(in, kind >> 4, &len);
    v->len[i] = len;
    v->null[i] = kind == 0xff;
    v->number[i] = 0;
    memcpy(&v->number[i], v->text[i], len < 8 ? len : 8);
    memcpy(&v->real[i], &v->number[i], sizeof(v->real[i]));
    memcpy(&v->single[i], &v->number[i], sizeof(v->single[i]));
    b->buffer = &v->number[i];
    if (b->type == SQL_TYPE_FLOAT)
      b->buffer = &v->single[i];
    else if (b->type == SQL_TYPE_DOUBLE)
      b->buffer = &v->real[i];
    else if (b->type == SQL_TYPE_VARCHAR || b->type == SQL_TYPE_CHAR)
      b->buffer = v->text[i];
    b->data_len = &v->len[i];
    b->is_null = &v->null[i];
  }
}

static void values_done(struct values *v)
{
  for (size_t i = 0; i < BINDS; i++)
    free(v->text[i]);
}

/* As standard SQL has it; `ctx` says whether backslashes are special, too. */
static bool quote(void *ctx, const char *text, size_t len, struct strbuf *to,
                  const char **ret_why)
{
  const bool backslash = *(const unsigned *)ctx & EMUL_BACKSLASH;

  (void)ret_why;
  strbuf_add(to, "'", 1);
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '\'' || (text[i] == '\\' && backslash))
      strbuf_add(to, &text[i], 1);
    strbuf_add(to, &text[i], 1);
  }
  strbuf_add(to, "'", 1);
  return true;
}

/* A placeholder stays one, so that the result can be scanned. */
static bool keep_mark(void *ctx, const char *text, size_t len,
                      struct strbuf *to, const char **ret_why)
{
  (void)ctx, (void)text, (void)len, (void)ret_why;
  strbuf_add(to, "?", 1);
  return true;
}

static void check_marks(const struct emul_scan *scan, const char *sql,
                        size_t len)
{
  size_t params = 0, behind = 0;

  for (size_t i = 0; i < scan->n; i++) {
    const struct emul_mark *m = &scan->mark[i];

    MUST(m->at >= behind && m->at < len && sql[m->at] == '?');
    MUST(!m->doubled || (m->at + 1 < len && sql[m->at + 1] == '?'));
    behind = m->at + 1 + m->doubled;
    params += !m->doubled;
  }
  MUST(params == scan->n_params);
}

/* All placeholders are where they were, between the same pieces of text. */
static void check_structure(const struct emul_scan *scan, const char *sql,
                            size_t len)
{
  const struct emul_quote q = { keep_mark, NULL, NULL };
  const char *why = NULL;
  struct emul_scan again = { 0 };
  struct strbuf to = { 0 };
  sql_bind *binds = calloc(scan->n_params + 1, sizeof(*binds));

  MUST(binds);
  for (size_t i = 0; i < scan->n_params; i++)
    binds[i] = (sql_bind){ .type = SQL_TYPE_VARCHAR };
  MUST(emul_format(scan, sql, len, binds, scan->n_params, &q, &to, &why) == 0);
  /* Servers do not know doubled marks. */
  MUST(emul_scan(&again, strbuf_str(&to), to.len,
                 scan->flags & ~(unsigned)EMUL_DOUBLED) == 0);
  MUST(again.n == scan->n);
  free(binds);
  emul_scan_done(&again);
  strbuf_done(&to);
}

/* The pieces of the statement one after the other, and something between. */
static void check_pieces(const struct emul_scan *scan, const char *sql,
                         size_t len, const struct strbuf *to)
{
  const char *at = strbuf_str(to), *end = at + to->len;
  size_t from = 0;

  for (size_t i = 0; i <= scan->n; i++) {
    const size_t upto = i < scan->n ? scan->mark[i].at : len;
    const size_t n = upto - from;
    const char *found = n == 0 ? at
                               : memmem(at, (size_t)(end - at), sql + from, n);

    MUST(found);
    at = found + n;
    if (i < scan->n)
      from = upto + 1 + scan->mark[i].doubled;
  }
}

static void check_text(const char *got, size_t len, const char *want, size_t n,
                       bool backslash)
{
  size_t i = 1;

  MUST(len >= 2 && got[0] == '\'' && got[len - 1] == '\'');
  for (; n > 0; n--, i++, want++) {
    if (*want == '\'' || (*want == '\\' && backslash))
      MUST(got[i++] == *want);
    MUST(i < len - 1 && got[i] == *want);
  }
  MUST(i == len - 1);
}

/* One value alone, read back by other means. */
static void check_value(const sql_bind *b, const struct emul_quote *q,
                        unsigned flags)
{
  struct emul_scan scan = { 0 };
  struct strbuf to = { 0 };
  const char *why = NULL, *text;
  size_t len;
  int rc;

  MUST(emul_scan(&scan, "?", 1, flags) == 0);
  rc = emul_format(&scan, "?", 1, b, 1, q, &to, &why);
  MUST(rc == 0 || (rc == -EINVAL && why));
  if (rc < 0) {
    MUST(b->type == SQL_TYPE_DATE ||
         ((b->type == SQL_TYPE_FLOAT || b->type == SQL_TYPE_DOUBLE) &&
          !isfinite(emul_bind_double(b))));
  } else if (emul_bind_null(b)) {
    MUST(strcmp(strbuf_str(&to), "NULL") == 0);
  } else if (b->type == SQL_TYPE_VARCHAR || b->type == SQL_TYPE_CHAR) {
    text = emul_bind_text(b, &len);
    check_text(to.text, to.len, text, len, flags & EMUL_BACKSLASH);
  } else if (b->type == SQL_TYPE_DOUBLE) {
    MUST(strtod(to.text, NULL) == emul_bind_double(b) &&
         signbit(strtod(to.text, NULL)) == signbit(emul_bind_double(b)));
  } else if (b->type == SQL_TYPE_FLOAT) {
    MUST((double)strtof(to.text, NULL) == emul_bind_double(b));
  } else {
    MUST(strtoll(to.text, NULL, 10) == emul_bind_int(b));
  }
  strbuf_done(&to);
  emul_scan_done(&scan);
}

static void check_statement(const struct emul_scan *scan, const char *sql,
                            size_t len, const struct values *v,
                            const struct emul_quote *q)
{
  const size_t n = scan->n_params < BINDS ? scan->n_params : BINDS;
  struct strbuf to = { 0 };
  const char *why = NULL;
  const int rc = emul_format(scan, sql, len, v->bind, n, q, &to, &why);

  MUST(!to.failed);
  if (rc == 0) {
    MUST(scan->n_params <= BINDS);
    check_pieces(scan, sql, len, &to);
    if (scan->n == 0)
      MUST(to.len == len && memcmp(strbuf_str(&to), sql, len) == 0);
  } else {
    MUST(rc == -EINVAL && why);
  }
  emul_number(scan, sql, len, &to);
  check_pieces(scan, sql, len, &to);
  strbuf_done(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  unsigned flags =
    dialect[input_byte(&in) % (sizeof(dialect) / sizeof(dialect[0]))];
  const struct emul_quote q = { quote, NULL, &flags };
  size_t room = input_byte(&in), len, word_len;
  struct emul_scan scan = { 0 };
  struct input own = in;
  struct values v;
  const char *word;
  char *sql;

  if (room > in.left)
    room = in.left;
  own.left = room;
  in.at += room;
  in.left -= room;
  read_values(&v, &own);
  sql = (char *)input_bytes(&in, 4096, &len);
  MUST(emul_scan(&scan, sql, len, flags) == 0);
  check_marks(&scan, sql, len);
  check_structure(&scan, sql, len);
  check_statement(&scan, sql, len, &v, &q);
  for (size_t i = 0; i < BINDS; i++)
    check_value(&v.bind[i], &q, flags);
  word = emul_first_word(sql, len, flags, &word_len);
  MUST(word >= sql && word + word_len <= sql + len);
  emul_scan_done(&scan);
  free(sql);
  values_done(&v);
  return 0;
}
