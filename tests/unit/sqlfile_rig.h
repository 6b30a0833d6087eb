/*
 * sqlfile_rig.h - parses a text as an SQL file and evaluates its first \set.
 */
#ifndef TESTS_UNIT_SQLFILE_RIG_H
#define TESTS_UNIT_SQLFILE_RIG_H

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "db/emul.h"
#include "tests/sqlfile/sqlfile.h"

/* NULL: the message is in *err. */
static inline struct sqlfile *rig_parse(const char *text, unsigned dialect,
                                        const char *defines, struct err *err)
{
  const struct sqlfile_setup setup = {
    .name = "f.sql",
    .text = text,
    .len = strlen(text),
    .dialect = dialect,
    .defines = defines,
  };
  struct sqlfile *file = NULL;

  *err = (struct err){ "" };
  return sqlfile_parse(&file, &setup, err) == 0 ? file : NULL;
}

/* The value of an expression in the words of pgbench's debug(), or why it has
 * none. */
static inline void rig_value(const char *expression, struct rng *rng, char *to,
                             size_t size)
{
  static const char *const kinds[] = { "unset", "null",   "boolean",
                                       "int",   "double", "text" };
  struct draw draws = { .rng = rng };
  struct value variables[SQLFILE_BUILTINS] = { value_int(0), value_int(1),
                                               value_int(7), value_int(9) };
  struct expr_env env = { .variables = variables, .draws = &draws };
  struct expr_failure fail;
  char text[1024], number[VALUE_BYTES];
  struct sqlfile *file;
  struct value v;
  struct err err;

  (void)snprintf(text, sizeof(text), "\\set x %s\nSELECT 1", expression);
  file = rig_parse(text, EMUL_PGSQL, NULL, &err);
  if (!file) {
    (void)snprintf(to, size, "%s", err.text);
    return;
  }
  if (expr_eval(&file->step[0].expr, &env, &v, &fail) < 0) {
    (void)snprintf(to, size, "%u: %s",
                   sqlfile_place(file->source, fail.at).column, fail.why);
  } else {
    value_print(&v, number);
    (void)snprintf(to, size, "%s%s%s", kinds[v.kind],
                   v.kind == VALUE_NULL ? "" : " ",
                   v.kind == VALUE_NULL ? "" : number);
  }
  sqlfile_free(file);
}

#endif
