/*
 * emul.h - where the placeholders of a statement are, and the statement with
 * values in their places.
 *
 * Pure functions: the dialect is a set of flags, quoting of strings is a
 * call-back.
 */
#ifndef BENCH_DB_EMUL_H
#define BENCH_DB_EMUL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"

/* What is not searched for placeholders, besides '...', "..." and C comments.
 */
enum emul_flags {
  EMUL_BACKSLASH = 1 << 0,    /* backslash escapes inside '...' */
  EMUL_BACKSLASH_D = 1 << 1,  /* ... and inside "..." */
  EMUL_E_STRING = 1 << 2,     /* backslash escapes inside E'...' */
  EMUL_BACKTICK = 1 << 3,     /* `...` */
  EMUL_BRACKET = 1 << 4,      /* [...] */
  EMUL_DOLLAR = 1 << 5,       /* $tag$...$tag$ */
  EMUL_DASH_BLANK = 1 << 6,   /* -- needs a blank or control character next */
  EMUL_HASH = 1 << 7,         /* # to the end of the line */
  EMUL_NESTED = 1 << 8,       /* C comments nest */
  EMUL_CODE_COMMENT = 1 << 9, /* the inside of C comments that begin with ! or
                               * M! is SQL */
  EMUL_DOUBLED = 1 << 10,     /* ?? is one literal ? */

  EMUL_MYSQL = EMUL_BACKSLASH | EMUL_BACKSLASH_D | EMUL_BACKTICK |
               EMUL_DASH_BLANK | EMUL_HASH | EMUL_CODE_COMMENT,
  /* NO_BACKSLASH_ESCAPES is on: without the first two. */
  EMUL_MYSQL_PLAIN = EMUL_BACKTICK | EMUL_DASH_BLANK | EMUL_HASH |
                     EMUL_CODE_COMMENT,
  /* standard_conforming_strings is off: and EMUL_BACKSLASH. */
  EMUL_PGSQL = EMUL_E_STRING | EMUL_DOLLAR | EMUL_NESTED | EMUL_DOUBLED,
  EMUL_SQLITE = EMUL_BACKTICK | EMUL_BRACKET,
};

struct emul_mark {
  size_t at;    /* of the `?` */
  bool doubled; /* `??`: one literal `?` */
};

/* The marks of a statement; {0} is empty. */
struct emul_scan {
  unsigned flags;  /* it was scanned with these */
  size_t n;        /* marks */
  size_t n_params; /* of them not doubled */
  size_t room;
  struct emul_mark *mark; /* owned */
};

/* 0 or -ENOMEM.  What was in *scan before is replaced, memory is reused. */
int emul_scan(struct emul_scan *scan, const char *sql, size_t len,
              unsigned flags);
void emul_scan_done(struct emul_scan *scan);

/* The text with $1, $2, ... for placeholders and ? for ??. */
void emul_number(const struct emul_scan *scan, const char *sql, size_t len,
                 struct strbuf *to);

struct emul_quote {
  /* See quote() of struct driver; `ctx` is passed on. */
  bool (*text)(void *ctx, const char *text, size_t len, struct strbuf *to,
               const char **ret_why);
  /* [opt] The literal for infinities, NaN and -0.0; NULL: there is none (then
   * only -0.0 can be sent, as a number). */
  const char *(*special)(double value);
  void *ctx;
};

/*
 * The text with the values in place of the placeholders; n == n_params.  0, or
 * -EINVAL and *ret_why (static text) when a value cannot be sent.  `to` is
 * replaced; look at to->failed for lack of memory.
 */
int emul_format(const struct emul_scan *scan, const char *sql, size_t len,
                const sql_bind *binds, size_t n, const struct emul_quote *q,
                struct strbuf *to, const char **ret_why);

/*
 * The length of what is not searched for placeholders and begins at sql[at]: a
 * quoted part, a comment, or the beginning of a comment whose inside is SQL.  0
 * if none begins there; otherwise *ret_open: it has no end in this text.
 */
size_t emul_skip(const char *sql, size_t len, size_t at, unsigned flags,
                 bool *ret_open);

/* All values have types that can be sent: there are no dates. */
bool emul_can_send(const sql_bind *binds, size_t n);

/* The value of a bound integer, which has one of the four integer types. */
long long emul_bind_int(const sql_bind *b);
/* The value of a FLOAT or DOUBLE. */
double emul_bind_double(const sql_bind *b);
bool emul_bind_null(const sql_bind *b);
/* The bytes of a CHAR or VARCHAR. */
const char *emul_bind_text(const sql_bind *b, size_t *ret_len);

/*
 * The shortest decimal text that reads back as the same finite double (or
 * float, for FLOAT parameters); at most 31 bytes and the terminator.
 */
size_t emul_double_text(double value, bool single, char *to);

/*
 * The first word of a statement, comments and blanks skipped: its start, and
 * its length in *ret_len (0 if there is none).
 */
const char *emul_first_word(const char *sql, size_t len, unsigned flags,
                            size_t *ret_len);

/* The word is `name` (given in capitals), in any case. */
bool emul_word_is(const char *word, size_t len, const char *name);

#endif
