/*
 * func.c - calls operators and functions.
 */
#include "sqlfile/func.h"

#include <math.h>

#include "base/compiler.h"
#include "sqlfile/hash.h"

static const char too_large[] = "the result is out of the range of integers";

/* ---- operators for integers and doubles ---- */

static const char *divide(enum expr_function function, int64_t a, int64_t b,
                          int64_t *ret)
{
  if (b == 0)
    return "division by zero";
  if (b == -1) { /* the smallest integer has no opposite */
    if (function == FUNC_MOD)
      *ret = 0;
    else if (__builtin_sub_overflow(0, a, ret))
      return too_large;
    return NULL;
  }
  *ret = function == FUNC_MOD ? a % b : a / b;
  return NULL;
}

static const char *calculate_int(enum expr_function function, int64_t a,
                                 int64_t b, struct value *ret)
{
  const char *why = NULL;
  int64_t n = 0;
  bool over = false;

  switch (function) {
  case FUNC_ADD:
    over = __builtin_add_overflow(a, b, &n);
    break;
  case FUNC_SUB:
    over = __builtin_sub_overflow(a, b, &n);
    break;
  case FUNC_MUL:
    over = __builtin_mul_overflow(a, b, &n);
    break;
  case FUNC_EQ:
  case FUNC_NE:
    *ret = value_bool((a == b) == (function == FUNC_EQ));
    return NULL;
  case FUNC_LT:
    *ret = value_bool(a < b);
    return NULL;
  case FUNC_LE:
    *ret = value_bool(a <= b);
    return NULL;
  case FUNC_GT:
    *ret = value_bool(a > b);
    return NULL;
  case FUNC_GE:
    *ret = value_bool(a >= b);
    return NULL;
  default:
    why = divide(function, a, b, &n);
  }
  *ret = value_int(n);
  return over ? too_large : why;
}

static struct value calculate_double(enum expr_function function, double a,
                                     double b)
{
  switch (function) {
  case FUNC_ADD:
    return value_double(a + b);
  case FUNC_SUB:
    return value_double(a - b);
  case FUNC_MUL:
    return value_double(a * b);
  case FUNC_EQ:
    return value_bool(a == b);
  case FUNC_NE:
    return value_bool(a != b);
  case FUNC_LT:
    return value_bool(a < b);
  case FUNC_LE:
    return value_bool(a <= b);
  case FUNC_GT:
    return value_bool(a > b);
  case FUNC_GE:
    return value_bool(a >= b);
  default:
    return value_double(a / b);
  }
}

/* The remainder is one of integers, whatever the arguments are. */
static const char *calculate(enum expr_function function,
                             const struct value *arg, struct value *ret)
{
  const char *why;

  if (function != FUNC_MOD &&
      (arg[0].kind == VALUE_DOUBLE || arg[1].kind == VALUE_DOUBLE)) {
    double a = 0, b = 0;

    why = value_to_double(&arg[0], &a);
    if (!why)
      why = value_to_double(&arg[1], &b);
    if (!why)
      *ret = calculate_double(function, a, b);
  } else {
    int64_t a = 0, b = 0;

    why = value_to_int(&arg[0], &a);
    if (!why)
      why = value_to_int(&arg[1], &b);
    if (!why)
      why = calculate_int(function, a, b, ret);
  }
  return why;
}

/* ---- bits ---- */

static const char *shift(enum expr_function function, int64_t a, int64_t by,
                         struct value *ret)
{
  if (by < 0 || by > 63)
    return "a number can be shifted by 0 to 63 bits";
  *ret = value_int(function == FUNC_SHIFT_LEFT ? (int64_t)((uint64_t)a << by)
                                               : a >> by);
  return NULL;
}

static const char *combine_bits(enum expr_function function,
                                const struct value *arg, struct value *ret)
{
  int64_t a = 0, b = 0;
  const char *why = value_to_int(&arg[0], &a);

  if (!why)
    why = value_to_int(&arg[1], &b);
  if (why)
    return why;
  switch (function) {
  case FUNC_BIT_AND:
    *ret = value_int(a & b);
    return NULL;
  case FUNC_BIT_OR:
    *ret = value_int(a | b);
    return NULL;
  case FUNC_BIT_XOR:
    *ret = value_int(a ^ b);
    return NULL;
  default:
    return shift(function, a, b, ret);
  }
}

/* ---- functions of numbers ---- */

static const char *make_absolute(const struct value *arg, struct value *ret)
{
  int64_t n = 0;
  const char *why;

  if (arg->kind == VALUE_DOUBLE) {
    *ret = value_double(fabs(arg->real));
    return NULL;
  }
  why = value_to_int(arg, &n);
  if (why)
    return why;
  if (n < 0 && __builtin_sub_overflow(0, n, &n))
    return too_large;
  *ret = value_int(n);
  return NULL;
}

/* One double makes the result a double. */
static const char *choose(enum expr_function function, const struct value *arg,
                          unsigned n, struct value *ret)
{
  const bool greatest = function == FUNC_GREATEST;
  const char *why = NULL;
  int64_t best = 0;
  double best_real = 0;
  bool real = false;

  for (unsigned i = 0; i < n; i++)
    real |= arg[i].kind == VALUE_DOUBLE;
  for (unsigned i = 0; i < n && !why; i++) {
    int64_t x = 0;
    double y = 0;

    why = real ? value_to_double(&arg[i], &y) : value_to_int(&arg[i], &x);
    if (i == 0 || (greatest ? x > best : x < best))
      best = x;
    if (i == 0 || (greatest ? y > best_real : y < best_real))
      best_real = y;
  }
  *ret = real ? value_double(best_real) : value_int(best);
  return why;
}

