/*
 * emul.h - the placeholders of a statement, and values in their places: pure
 * functions.
 */
#ifndef BENCH_DB_EMUL_H
#define BENCH_DB_EMUL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"

/* Skipped, like '...', "..." and C comments. */
enum emul_flags {
  EMUL_BACKSLASH = 1 << 0,   /* backslash escapes in '...' */
  EMUL_BACKSLASH_D = 1 << 1, /* also in "..." */
  EMUL_E_STRING = 1 << 2,    /* backslash escapes in E'...' */
  EMUL_BACKTICK = 1 << 3,    /* `...` */
  EMUL_BRACKET = 1 << 4,     /* [...] */
  EMUL_DOLLAR = 1 << 5,      /* $tag$...$tag$ */
  EMUL_DASH_BLANK = 1 << 6,  /* -- needs a blank or control character */
  EMUL_HASH = 1 << 7,        /* # to the end of the line */
  EMUL_NESTED = 1 << 8,
  EMUL_CODE_COMMENT = 1 << 9, /* the inside of ! and M! comments is SQL */
  EMUL_DOUBLED = 1 << 10,     /* ?? is one literal ? */

  EMUL_MYSQL = EMUL_BACKSLASH | EMUL_BACKSLASH_D | EMUL_BACKTICK |
               EMUL_DASH_BLANK | EMUL_HASH | EMUL_CODE_COMMENT,
  /* With NO_BACKSLASH_ESCAPES. */
  EMUL_MYSQL_PLAIN = EMUL_BACKTICK | EMUL_DASH_BLANK | EMUL_HASH |
                     EMUL_CODE_COMMENT,
  /* Without standard_conforming_strings, also EMUL_BACKSLASH. */
  EMUL_PGSQL = EMUL_E_STRING | EMUL_DOLLAR | EMUL_NESTED | EMUL_DOUBLED,
  EMUL_SQLITE = EMUL_BACKTICK | EMUL_BRACKET,
};

struct emul_mark {
  size_t at;
  bool doubled; /* `??`: a literal `?` */
};

/* {0} is empty. */
struct emul_scan {
  unsigned flags;
  size_t n;
  size_t n_params; /* not doubled */
  size_t room;
  struct emul_mark *mark; /* owned */
};

/* 0 or -ENOMEM.  Replaces *scan. */
int emul_scan(struct emul_scan *scan, const char *sql, size_t len,
              unsigned flags);
void emul_scan_done(struct emul_scan *scan);

/* Writes $1, $2, ... for placeholders and ? for ??. */
void emul_number(const struct emul_scan *scan, const char *sql, size_t len,
                 struct strbuf *to);

struct emul_quote {
  /* See quote() of struct driver. */
  bool (*text)(void *ctx, const char *text, size_t len, struct strbuf *to,
               const char **ret_why);
  /* [opt] See quote_special(). */
  const char *(*special)(double value);
  void *ctx;
};

/* n == n_params. 0, or -EINVAL and *ret_why (static).  Replaces `to`; look at
 * to->failed. */
int emul_format(const struct emul_scan *scan, const char *sql, size_t len,
                const sql_bind *binds, size_t n, const struct emul_quote *q,
                struct strbuf *to, const char **ret_why);

/* Length of the quoted part or comment at sql[at], or of the head of one with
 * SQL; 0: none. *ret_open: without end. */
size_t emul_skip(const char *sql, size_t len, size_t at, unsigned flags,
                 bool *ret_open);

bool emul_can_send(const sql_bind *binds, size_t n);

long long emul_bind_int(const sql_bind *b);
/* FLOAT or DOUBLE. */
double emul_bind_double(const sql_bind *b);
bool emul_bind_null(const sql_bind *b);
/* CHAR or VARCHAR. */
const char *emul_bind_text(const sql_bind *b, size_t *ret_len);

/* The shortest decimal text that reads back the same; 31 bytes at most and the
 * terminator. */
size_t emul_double_text(double value, bool single, char *to);

/* *ret_len 0: no word. */
const char *emul_first_word(const char *sql, size_t len, unsigned flags,
                            size_t *ret_len);

/* `name` in capitals. */
bool emul_word_is(const char *word, size_t len, const char *name);

#endif
