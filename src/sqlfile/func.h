/*
 * func.h - the operators and functions of expressions, except for those that
 * do not evaluate all their arguments.
 */
#ifndef BENCH_SQLFILE_FUNC_H
#define BENCH_SQLFILE_FUNC_H

#include "sqlfile/expr.h"

/*
 * Call a function with `n` arguments, as many as it takes.  NULL; or why it
 * failed, a static text.  An argument that is NULL makes the result NULL,
 * except for IS and debug().
 */
const char *func_call(enum expr_function function, const struct value *arg,
                      unsigned n, const struct expr_env *env,
                      struct value *ret);

#endif