static const char *call_real(enum expr_function function,
                             const struct value *arg, unsigned n,
                             struct value *ret)
{
  double x = 0, y = 0;
  const char *why = value_to_double(&arg[0], &x);

  if (!why && n > 1)
    why = value_to_double(&arg[1], &y);
  switch (function) {
  case FUNC_SQRT:
    x = sqrt(x);
    break;
  case FUNC_LN:
    x = log(x);
    break;
  case FUNC_EXP:
    x = exp(x);
    break;
  case FUNC_POWER:
    x = pow(x, y);
    break;
  default:
    break;
  }
  *ret = value_double(x);
  return why;
}

static const char *to_int(const struct value *arg, struct value *ret)
{
  int64_t n = 0;
  const char *why = value_to_int(arg, &n);

  *ret = value_int(n);
  return why;
}

/* ---- random numbers and hashes ---- */

static const char *draw(enum expr_function function, const struct value *arg,
                        unsigned n, const struct expr_env *env,
                        struct value *ret)
{
  int64_t from = 0, to = 0, drawn = 0;
  double parameter = 0;
  const char *why = value_to_int(&arg[0], &from);

  if (!why)
    why = value_to_int(&arg[1], &to);
  if (!why && n > 2)
    why = value_to_double(&arg[2], &parameter);
  if (why)
    return why;
  switch (function) {
  case FUNC_GAUSSIAN:
    why = draw_gaussian(env->draws, from, to, parameter, &drawn);
    break;
  case FUNC_EXPONENTIAL:
    why = draw_exponential(env->draws, from, to, parameter, &drawn);
    break;
  case FUNC_ZIPFIAN:
    why = draw_zipfian(env->draws, from, to, parameter, &drawn);
    break;
  default:
    why = draw_uniform(env->draws, from, to, &drawn);
  }
  *ret = value_int(drawn);
  return why;
}

/* The last argument is the seed; it may be missing. */
static const char *mix(enum expr_function function, const struct value *arg,
                       unsigned n, const struct expr_env *env,
                       struct value *ret)
{
  const unsigned n_without_seed = function == FUNC_PERMUTE ? 2 : 1;
  int64_t value = 0, size = 1, seed = env->default_seed;
  const char *why = value_to_int(&arg[0], &value);

  if (!why && n_without_seed > 1)
    why = value_to_int(&arg[1], &size);
  if (!why && n > n_without_seed)
    why = value_to_int(&arg[n_without_seed], &seed);
  if (why)
    return why;
  if (size <= 0)
    return "the size of permute() has to be greater than 0";
  if (function == FUNC_PERMUTE)
    *ret = value_int(hash_permute(value, size, seed));
  else if (function == FUNC_HASH_FNV1A)
    *ret = value_int(hash_fnv1a(value, seed));
  else
    *ret = value_int(hash_murmur2(value, seed));
  return NULL;
}

/* ---- all of them ---- */

static const char *call_number(enum expr_function function,
                               const struct value *arg, unsigned n,
                               const struct expr_env *env, struct value *ret)
{
  bool truth = false;
  const char *why;

  switch (function) {
  case FUNC_NOT:
    why = value_to_bool(arg, &truth);
    *ret = value_bool(!truth);
    return why;
  case FUNC_ABS:
    return make_absolute(arg, ret);
  case FUNC_LEAST:
  case FUNC_GREATEST:
    return choose(function, arg, n, ret);
  case FUNC_PI:
    *ret = value_double(M_PI);
    return NULL;
  case FUNC_INT:
    return to_int(arg, ret);
  case FUNC_RANDOM:
  case FUNC_GAUSSIAN:
  case FUNC_EXPONENTIAL:
  case FUNC_ZIPFIAN:
    return draw(function, arg, n, env, ret);
  case FUNC_HASH_FNV1A:
  case FUNC_HASH_MURMUR2:
  case FUNC_PERMUTE:
    return mix(function, arg, n, env, ret);
  default:
    return call_real(function, arg, n, ret);
  }
}

static bool is_same(const struct value *a, const struct value *b)
{
  if (a->kind != b->kind)
    return false;
  return a->kind != VALUE_BOOL || a->truth == b->truth;
}

const char *func_call(enum expr_function function, const struct value *arg,
                      unsigned n, const struct expr_env *env, struct value *ret)
{
  if (function == FUNC_IS) { /* the second one is NULL or a boolean */
    *ret = value_bool(is_same(&arg[0], &arg[1]));
    return NULL;
  }
  if (function == FUNC_DEBUG) {
    *ret = arg[0];
    return NULL;
  }
  for (unsigned i = 0; i < n; i++) {
    if (UNLIKELY(arg[i].kind == VALUE_NULL)) {
      *ret = value_null();
      return NULL;
    }
  }
  if (function <= FUNC_GE)
    return calculate(function, arg, ret);
  if (function <= FUNC_SHIFT_RIGHT)
    return combine_bits(function, arg, ret);
  return call_number(function, arg, n, env, ret);
}
