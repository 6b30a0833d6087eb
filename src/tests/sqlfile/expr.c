#include "tests/sqlfile/expr.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "stats/rand/rng.h"

const char *value_to_int(const struct value *v, int64_t *ret)
{
  double whole;

  switch (v->kind) {
  case VALUE_INT:
    *ret = v->number;
    return NULL;
  case VALUE_DOUBLE:
    whole = rint(v->real);
    /* 2^63 is too large, and the largest integer has no double. */
    if (!(whole >= -0x1p63 && whole < 0x1p63))
      return "the double is out of the range of integers";
    *ret = (int64_t)whole;
    return NULL;
  case VALUE_BOOL:
    return "a boolean is not a number";
  default:
    return "NULL is not a number";
  }
}

const char *value_to_double(const struct value *v, double *ret)
{
  switch (v->kind) {
  case VALUE_INT:
    *ret = (double)v->number;
    return NULL;
  case VALUE_DOUBLE:
    *ret = v->real;
    return NULL;
  case VALUE_BOOL:
    return "a boolean is not a number";
  default:
    return "NULL is not a number";
  }
}

static const char *value_to_bool(const struct value *v, bool *ret)
{
  if (v->kind != VALUE_BOOL)
    return "a number is not a boolean; compare it with something";
  *ret = v->truth;
  return NULL;
}

bool value_is_true(const struct value *v)
{
  switch (v->kind) {
  case VALUE_BOOL:
    return v->truth;
  case VALUE_INT:
    return v->number != 0;
  case VALUE_DOUBLE:
    return v->real != 0.0;
  default:
    return false;
  }
}

/* ---- texts ---- */

static bool value_read_word(const char *text, size_t len, struct value *ret)
{
  static const struct {
    const char *word;
    size_t shortest; /* letters that are enough */
    bool truth;
  } words[] = {
    { "true", 1, true },   { "yes", 1, true }, { "on", 2, true },
    { "false", 1, false }, { "no", 1, false }, { "off", 2, false }
  };

  if (strcasecmp(text, "null") == 0) {
    *ret = value_null();
    return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
    if (len >= words[i].shortest && strlen(words[i].word) >= len &&
        strncasecmp(words[i].word, text, len) == 0) {
      *ret = value_bool(words[i].truth);
      return true;
    }
  }
  return false;
}

bool value_read(const char *text, size_t len, struct value *ret)
{
  char *end;

  if (len == 0 || strlen(text) != len || isspace((unsigned char)*text))
    return false;
  if (isalpha((unsigned char)*text))
    return value_read_word(text, len, ret);
  if (text[strspn(text, "+-0123456789")] == '\0') {
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (*end == '\0' && end > text && errno == 0) {
      *ret = value_int(number);
      return true;
    }
  }
  if (text[strspn(text, "+-.0123456789eE")] == '\0') {
    const double real = strtod(text, &end);

    if (*end == '\0' && end > text && isfinite(real)) {
      *ret = value_double(real);
      return true;
    }
  }
  return false;
}

void value_print(const struct value *v, char to[VALUE_BYTES])
{
  switch (v->kind) {
  case VALUE_BOOL:
    (void)snprintf(to, VALUE_BYTES, "%s", v->truth ? "true" : "false");
    break;
  case VALUE_INT:
    (void)snprintf(to, VALUE_BYTES, "%" PRId64, v->number);
    break;
  case VALUE_DOUBLE:
    (void)snprintf(to, VALUE_BYTES, "%.*g", DBL_DIG, v->real);
    break;
  default:
    (void)snprintf(to, VALUE_BYTES, "NULL");
    break;
  }
}

/* ---- random integers with the distributions of pgbench ---- */

#define GAUSSIAN_MIN 2.0
#define ZIPFIAN_MAX 1000.0

static const char *expr_draw_check_range(int64_t from, int64_t to)
{
  int64_t n;

  if (from > to)
    return "the range is empty: its end is before its start";
  if (__builtin_sub_overflow(to, from, &n) || n == INT64_MAX)
    return "the range has more than 2^63-1 values";
  return NULL;
}

static int64_t expr_draw_at_share(int64_t from, int64_t to, double share)
{
  const int64_t last = to - from;
  const double at = floor(share * ((double)last + 1.0));

  return at < (double)last ? from + (int64_t)at : to;
}

const char *draw_uniform(struct draw *d, int64_t from, int64_t to, int64_t *ret)
{
  const char *why = expr_draw_check_range(from, to);

  if (!why)
    *ret = dist_uniform(d->rng, from, to);
  return why;
}

