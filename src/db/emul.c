#include "db/emul.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"

bool emul_bind_null(const sql_bind *b)
{
  return b->type == SQL_TYPE_NONE || (b->is_null && *b->is_null);
}

bool emul_can_send(const sql_bind *binds, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const sql_bind_type_t t = binds[i].type;

    if (t > SQL_TYPE_VARCHAR || (t >= SQL_TYPE_TIME && t <= SQL_TYPE_TIMESTAMP))
      return false;
  }
  return true;
}

long long emul_bind_int(const sql_bind *b)
{
  switch (b->type) {
  case SQL_TYPE_TINYINT:
    return *(const int8_t *)b->buffer;
  case SQL_TYPE_SMALLINT:
    return *(const int16_t *)b->buffer;
  case SQL_TYPE_INT:
    return *(const int32_t *)b->buffer;
  default:
    return *(const int64_t *)b->buffer;
  }
}

double emul_bind_double(const sql_bind *b)
{
  return b->type == SQL_TYPE_FLOAT ? (double)*(const float *)b->buffer
                                   : *(const double *)b->buffer;
}

const char *emul_bind_text(const sql_bind *b, size_t *ret_len)
{
  size_t len = b->data_len ? *b->data_len : 0;

  if (b->max_len > 0 && len > b->max_len)
    len = b->max_len;
  *ret_len = b->buffer ? len : 0;
  return b->buffer ? b->buffer : "";
}

static bool emul_reads_back(const char *text, double value, bool single)
{
  return single ? strtof(text, NULL) == (float)value
                : strtod(text, NULL) == value;
}

size_t emul_double_text(double value, bool single, char *to)
{
  /* Normal numbers need no fewer digits; subnormal ones have fewer bits. */
  const int sure = single ? FLT_DIG : DBL_DIG;
  const bool normal = fabs(value) >= (single ? FLT_MIN : DBL_MIN);
  int digits = normal ? sure : 1;
  int len;

  do {
    len = snprintf(to, 32, "%.*g", digits++, value);
  } while (!emul_reads_back(to, value, single) && digits <= DBL_DECIMAL_DIG);

  /* without it, servers read an integer */
  if (!strpbrk(to, ".e")) {
    memcpy(to + len, "e0", 3);
    len += 2;
  }
  return (size_t)len;
}

static bool emul_touches(char c)
{
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 ||
         strchr("_$'\"`", c);
}

/* A value must not join the token before (`-` and `-1`, `E` and a quote), and
 * `--` must not get a blank. */
static void emul_keep_apart(struct strbuf *to)
{
  const char last = to->len > 0 ? to->text[to->len - 1] : ' ';
  const bool second = to->len > 1 && to->text[to->len - 2] == '-';

  if ((last == '-' && !second) || emul_touches(last))
    strbuf_add(to, " ", 1);
}

static int emul_add_double(const sql_bind *b, const struct emul_quote *q,
                           struct strbuf *to, const char **ret_why)
{
  const double value = emul_bind_double(b);
  const bool odd = !isfinite(value) || (value == 0 && signbit(value));
  const char *special = odd && q->special ? q->special(value) : NULL;
  char text[32];

  if (special) {
    strbuf_adds(to, special);
    return 0;
  }
  if (!isfinite(value)) {
    *ret_why = "value cannot be sent";
    return -EINVAL;
  }
  strbuf_add(to, text,
             emul_double_text(value, b->type == SQL_TYPE_FLOAT, text));
  return 0;
}

static int emul_add_value(const sql_bind *b, const struct emul_quote *q,
                          struct strbuf *to, const char **ret_why)
{
  const char *string;
  char text[32];
  size_t len;

  if (emul_bind_null(b)) {
    strbuf_adds(to, "NULL");
    return 0;
  }
  switch (b->type) {
  case SQL_TYPE_TINYINT:
  case SQL_TYPE_SMALLINT:
  case SQL_TYPE_INT:
  case SQL_TYPE_BIGINT:
    strbuf_add(to, text, fmt_int(text, emul_bind_int(b)));
    return 0;
  case SQL_TYPE_FLOAT:
  case SQL_TYPE_DOUBLE:
    return emul_add_double(b, q, to, ret_why);
  case SQL_TYPE_CHAR:
  case SQL_TYPE_VARCHAR:
    string = emul_bind_text(b, &len);
    return q->text(q->ctx, string, len, to, ret_why) ? 0 : -EINVAL;
  default:
    *ret_why = "value cannot be sent";
    return -EINVAL;
  }
}

