/*
 * expr.h - expressions of SQL files: code for a machine with a stack.
 *
 * The parser (reading_expr()) makes the code, and expr_eval() executes it
 * without allocating anything.  It is const while it is executed; any number of
 * threads may do so.
 */
#ifndef BENCH_SQLFILE_EXPR_H
#define BENCH_SQLFILE_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "sqlfile/draw.h"
#include "sqlfile/value.h"

enum {
  EXPR_STACK = 64, /* values that wait for an operator, at most */
  EXPR_ARGS = 16,  /* arguments of a function, at most */
};

enum expr_code {
  EXPR_CONST,     /* push a value */
  EXPR_VARIABLE,  /* push the value of a variable */
  EXPR_CALL,      /* replace the arguments by the result of a function */
  EXPR_JUMP,      /* go on at `to` */
  EXPR_UNLESS,    /* pop a condition; jump unless it is true */
  EXPR_AND_FALSE, /* jump if the value on the top is false or NULL */
  EXPR_OR_TRUE,   /* jump if the value on the top is true or NULL */
  EXPR_SECOND,    /* replace two values of AND or OR by the second one */
};

enum expr_function {
  FUNC_ADD,
  FUNC_SUB,
  FUNC_MUL,
  FUNC_DIV,
  FUNC_MOD,
  FUNC_EQ,
  FUNC_NE,
  FUNC_LT,
  FUNC_LE,
  FUNC_GT,
  FUNC_GE,
  FUNC_BIT_AND,
  FUNC_BIT_OR,
  FUNC_BIT_XOR,
  FUNC_SHIFT_LEFT,
  FUNC_SHIFT_RIGHT,
  FUNC_NOT,
  FUNC_IS,
  FUNC_ABS,
  FUNC_LEAST,
  FUNC_GREATEST,
  FUNC_DEBUG,
  FUNC_PI,
  FUNC_SQRT,
  FUNC_LN,
  FUNC_EXP,
  FUNC_POWER,
  FUNC_INT,
  FUNC_DOUBLE,
  FUNC_RANDOM,
  FUNC_GAUSSIAN,
  FUNC_EXPONENTIAL,
  FUNC_ZIPFIAN,
  FUNC_HASH_FNV1A,
  FUNC_HASH_MURMUR2,
  FUNC_PERMUTE,
};

struct expr_op {
  uint8_t code; /* enum expr_code */
  uint8_t function;
  uint8_t n_args;
  uint32_t at; /* where it is in the file, for messages */
  union {
    struct value value;
    unsigned variable;
    unsigned to; /* of jumps */
  };
};

struct expr {
  size_t n, room;
  struct expr_op *op; /* owned */
};

/* What an evaluation may use. */
struct expr_env {
  const struct value *variables;
  struct draws *draws;
  int64_t default_seed; /* of hash functions */
  /* [opt] What debug() calls; `at` as in struct expr_op. */
  void (*debug)(void *ctx, uint32_t at, const struct value *v);
  void *debug_ctx;
};

/* Why an evaluation failed. */
struct expr_failure {
  const char *why; /* static */
  uint32_t at;     /* of the operator */
};

/* 0; or -EINVAL and *fail. */
int expr_eval(const struct expr *e, const struct expr_env *env,
              struct value *ret, struct expr_failure *fail);

void expr_done(struct expr *e);

#endif
