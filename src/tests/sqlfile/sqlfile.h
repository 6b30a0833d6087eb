/*
 * sqlfile.h - a file of SQL statements and pgbench commands, as a program:
 * const after sqlfile_parse(), for any number of threads.
 */
#ifndef BENCH_SQLFILE_SQLFILE_H
#define BENCH_SQLFILE_SQLFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sqlfile/expr.h"

struct err;

/* The first variables of each program. */
enum sqlfile_builtin {
  SQLFILE_CLIENT_ID,
  SQLFILE_SCALE,
  SQLFILE_RANDOM_SEED,
  SQLFILE_DEFAULT_SEED,
  SQLFILE_BUILTINS
};

struct sqlfile_variable {
  char *name;           /* owned */
  struct value initial; /* VALUE_UNSET: set by the program */
  bool defined;         /* by the user: `initial` replaces a built-in value */
  char *text;           /* [opt] owned: replaced in the text of statements */
};

enum sqlfile_keep {
  SQLFILE_KEEP_NOTHING,
  SQLFILE_KEEP_ROW,  /* \gset: exactly one row */
  SQLFILE_KEEP_LAST, /* \aset: any number of rows */
};

struct sqlfile_statement {
  char *text; /* owned; `?` for each parameter */
  size_t len;
  uint32_t at;               /* offset in the file */
  unsigned n_params, *param; /* owned: variables */
  enum sqlfile_keep keep;
  unsigned n_columns, *column; /* owned: variables that get a row */
};

enum sqlfile_code {
  SQLFILE_SQL,
  SQLFILE_SET,
  SQLFILE_SLEEP,
  SQLFILE_UNLESS, /* jump unless the expression is true */
  SQLFILE_JUMP,
};

struct sqlfile_step {
  enum sqlfile_code code;
  uint32_t at;
  union {
    unsigned statement;
    unsigned variable;
    unsigned to;
    uint64_t unit_ns; /* of SLEEP */
  };
  struct expr expr; /* of SET, SLEEP and UNLESS */
};

struct sqlfile {
  char *name, *source; /* owned; for messages */
  size_t n_steps, n_statements, n_variables;
  struct sqlfile_step *step; /* owned, like the next two */
  struct sqlfile_statement *statement;
  struct sqlfile_variable *variable;
};

struct sqlfile_setup {
  const char *name;
  const char *text;
  size_t len;
  unsigned dialect;    /* enum emul_flags: quotes and comments */
  const char *defines; /* [opt] lines of NAME=VALUE */
};

/* -EINVAL: the message has file, line and column; -ENOMEM. */
int sqlfile_parse(struct sqlfile **ret, const struct sqlfile_setup *setup,
                  struct err *err);
void sqlfile_free(struct sqlfile *file);

/* From 1; columns are characters. */
struct sqlfile_place {
  unsigned line, column;
};
struct sqlfile_place sqlfile_place(const char *text, uint32_t at);

#endif