/* A cast binds more tightly than a sign: -1::text is -(1::text). */
static void emul_shield_sign(struct strbuf *to, size_t at)
{
  if (to->failed || at >= to->len)
    return;
  if (to->text[at] == ' ')
    at++;
  if (to->text[at] != '-')
    return;
  strbuf_add(to, " )", 2); /* room for both */
  if (to->failed)
    return;
  memmove(to->text + at + 1, to->text + at, to->len - at - 2);
  to->text[at] = '(';
}

/* `q` NULL: numbers instead of values. */
static int emul_fill(const struct emul_scan *scan, const char *sql, size_t len,
                     const sql_bind *binds, const struct emul_quote *q,
                     struct strbuf *to, const char **ret_why)
{
  size_t from = 0;
  unsigned value = 0;

  strbuf_clear(to);
  for (size_t i = 0; i < scan->n; i++) {
    const struct emul_mark *m = &scan->mark[i];
    size_t start;

    strbuf_add(to, sql + from, m->at - from);
    from = m->at + (m->doubled ? 2 : 1);
    if (m->doubled) {
      strbuf_add(to, "?", 1);
      continue;
    }
    start = to->len;
    emul_keep_apart(to);
    value++;
    if (!q)
      strbuf_addf(to, "$%u", value);
    else if (emul_add_value(&binds[value - 1], q, to, ret_why) < 0)
      return -EINVAL;
    if (q && len - from >= 2 && sql[from] == ':' && sql[from + 1] == ':')
      emul_shield_sign(to, start);
    if (from < len && emul_touches(sql[from]))
      strbuf_add(to, " ", 1);
  }
  strbuf_add(to, sql + from, len - from);
  return 0;
}

int emul_format(const struct emul_scan *scan, const char *sql, size_t len,
                const sql_bind *binds, size_t n, const struct emul_quote *q,
                struct strbuf *to, const char **ret_why)
{
  if (n < scan->n_params) {
    *ret_why = "parameters are not bound";
    return -EINVAL;
  }
  return emul_fill(scan, sql, len, binds, q, to, ret_why);
}

void emul_number(const struct emul_scan *scan, const char *sql, size_t len,
                 struct strbuf *to)
{
  (void)emul_fill(scan, sql, len, NULL, NULL, to, NULL);
}

struct reader {
  const char *start, *p, *end;
  unsigned flags;
  bool open; /* no end was found */
};

static bool emul_at(const struct reader *r, const char *text)
{
  const size_t len = strlen(text);

  return (size_t)(r->end - r->p) >= len && memcmp(r->p, text, len) == 0;
}

static bool emul_in_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* No token begins at `p`. */
static bool emul_after_name(const struct reader *r, const char *p)
{
  return p > r->start && (emul_in_name(p[-1]) || p[-1] == '$');
}

static void emul_skip_quoted(struct reader *r, char quote, bool backslash)
{
  for (r->p++; r->p < r->end; r->p++) {
    if (backslash && *r->p == '\\' && r->p + 1 < r->end) {
      r->p++;
    } else if (*r->p == quote) {
      if (r->p + 1 < r->end && r->p[1] == quote) {
        r->p++;
      } else {
        r->p++;
        return;
      }
    }
  }
  r->open = true;
}

static void emul_skip_string(struct reader *r)
{
  bool backslash = r->flags & EMUL_BACKSLASH;

  if (r->flags & EMUL_E_STRING && r->p > r->start &&
      (r->p[-1] == 'E' || r->p[-1] == 'e') && !emul_after_name(r, r->p - 1))
    backslash = true;
  emul_skip_quoted(r, '\'', backslash);
}

static void emul_skip_line(struct reader *r)
{
  while (r->p < r->end && *r->p != '\n')
    r->p++;
}

static bool emul_at_dashes(const struct reader *r)
{
  unsigned char next;

  if (!emul_at(r, "--"))
    return false;
  if (!(r->flags & EMUL_DASH_BLANK) || r->p + 2 == r->end)
    return true;
  next = (unsigned char)r->p[2];
  return next <= ' ' || next == 0x7f;
}

/* True: a comment that contains SQL. */
static bool emul_skip_comment(struct reader *r)
{
  unsigned depth = 1;

  r->p += 2;
  if (r->flags & EMUL_CODE_COMMENT && (emul_at(r, "!") || emul_at(r, "M!")))
    return true;
  while (r->p < r->end && depth > 0) {
    if (emul_at(r, "*/")) {
      depth--;
      r->p += 2;
    } else if (r->flags & EMUL_NESTED && emul_at(r, "/*")) {
      depth++;
      r->p += 2;
    } else {
      r->p++;
    }
  }
  r->open = depth > 0;
  return false;
}

