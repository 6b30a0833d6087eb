/*
 * error.c - outcomes, and the consequences of error codes.
 */
#include "drivers/mysql/error.h"

#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/mysql/session.h"

enum {
  MSG_MAX = 1023, /* bytes that are kept */
};

static bool error_is_one_of(const int *codes, size_t n, int code)
{
  for (size_t i = 0; i < n; i++) {
    if (codes[i] == code)
      return true;
  }
  return false;
}

bool mysqld_error_is_lost(int code)
{
  static const int codes[] = { 1053, 1927,      CODE_GONE,
                               2011, CODE_LOST, CODE_MALFORMED,
                               2055, 4031,      CODE_TLS };

  return error_is_one_of(codes, ARRAY_SIZE(codes), code);
}

/* A connect that failed: would another attempt fail, too? */
static bool mysqld_error_is_permanent(int code)
{
  static const int codes[] = { 1044, 1045, 1049,          1698,
                               3118, 3159, CODE_PROTOCOL, CODE_TLS };

  return error_is_one_of(codes, ARRAY_SIZE(codes), code);
}

static bool mysqld_error_is_no_server(int code)
{
  return code == CODE_NO_SOCKET || code == CODE_NO_HOST;
}

int mysqld_error_set(struct mysql_session *s, struct outcome *out, int code,
                     const char *state, const char *msg, size_t len)
{
  strbuf_clear(&s->msg);
  strbuf_add(&s->msg, msg, len < MSG_MAX ? len : MSG_MAX);
  out->code = code;
  memcpy(out->state, state ? state : "HY000", 5);
  out->state[5] = '\0';
  out->msg = strbuf_str(&s->msg);
  out->lost = mysqld_error_is_lost(code);
  s->more = false;
  if (out->lost) {
    s->lost = true;
    out->in_trx = s->base.trx != TRX_NONE;
    s->base.trx = TRX_NONE;
  }
  return -1;
}

static int error_set_text(struct mysql_session *s, struct outcome *out,
                          int code, const char *text)
{
  return mysqld_error_set(s, out, code, NULL, text, strlen(text));
}

int mysqld_error_connect(struct mysql_session *s, struct outcome *out, int code,
                         const char *state, const char *text)
{
  (void)mysqld_error_set(s, out, code, state, text, strlen(text));
  out->lost = false;
  out->permanent = mysqld_error_is_permanent(code);
  out->no_server = mysqld_error_is_no_server(code) && !s->to.skips_port;
  return -1;
}

int mysqld_error_gone(struct mysql_session *s, struct outcome *out)
{
  return error_set_text(s, out, CODE_GONE, mysqld_shim_text_gone());
}

int mysqld_error_lost(struct mysql_session *s, struct outcome *out)
{
  return error_set_text(s, out, CODE_LOST, mysqld_shim_text_lost());
}

int mysqld_error_malformed(struct mysql_session *s, struct outcome *out)
{
  return error_set_text(s, out, CODE_MALFORMED, "Malformed packet");
}

int mysqld_error_out_of_step(struct mysql_session *s, struct outcome *out)
{
  return error_set_text(
    s, out, CODE_MALFORMED,
    "Lost synchronization with the server: it has sent what "
    "does not answer the statement");
}

int mysqld_error_no_memory(struct mysql_session *s, struct outcome *out)
{
  return error_set_text(s, out, CODE_NO_MEMORY, "Client run out of memory");
}

int mysqld_error_no_file_here(struct mysql_session *s, struct outcome *out)
{
  return error_set_text(
    s, out, CODE_MALFORMED,
    "a statement that asks for a file cannot be in a pipeline");
}

int mysqld_error_too_large(struct mysql_session *s, struct outcome *out)
{
  (void)error_set_text(s, out, CODE_NO_MEMORY, RESULT_TOO_LARGE);
  out->during_results = true;
  out->lost = true;
  s->lost = true;
  return -1;
}

/* These cannot begin or end a transaction and then fail, as a procedure can. */
static bool error_is_single(const char *sql, size_t len, unsigned dialect)
{
  static const char *const words[] = { "SELECT", "INSERT",  "UPDATE",
                                       "DELETE", "REPLACE", "WITH",
                                       "DO",     "LOAD",    "START" };
  size_t n;
  const char *word = emul_first_word(sql, len, dialect, &n);

  for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
    if (emul_word_is(word, n, words[i]))
      return true;
  }
  if (!emul_word_is(word, n, "BEGIN"))
    return false;
  word += n;
  word = emul_first_word(word, len - (size_t)(word - sql), dialect, &n);
  return !emul_word_is(word, n, "NOT"); /* a block */
}

static bool error_may_have_changed(const struct mysql_session *s, int code,
                                   const char *sql, size_t len)
{
  if (!sql || !error_is_single(sql, len, s->base.dialect))
    return true;
  if (s->base.trx == TRX_NONE)
    return !(s->status & STATUS_AUTOCOMMIT);
  /* Unless the deadlock was about a lock other than a row's. */
  return s->base.trx == TRX_OPEN && code == CODE_DEADLOCK;
}

void mysqld_error_note_trx(struct mysql_session *s, const struct outcome *out,
                           const char *sql, size_t len)
{
  if (!out->lost && error_may_have_changed(s, out->code, sql, len))
    s->base.trx = TRX_UNKNOWN;
}

void mysqld_error_none(struct mysql_session *s, struct outcome *out,
                       unsigned status, uint32_t nfields,
                       uint64_t nrows_or_affected)
{
  s->status = status;
  s->more = (status & STATUS_MORE_RESULTS) != 0;
  s->base.trx = status & STATUS_IN_TRANS ? TRX_OPEN : TRX_NONE;
  s->base.dialect = status & STATUS_NO_BACKSLASH ? EMUL_MYSQL_PLAIN
                                                 : EMUL_MYSQL;
  out->more = s->more;
  out->nfields = nfields;
  if (nfields > 0) {
    out->counter = COUNTER_READ;
    out->nrows = nrows_or_affected;
  } else {
    out->counter = nrows_or_affected > 0 ? COUNTER_WRITE : COUNTER_OTHER;
    out->taken = nrows_or_affected;
  }
}