const char *draw_exponential(struct draw *d, int64_t from, int64_t to,
                             double parameter, int64_t *ret)
{
  const char *why = expr_draw_check_range(from, to);
  double cut;

  if (why)
    return why;
  if (!(parameter > 0.0))
    return "the parameter of random_exponential() has to be greater than 0";
  cut = exp(-parameter);
  *ret = expr_draw_at_share(
    from, to, -log(cut + (1.0 - cut) * (1.0 - rng_double(d->rng))) / parameter);
  return NULL;
}

/* Box and Muller. */
static double expr_draw_normal(struct rng *rng)
{
  const double radius = sqrt(-2.0 * log(1.0 - rng_double(rng)));

  return radius * sin(2.0 * M_PI * rng_double(rng));
}

/* Draws again outside of -parameter..parameter. */
const char *draw_gaussian(struct draw *d, int64_t from, int64_t to,
                          double parameter, int64_t *ret)
{
  const char *why = expr_draw_check_range(from, to);
  double x;

  if (why)
    return why;
  if (!(parameter >= GAUSSIAN_MIN))
    return "the parameter of random_gaussian() has to be at least 2";
  do {
    x = expr_draw_normal(d->rng);
  } while (x < -parameter || x >= parameter);
  *ret = expr_draw_at_share(from, to, (x + parameter) / (parameter * 2.0));
  return NULL;
}

const char *draw_zipfian(struct draw *d, int64_t from, int64_t to,
                         double exponent, int64_t *ret)
{
  const char *why = expr_draw_check_range(from, to);
  unsigned i = 0;

  if (why)
    return why;
  if (!(exponent > 0.0 && exponent <= ZIPFIAN_MAX))
    return "the parameter of random_zipfian() has to be greater than 0 and at "
           "most 1000";
  while (i < DRAW_ZIPF && d->zipf[i].params.zipf_exp != exponent)
    i++;
  if (i == DRAW_ZIPF) {
    i = d->next;
    d->next = (d->next + 1) % DRAW_ZIPF;
    d->zipf[i].ranges = (struct zipf_cache){ 0 };
    rand_zipf_init(&d->zipf[i].params, exponent);
  }
  *ret = dist_zipfian(&d->zipf[i].params, d->rng, &d->zipf[i].ranges, from, to);
  return NULL;
}

/* ---- FNV-1a, MurmurHash2 and a pseudorandom permutation ---- */

static int64_t hash_fnv1a(int64_t value, int64_t seed)
{
  uint64_t bytes = (uint64_t)value;
  uint64_t h = UINT64_C(0xCBF29CE484222325) ^ (uint64_t)seed;

  for (int i = 0; i < 8; i++) {
    h = (h ^ (bytes & 0xFF)) * UINT64_C(0x100000001B3);
    bytes >>= 8;
  }
  return (int64_t)h;
}

static int64_t hash_murmur2(int64_t value, int64_t seed)
{
  const uint64_t m = UINT64_C(0xC6A4A7935BD1E995);
  uint64_t h = (uint64_t)seed ^ (8 * m);
  uint64_t k = (uint64_t)value * m;

  k = (k ^ (k >> 47)) * m;
  h = (h ^ k) * m;
  h = (h ^ (h >> 47)) * m;
  return (int64_t)(h ^ (h >> 47));
}

/* xoroshiro128** of Blackman and Vigna, which defines the permutation. */
struct keys {
  uint64_t a, b;
};

static struct keys hash_keys_of(uint64_t seed)
{
  const struct keys k = { rng_mix(seed + RNG_GAMMA),
                          rng_mix(seed + 2 * RNG_GAMMA) };

  return k;
}

static uint64_t hash_next_key(struct keys *k)
{
  const uint64_t both = k->a ^ k->b;
  const uint64_t key = rng_rotl(k->a * 5, 7) * 9;

  k->a = rng_rotl(k->a, 24) ^ both ^ (both << 16);
  k->b = rng_rotl(both, 37);
  return key;
}

/* A key of 0..last: the highest bits, drawn again if too large. */
static uint64_t hash_next_key_up_to(struct keys *k, uint64_t last)
{
  uint64_t key;

  if (last == 0)
    return 0;
  do {
    key = hash_next_key(k) >> __builtin_clzll(last);
  } while (key > last);
  return key;
}