static void emul_skip_dollar(struct reader *r)
{
  const char *tag = r->p;
  const char *q = tag + 1;
  size_t len;

  r->p++;
  if (emul_after_name(r, tag) || (q < r->end && isdigit((unsigned char)*q)))
    return;
  while (q < r->end && emul_in_name(*q))
    q++;
  if (q == r->end || *q != '$')
    return;
  len = (size_t)(q + 1 - tag);
  for (r->p = q + 1; r->p < r->end; r->p++) {
    if (*r->p == '$' && (size_t)(r->end - r->p) >= len &&
        memcmp(r->p, tag, len) == 0) {
      r->p += len;
      return;
    }
  }
  r->open = true;
}

static void emul_skip_bracket(struct reader *r)
{
  while (r->p < r->end && *r->p != ']')
    r->p++;
  r->open = r->p == r->end;
  if (r->p < r->end)
    r->p++;
}

static bool emul_skip_region(struct reader *r)
{
  const unsigned f = r->flags;

  switch (*r->p) {
  case '\'':
    emul_skip_string(r);
    return true;
  case '"':
    emul_skip_quoted(r, '"', f & EMUL_BACKSLASH_D);
    return true;
  case '`':
    if (f & EMUL_BACKTICK)
      emul_skip_quoted(r, '`', false);
    return f & EMUL_BACKTICK;
  case '[':
    if (f & EMUL_BRACKET)
      emul_skip_bracket(r);
    return f & EMUL_BRACKET;
  case '$':
    if (f & EMUL_DOLLAR)
      emul_skip_dollar(r);
    return f & EMUL_DOLLAR;
  case '#':
    if (f & EMUL_HASH)
      emul_skip_line(r);
    return f & EMUL_HASH;
  case '-':
    if (!emul_at_dashes(r))
      return false;
    emul_skip_line(r);
    return true;
  case '/':
    if (!emul_at(r, "/*"))
      return false;
    (void)emul_skip_comment(r); /* its inside is read as SQL */
    return true;
  default:
    return false;
  }
}

size_t emul_skip(const char *sql, size_t len, size_t at, unsigned flags,
                 bool *ret_open)
{
  struct reader r = { sql, sql + at, sql + len, flags, false };

  if (!emul_skip_region(&r))
    return 0;
  *ret_open = r.open;
  return (size_t)(r.p - sql) - at;
}

static int emul_add_mark(struct emul_scan *scan, size_t where, bool doubled)
{
  if (scan->n == scan->room) {
    const size_t room = scan->room ? 2 * scan->room : 8;
    struct emul_mark *mark = reallocarray(scan->mark, room, sizeof(*mark));

    if (!mark)
      return -ENOMEM;
    scan->mark = mark;
    scan->room = room;
  }
  scan->mark[scan->n].at = where;
  scan->mark[scan->n].doubled = doubled;
  scan->n++;
  scan->n_params += !doubled;
  return 0;
}

int emul_scan(struct emul_scan *scan, const char *sql, size_t len,
              unsigned flags)
{
  struct reader r = { sql, sql, sql + len, flags, false };

  scan->flags = flags;
  scan->n = 0;
  scan->n_params = 0;
  while (r.p < r.end) {
    bool doubled;

    if (emul_skip_region(&r))
      continue;
    if (*r.p != '?') {
      r.p++;
      continue;
    }
    doubled = flags & EMUL_DOUBLED && emul_at(&r, "??");
    if (emul_add_mark(scan, (size_t)(r.p - sql), doubled) < 0)
      return -ENOMEM;
    r.p += doubled ? 2 : 1;
  }
  return 0;
}

void emul_scan_done(struct emul_scan *scan)
{
  free(scan->mark);
  memset(scan, 0, sizeof(*scan));
}

const char *emul_first_word(const char *sql, size_t len, unsigned flags,
                            size_t *ret_len)
{
  struct reader r = { sql, sql, sql + len, flags, false };
  const char *word;

  while (r.p < r.end && !emul_in_name(*r.p)) {
    if (emul_at(&r, "/*")) {
      if (emul_skip_comment(&r)) {
        r.p += *r.p == '!' ? 1 : 2;
        while (r.p < r.end && isdigit((unsigned char)*r.p))
          r.p++;
      }
    } else if (emul_at_dashes(&r) || (*r.p == '#' && flags & EMUL_HASH)) {
      emul_skip_line(&r);
    } else if (isspace((unsigned char)*r.p) || *r.p == '(' || *r.p == ';') {
      r.p++;
    } else {
      break;
    }
  }
  word = r.p;
  while (r.p < r.end && emul_in_name(*r.p))
    r.p++;
  *ret_len = (size_t)(r.p - word);
  return word;
}

bool emul_word_is(const char *word, size_t len, const char *name)
{
  for (; len > 0 && *name; word++, name++, len--) {
    if (toupper((unsigned char)*word) != *name)
      return false;
  }
  return len == 0 && *name == '\0';
}
