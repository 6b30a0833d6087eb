/*
 * expr.h - values and expressions of SQL files: code for a stack machine, const
 * for any number of threads. expr_eval() does not allocate.
 */
#ifndef BENCH_SQLFILE_EXPR_H
#define BENCH_SQLFILE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rand/dist.h"
#include "stats/rand/rng.h"

enum value_kind {
  VALUE_UNSET,
  VALUE_NULL,
  VALUE_BOOL,
  VALUE_INT,
  VALUE_DOUBLE,
  VALUE_TEXT, /* of a column */
};

struct value {
  enum value_kind kind;
  union {
    bool truth;
    int64_t number;
    double real;
    struct {
      const char *text; /* borrowed, zero-terminated */
      size_t len;
    };
  };
};

static inline struct value value_null(void)
{
  return (struct value){ .kind = VALUE_NULL };
}
static inline struct value value_bool(bool truth)
{
  return (struct value){ .kind = VALUE_BOOL, .truth = truth };
}
static inline struct value value_int(int64_t number)
{
  return (struct value){ .kind = VALUE_INT, .number = number };
}
static inline struct value value_double(double real)
{
  return (struct value){ .kind = VALUE_DOUBLE, .real = real };
}

/* NULL, or a static text: why not. A double becomes the nearest integer, or the
 * even one of two. */
const char *value_to_int(const struct value *v, int64_t *ret);
const char *value_to_double(const struct value *v, double *ret);

/* Numbers other than 0 are true; NULL is not. */
bool value_is_true(const struct value *v);

/* An integer, a double, a boolean or NULL, zero-terminated. False: another
 * text. */
bool value_read(const char *text, size_t len, struct value *ret);

enum {
  VALUE_BYTES = 40, /* room for all kinds but texts */
};

/* As in pgbench. Not for texts. */
void value_print(const struct value *v, char to[VALUE_BYTES]);

enum {
  DRAW_ZIPF = 4, /* exponents whose constants are kept */
};

/* For one thread. Ready when zeroed but for `rng`. */
struct draw {
  struct rng *rng; /* borrowed */
  unsigned next;   /* the entry to replace */
  struct {
    struct rand_params params; /* zipf_exp 0: unused */
    struct zipf_cache ranges;
  } zipf[DRAW_ZIPF];
};

/* An integer from..to. NULL, or a static text: the range is empty or has more
 * than 2^63-1 values, or the parameter is not allowed. */
const char *draw_uniform(struct draw *d, int64_t from, int64_t to,
                         int64_t *ret);
const char *draw_exponential(struct draw *d, int64_t from, int64_t to,
                             double parameter, int64_t *ret);
const char *draw_gaussian(struct draw *d, int64_t from, int64_t to,
                          double parameter, int64_t *ret);
const char *draw_zipfian(struct draw *d, int64_t from, int64_t to,
                         double exponent, int64_t *ret);

enum {
  EXPR_STACK = 64, /* upper bound of waiting values */
  EXPR_ARGS = 16,
};

enum expr_code {
  EXPR_CONST,
  EXPR_VARIABLE,
  EXPR_CALL,
  EXPR_JUMP,
  EXPR_UNLESS,    /* pop a condition; jump unless true */
  EXPR_AND_FALSE, /* jump if the top is false or NULL */
  EXPR_OR_TRUE,   /* jump if the top is true or NULL */
  EXPR_SECOND,    /* replace two values by the second */
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
  uint32_t at; /* offset in the file */
  union {
    struct value value;
    unsigned variable;
    unsigned to;
  };
};

struct expr {
  size_t n, room;
  struct expr_op *op; /* owned */
};

struct expr_env {
  const struct value *variables;
  struct draw *draws;
  int64_t default_seed; /* of hash functions */
  /* [opt] `at` as in struct expr_op. */
  void (*debug)(void *ctx, uint32_t at, const struct value *v);
  void *debug_ctx;
};

struct expr_failure {
  const char *why; /* static */
  uint32_t at;     /* of the operator */
};

/* 0; or -EINVAL and *fail. */
int expr_eval(const struct expr *e, const struct expr_env *env,
              struct value *ret, struct expr_failure *fail);

void expr_done(struct expr *e);

#endif