/* A bijection of the numbers below 2^bits. */
static uint64_t hash_scramble(uint64_t v, uint64_t factor, uint64_t flip,
                              uint64_t mask, int bits)
{
  v = ((v * factor) ^ flip) & mask;
  return ((v << 1) & mask) | (v >> (bits - 1));
}

/* Each round scrambles the numbers below a power of two, then the uppermost
 * ones, and shifts all. */
static int64_t hash_permute(int64_t value, int64_t size, int64_t seed)
{
  enum {
    ROUNDS = 6
  };
  const uint64_t n = (uint64_t)size;
  struct keys keys = hash_keys_of((uint64_t)seed);
  uint64_t v = (uint64_t)value % n;
  int bits;
  uint64_t mask;

  if (n == 1)
    return 0;
  bits = 63 - __builtin_clzll(n);
  mask = (UINT64_C(1) << bits) - 1;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t factor = (hash_next_key(&keys) & mask) | 1;
    uint64_t flip = hash_next_key(&keys) & mask;

    if (v <= mask)
      v = hash_scramble(v, factor, flip, mask, bits);
    factor = (hash_next_key(&keys) & mask) | 1;
    flip = hash_next_key(&keys) & mask;
    if (n - 1 - v <= mask)
      v = n - 1 - hash_scramble(n - 1 - v, factor, flip, mask, bits);
    v = (v + hash_next_key_up_to(&keys, n - 1)) % n;
  }
  return (int64_t)v;
}

/* ---- operators and functions ---- */

static const char func_too_large[] =
  "the result is out of the range of integers";

static const char *func_divide(enum expr_function function, int64_t a,
                               int64_t b, int64_t *ret)
{
  if (b == 0)
    return "division by zero";
  if (b == -1) { /* the smallest integer has no opposite */
    if (function == FUNC_MOD)
      *ret = 0;
    else if (__builtin_sub_overflow(0, a, ret))
      return func_too_large;
    return NULL;
  }
  *ret = function == FUNC_MOD ? a % b : a / b;
  return NULL;
}

static const char *func_calculate_int(enum expr_function function, int64_t a,
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
    why = func_divide(function, a, b, &n);
  }
  *ret = value_int(n);
  return over ? func_too_large : why;
}

static struct value func_calculate_double(enum expr_function function, double a,
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

/* The remainder is always one of integers. */
static const char *func_calculate(enum expr_function function,
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
      *ret = func_calculate_double(function, a, b);
  } else {
    int64_t a = 0, b = 0;

    why = value_to_int(&arg[0], &a);
    if (!why)
      why = value_to_int(&arg[1], &b);
    if (!why)
      why = func_calculate_int(function, a, b, ret);
  }
  return why;
}

static const char *func_shift(enum expr_function function, int64_t a,
                              int64_t by, struct value *ret)
{
  if (by < 0 || by > 63)
    return "a number can be shifted by 0 to 63 bits";
  *ret = value_int(function == FUNC_SHIFT_LEFT ? (int64_t)((uint64_t)a << by)
                                               : a >> by);
  return NULL;
}

static const char *func_combine_bits(enum expr_function function,
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
    return func_shift(function, a, b, ret);
  }
}

static const char *func_make_absolute(const struct value *arg,
                                      struct value *ret)
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
    return func_too_large;
  *ret = value_int(n);
  return NULL;
}

/* One double makes the result a double. */
static const char *func_choose(enum expr_function function,
                               const struct value *arg, unsigned n,
                               struct value *ret)
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

static const char *func_call_real(enum expr_function function,
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

static const char *func_to_int(const struct value *arg, struct value *ret)
{
  int64_t n = 0;
  const char *why = value_to_int(arg, &n);

  *ret = value_int(n);
  return why;
}

static const char *func_draw(enum expr_function function,
                             const struct value *arg, unsigned n,
                             const struct expr_env *env, struct value *ret)
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

/* The last argument, the seed, may be missing. */
static const char *func_mix(enum expr_function function,
                            const struct value *arg, unsigned n,
                            const struct expr_env *env, struct value *ret)
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

static const char *func_call_number(enum expr_function function,
                                    const struct value *arg, unsigned n,
                                    const struct expr_env *env,
                                    struct value *ret)
{
  bool truth = false;
  const char *why;

  switch (function) {
  case FUNC_NOT:
    why = value_to_bool(arg, &truth);
    *ret = value_bool(!truth);
    return why;
  case FUNC_ABS:
    return func_make_absolute(arg, ret);
  case FUNC_LEAST:
  case FUNC_GREATEST:
    return func_choose(function, arg, n, ret);
  case FUNC_PI:
    *ret = value_double(M_PI);
    return NULL;
  case FUNC_INT:
    return func_to_int(arg, ret);
  case FUNC_RANDOM:
  case FUNC_GAUSSIAN:
  case FUNC_EXPONENTIAL:
  case FUNC_ZIPFIAN:
    return func_draw(function, arg, n, env, ret);
  case FUNC_HASH_FNV1A:
  case FUNC_HASH_MURMUR2:
  case FUNC_PERMUTE:
    return func_mix(function, arg, n, env, ret);
  default:
    return func_call_real(function, arg, n, ret);
  }
}

static bool func_is_same(const struct value *a, const struct value *b)
{
  if (a->kind != b->kind)
    return false;
  return a->kind != VALUE_BOOL || a->truth == b->truth;
}

static const char *func_call(enum expr_function function,
                             const struct value *arg, unsigned n,
                             const struct expr_env *env, struct value *ret)
{
  if (function == FUNC_IS) { /* the second one is NULL or a boolean */
    *ret = value_bool(func_is_same(&arg[0], &arg[1]));
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
    return func_calculate(function, arg, ret);
  if (function <= FUNC_SHIFT_RIGHT)
    return func_combine_bits(function, arg, ret);
  return func_call_number(function, arg, n, env, ret);
}

/* ---- the machine ---- */

void expr_done(struct expr *e)
{
  free(e->op);
  *e = (struct expr){ 0 };
}

/* Texts of columns are read when an expression needs them. */
static const char *expr_push_variable(const struct value *v, struct value *top)
{
  *top = *v;
  if (LIKELY(v->kind != VALUE_TEXT && v->kind != VALUE_UNSET))
    return NULL;
  if (v->kind == VALUE_UNSET)
    return "the variable has no value yet";
  return value_read(v->text, v->len, top)
           ? NULL
           : "the variable holds a text that is neither a number nor a boolean";
}

/* The second value of AND or OR has to be a boolean or NULL. `first` does not
 * decide the result. */
static const char *expr_join(struct value *first, const struct value *second)
{
  bool truth;

  *first = *second;
  return second->kind == VALUE_NULL ? NULL : value_to_bool(second, &truth);
}

/* A first value of AND or OR that is NULL is the result, as in pgbench. */
static const char *expr_decide(const struct expr_op *op,
                               const struct value *top, bool *ret_jump)
{
  bool truth = false;
  const char *why = NULL;

  if (op->code == EXPR_UNLESS) {
    *ret_jump = !value_is_true(top);
    return NULL;
  }
  if (top->kind != VALUE_NULL)
    why = value_to_bool(top, &truth);
  *ret_jump = top->kind == VALUE_NULL || truth == (op->code == EXPR_OR_TRUE);
  return why;
}

static const char *expr_call(const struct expr_op *op, struct value *arg,
                             const struct expr_env *env)
{
  struct value result = value_null();
  const char *why;

  if (op->function == FUNC_DEBUG && env->debug)
    env->debug(env->debug_ctx, op->at, &arg[0]);
  why = func_call(op->function, arg, op->n_args, env, &result);
  arg[0] = result;
  return why;
}

int expr_eval(const struct expr *e, const struct expr_env *env,
              struct value *ret, struct expr_failure *fail)
{
  struct value stack[EXPR_STACK + 1]; /* pi() has its result and no argument */
  struct value *top = stack;          /* the first free place */
  const struct expr_op *op = e->op;
  const char *why = NULL;
  bool jump;

  while (op < e->op + e->n) {
    const struct expr_op *now = op++;

    switch ((enum expr_code)now->code) {
    case EXPR_CONST:
      *top++ = now->value;
      break;
    case EXPR_VARIABLE:
      why = expr_push_variable(&env->variables[now->variable], top++);
      break;
    case EXPR_CALL:
      top -= now->n_args;
      why = expr_call(now, top++, env);
      break;
    case EXPR_JUMP:
      op = e->op + now->to;
      break;
    case EXPR_UNLESS:
    case EXPR_AND_FALSE:
    case EXPR_OR_TRUE:
      why = expr_decide(now, top - 1, &jump);
      top -= now->code == EXPR_UNLESS;
      if (jump)
        op = e->op + now->to;
      break;
    case EXPR_SECOND:
      top--;
      why = expr_join(top - 1, top);
      break;
    }
    if (UNLIKELY(why != NULL)) {
      *fail = (struct expr_failure){ why, now->at };
      return -EINVAL;
    }
  }
  *ret = stack[0];
  return 0;
}
