/*
 * expr_parse.c - parses expressions, by the rules of pgbench.
 *
 * From the operators that bind least: OR, AND, NOT, IS, comparisons, operators
 * on bits, + -, * / %, signs.  Code is made while the text is read.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sqlfile/reading.h"

enum {
  DEEPEST = 50, /* expressions in each other */
};

struct parser {
  struct reading *r;
  struct expr *to;
  unsigned height; /* values on the stack at this point of the code */
  unsigned depth;
  bool has_unit; /* letters may follow a number at once */
  int rc; /* why emit() failed */
};

struct function {
  const char *name;
  enum expr_function function;
  unsigned min, max; /* arguments */
  const char *usage;
};

static const struct function functions[] = {
  { "abs", FUNC_ABS, 1, 1, "abs(x)" },
  { "debug", FUNC_DEBUG, 1, 1, "debug(x)" },
  { "double", FUNC_DOUBLE, 1, 1, "double(x)" },
  { "exp", FUNC_EXP, 1, 1, "exp(x)" },
  { "greatest", FUNC_GREATEST, 1, EXPR_ARGS, "greatest(x, ...)" },
  { "hash", FUNC_HASH_MURMUR2, 1, 2, "hash(value [, seed])" },
  { "hash_fnv1a", FUNC_HASH_FNV1A, 1, 2, "hash_fnv1a(value [, seed])" },
  { "hash_murmur2", FUNC_HASH_MURMUR2, 1, 2, "hash_murmur2(value [, seed])" },
  { "int", FUNC_INT, 1, 1, "int(x)" },
  { "least", FUNC_LEAST, 1, EXPR_ARGS, "least(x, ...)" },
  { "ln", FUNC_LN, 1, 1, "ln(x)" },
  { "mod", FUNC_MOD, 2, 2, "mod(i, j)" },
  { "permute", FUNC_PERMUTE, 2, 3, "permute(i, size [, seed])" },
  { "pi", FUNC_PI, 0, 0, "pi()" },
  { "pow", FUNC_POWER, 2, 2, "pow(x, y)" },
  { "power", FUNC_POWER, 2, 2, "power(x, y)" },
  { "random", FUNC_RANDOM, 2, 2, "random(from, to)" },
  { "random_exponential", FUNC_EXPONENTIAL, 3, 3,
    "random_exponential(from, to, parameter)" },
  { "random_gaussian", FUNC_GAUSSIAN, 3, 3,
    "random_gaussian(from, to, parameter)" },
  { "random_zipfian", FUNC_ZIPFIAN, 3, 3,
    "random_zipfian(from, to, parameter)" },
  { "sqrt", FUNC_SQRT, 1, 1, "sqrt(x)" },
};

/* ---- code ---- */

/* Adds an operation that changes the height of the stack; NULL: it failed. */
static struct expr_op *emit(struct parser *p, enum expr_code code,
                            const char *at, int change)
{
  struct expr *e = p->to;
  struct expr_op *op;

  p->height = (unsigned)((int)p->height + change);
  if (p->height > EXPR_STACK) {
    p->rc = reading_fail(p->r, at, "the expression is too deeply nested");
    return NULL;
  }
  if (e->n == e->room) {
    const size_t room = e->room ? 2 * e->room : 4;

    op = reallocarray(e->op, room, sizeof(*op));
    if (!op) {
      p->rc = reading_no_memory(p->r);
      return NULL;
    }
    e->op = op;
    e->room = room;
  }
  op = &e->op[e->n++];
  *op = (struct expr_op){ .code = (uint8_t)code, .at = reading_at(p->r, at) };
  return op;
}

static int emit_const(struct parser *p, const char *at, struct value value)
{
  struct expr_op *op = emit(p, EXPR_CONST, at, 1);

  if (!op)
    return p->rc;
  op->value = value;
  return 0;
}

static int emit_call(struct parser *p, const char *at,
                     enum expr_function function, unsigned n_args)
{
  struct expr_op *op = emit(p, EXPR_CALL, at, 1 - (int)n_args);

  if (!op)
    return p->rc;
  op->function = (uint8_t)function;
  op->n_args = (uint8_t)n_args;
  return 0;
}

/* Adds a jump, whose goal is not known yet; negative: it failed. */
static int emit_jump(struct parser *p, enum expr_code code, const char *at,
                     int change)
{
  return emit(p, code, at, change) ? (int)p->to->n - 1 : p->rc;
}

static void land(struct parser *p, int jump)
{
  p->to->op[jump].to = (unsigned)p->to->n;
}

/* ---- words ---- */

static bool at_char(struct parser *p, char c)
{
  reading_skip_blanks(p->r);
  return p->r->p < p->r->end && *p->r->p == c;
}

static bool take_char(struct parser *p, char c)
{
  const bool is = at_char(p, c);

  p->r->p += is;
  return is;
}

static bool at_text(const struct parser *p, const char *text)
{
  const size_t len = strlen(text);

  return (size_t)(p->r->end - p->r->p) >= len &&
         memcmp(p->r->p, text, len) == 0;
}

static bool is_word(const char *at, size_t len, const char *word)
{
  return strlen(word) == len && strncasecmp(at, word, len) == 0;
}

/* Takes the keyword if it comes next. */
static bool take_word(struct parser *p, const char *word)
{
  size_t len;

  reading_skip_blanks(p->r);
  len = reading_name(p->r, p->r->p);
  if (!is_word(p->r->p, len, word))
    return false;
  p->r->p += len;
  return true;
}

static int unexpected(struct parser *p, const char *wanted)
{
  struct reading *r = p->r;
  size_t len;

  reading_skip_blanks(r);
  if (reading_at_line_end(r))
    return reading_fail(r, r->p, "the line ends here, but %s is missing",
                        wanted);
  if (*r->p == ';')
    return reading_fail(r, r->p,
                        "unexpected ';': a command ends with its line");
  len = reading_name(r, r->p);
  return reading_fail(r, r->p, "unexpected '%.*s', %s is missing",
                      len ? (int)len : 1, r->p, wanted);
}

static int expect_char(struct parser *p, char c, const char *wanted)
{
  return take_char(p, c) ? 0 : unexpected(p, wanted);
}

/* ---- operands ---- */

static int parse_or(struct parser *p);

/* Goes one level deeper; the caller comes back with p->depth--. */
static int parse_nested(struct parser *p)
{
  int rc;

  if (++p->depth > DEEPEST)
    return reading_fail(p->r, p->r->p, "the expression is too deeply nested");
  rc = parse_or(p);
  p->depth--;
  return rc;
}

/* The length of the number at `at`: digits, a point, an exponent. */
static size_t number_length(const struct reading *r, const char *at,
                            bool *ret_real)
{
  const char *q = at;

  while (q < r->end && isdigit((unsigned char)*q))
    q++;
  *ret_real = q < r->end && *q == '.';
  if (*ret_real)
    q++;
  while (q < r->end && isdigit((unsigned char)*q))
    q++;
  if (q < r->end && (*q == 'e' || *q == 'E')) {
    const char *e = q + 1;

    if (e < r->end && (*e == '+' || *e == '-'))
      e++;
    if (e < r->end && isdigit((unsigned char)*e)) {
      *ret_real = true;
      for (q = e; q < r->end && isdigit((unsigned char)*q);)
        q++;
    }
  }
  return (size_t)(q - at);
}

static int parse_number(struct parser *p, bool negative)
{
  struct reading *r = p->r;
  const char *at = r->p;
  char digits[128];
  bool real;
  const size_t len = number_length(r, at, &real);
  struct value v = value_null();

  if (!p->has_unit && reading_name(r, at + len) > 0)
    return reading_fail(r, at, "'%.*s' is not a number",
                        (int)(len + reading_name(r, at + len)), at);
  if (len + 1 >= sizeof(digits))
    return reading_fail(r, at, "the number is too long");
  digits[0] = negative ? '-' : '+';
  memcpy(digits + 1, at, len);
  digits[len + 1] = '\0';
  if (!value_read(digits, len + 1, &v) ||
      (!real && v.kind != VALUE_INT)) /* its digits make a double, too */
    return reading_fail(r, at, "the number %.*s is too large", (int)len, at);
  r->p += len;
  return emit_const(p, at, v);
}

static int parse_variable(struct parser *p)
{
  struct reading *r = p->r;
  const char *at = ++r->p;
  const size_t len = reading_name(r, at);
  struct expr_op *op;
  int number;

  if (len == 0)
    return reading_fail(r, at - 1,
                        "the name of a variable is missing after "
                        "':'");
  number = reading_use(r, at, len);
  if (number < 0)
    return number;
  if (r->file->variable[number].text)
    return reading_fail(r, at,
                        "the variable '%.*s' is the text '%s', which is not a "
                        "number",
                        (int)len, at, r->file->variable[number].text);
  r->p += len;
  op = emit(p, EXPR_VARIABLE, at, 1);
  if (!op)
    return p->rc;
  op->variable = (unsigned)number;
  return 0;
}

/* A branch of CASE: the value, and a jump to the end.  Its place in the chain
 * of such jumps is *chain. */
static int parse_branch(struct parser *p, const char *at, int *chain)
{
  int rc = parse_nested(p), jump;

  if (rc < 0)
    return rc;
  jump = emit_jump(p, EXPR_JUMP, at, -1);
  if (jump < 0)
    return jump;
  p->to->op[jump].to = (unsigned)*chain;
  *chain = jump;
  return 0;
}

static void land_chain(struct parser *p, int chain)
{
  while (chain >= 0) {
    const int before = (int)p->to->op[chain].to;

    land(p, chain);
    chain = before;
  }
}

static int parse_case(struct parser *p, const char *at)
{
  int chain = -1, rc = 0, skip;

  if (!take_word(p, "when"))
    return unexpected(p, "WHEN");
  do {
    rc = parse_nested(p);
    if (rc < 0)
      return rc;
    if (!take_word(p, "then"))
      return unexpected(p, "THEN");
    skip = emit_jump(p, EXPR_UNLESS, at, -1);
    if (skip < 0)
      return skip;
    rc = parse_branch(p, at, &chain);
    if (rc < 0)
      return rc;
    land(p, skip);
  } while (take_word(p, "when"));
  rc = take_word(p, "else") ? parse_nested(p) : emit_const(p, at, value_null());
  if (rc < 0)
    return rc;
  land_chain(p, chain);
  return take_word(p, "end") ? 0 : unexpected(p, "END");
}

static int parse_arguments(struct parser *p, const struct function *f,
                           const char *at)
{
  unsigned n = 0;
  int rc = 0;

  if (!take_char(p, ')')) {
    do {
      if (n == EXPR_ARGS)
        return reading_fail(p->r, p->r->p, "%s() takes at most %d arguments",
                            f->name, EXPR_ARGS);
      rc = parse_nested(p);
      n++;
    } while (rc == 0 && take_char(p, ','));
    if (rc == 0)
      rc = expect_char(p, ')', "')' or ','");
  }
  if (rc < 0)
    return rc;
  if (n < f->min || n > f->max)
    return reading_fail(p->r, at, "%u argument%s given, the function is %s", n,
                        n == 1 ? "" : "s", f->usage);
  return emit_call(p, at, f->function, n);
}

static int parse_call(struct parser *p, const char *at, size_t len)
{
  for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
    if (is_word(at, len, functions[i].name))
      return take_char(p, '(') ? parse_arguments(p, &functions[i], at)
                               : unexpected(p, "'('");
  }
  if (at_char(p, '('))
    return reading_fail(p->r, at, "there is no function '%.*s'", (int)len, at);
  return reading_fail(p->r, at,
                      "unexpected '%.*s'; a variable is written :%.*s",
                      (int)len, at, (int)len, at);
}

static int parse_not(struct parser *p, const char *at);

static int parse_named(struct parser *p, size_t len)
{
  const char *at = p->r->p;

  p->r->p += len;
  if (is_word(at, len, "not"))
    return parse_not(p, at);
  if (is_word(at, len, "case"))
    return parse_case(p, at);
  if (is_word(at, len, "null"))
    return emit_const(p, at, value_null());
  if (is_word(at, len, "true") || is_word(at, len, "false"))
    return emit_const(p, at, value_bool(is_word(at, len, "true")));
  return parse_call(p, at, len);
}

static int parse_operand(struct parser *p)
{
  struct reading *r = p->r;
  size_t len;
  int rc;

  reading_skip_blanks(r);
  if (reading_at_line_end(r))
    return unexpected(p, "a value");
  if (isdigit((unsigned char)*r->p) ||
      (*r->p == '.' && r->end - r->p > 1 && isdigit((unsigned char)r->p[1])))
    return parse_number(p, false);
  if (*r->p == ':')
    return parse_variable(p);
  if (take_char(p, '(')) {
    rc = parse_nested(p);
    return rc < 0 ? rc : expect_char(p, ')', "')'");
  }
  len = reading_name(r, r->p);
  return len > 0 ? parse_named(p, len) : unexpected(p, "a value");
}

/* ---- operators ---- */

static int parse_sign(struct parser *p);

/* -x is 0 - x, and ~x is -1 # x, as in pgbench. */
static int parse_prefix(struct parser *p, const char *at, int64_t first,
                        enum expr_function function)
{
  int rc = emit_const(p, at, value_int(first));

  if (rc == 0)
    rc = parse_sign(p);
  return rc < 0 ? rc : emit_call(p, at, function, 2);
}

static int parse_sign_at(struct parser *p)
{
  const char *at = p->r->p;

  if (take_char(p, '+'))
    return parse_sign(p);
  if (take_char(p, '~'))
    return parse_prefix(p, at, -1, FUNC_BIT_XOR);
  if (!take_char(p, '-'))
    return parse_operand(p);
  if (p->r->p < p->r->end && isdigit((unsigned char)*p->r->p))
    return parse_number(p, true); /* the smallest integer can be written */
  return parse_prefix(p, at, 0, FUNC_SUB);
}

static int parse_sign(struct parser *p)
{
  int rc;

  reading_skip_blanks(p->r);
  if (++p->depth > DEEPEST)
    return reading_fail(p->r, p->r->p, "the expression is too deeply nested");
  rc = parse_sign_at(p);
  p->depth--;
  return rc;
}

struct binary {
  const char *text;
  enum expr_function function;
};

enum {
  LEVEL_COMPARE, /* a < b < c is not allowed */
  LEVEL_BITS,
  LEVEL_SUM,
  LEVEL_PRODUCT,
  LEVELS
};

/* Longer ones come first. */
static const struct binary operators[LEVELS][8] = {
  [LEVEL_COMPARE] = { { "<>", FUNC_NE },
                      { "!=", FUNC_NE },
                      { "<=", FUNC_LE },
                      { ">=", FUNC_GE },
                      { "=", FUNC_EQ },
                      { "<", FUNC_LT },
                      { ">", FUNC_GT } },
  [LEVEL_BITS] = { { "<<", FUNC_SHIFT_LEFT },
                   { ">>", FUNC_SHIFT_RIGHT },
                   { "|", FUNC_BIT_OR },
                   { "#", FUNC_BIT_XOR },
                   { "&", FUNC_BIT_AND } },
  [LEVEL_SUM] = { { "+", FUNC_ADD }, { "-", FUNC_SUB } },
  [LEVEL_PRODUCT] = { { "*", FUNC_MUL }, { "/", FUNC_DIV }, { "%", FUNC_MOD } },
};

static const struct binary *find_operator(struct parser *p, int level)
{
  reading_skip_blanks(p->r);
  for (const struct binary *o = operators[level]; o->text; o++) {
    if (at_text(p, o->text))
      return o;
  }
  return NULL;
}

static int parse_level(struct parser *p, int level)
{
  const struct binary *o;
  int rc = level + 1 < LEVELS ? parse_level(p, level + 1) : parse_sign(p);

  while (rc == 0 && (o = find_operator(p, level))) {
    const char *at = p->r->p;

    p->r->p += strlen(o->text);
    rc = level + 1 < LEVELS ? parse_level(p, level + 1) : parse_sign(p);
    if (rc == 0)
      rc = emit_call(p, at, o->function, 2);
    if (level == LEVEL_COMPARE)
      break;
  }
  return rc;
}

/* The value, and the negation if there is one. */
static int emit_is(struct parser *p, const char *at, struct value v,
                   bool negated)
{
  int rc = emit_const(p, at, v);

  if (rc == 0)
    rc = emit_call(p, at, FUNC_IS, 2);
  return rc == 0 && negated ? emit_call(p, at, FUNC_NOT, 1) : rc;
}

/* x IS [NOT] NULL, TRUE or FALSE; x ISNULL; x NOTNULL. */
static int parse_is(struct parser *p)
{
  int rc = parse_level(p, LEVEL_COMPARE);
  const char *at;
  bool negated;

  if (rc < 0)
    return rc;
  reading_skip_blanks(p->r);
  at = p->r->p;
  if (take_word(p, "isnull"))
    return emit_is(p, at, value_null(), false);
  if (take_word(p, "notnull"))
    return emit_is(p, at, value_null(), true);
  if (!take_word(p, "is"))
    return 0;
  negated = take_word(p, "not");
  if (take_word(p, "null"))
    return emit_is(p, at, value_null(), negated);
  if (take_word(p, "true"))
    return emit_is(p, at, value_bool(true), negated);
  if (take_word(p, "false"))
    return emit_is(p, at, value_bool(false), negated);
  return unexpected(p, "NULL, TRUE or FALSE");
}

static int parse_unless_not(struct parser *p)
{
  reading_skip_blanks(p->r);
  if (is_word(p->r->p, reading_name(p->r, p->r->p), "not"))
    return parse_operand(p);
  return parse_is(p);
}

/* After the word NOT. */
static int parse_not(struct parser *p, const char *at)
{
  int rc;

  if (++p->depth > DEEPEST)
    return reading_fail(p->r, at, "the expression is too deeply nested");
  rc = parse_unless_not(p);
  p->depth--;
  return rc < 0 ? rc : emit_call(p, at, FUNC_NOT, 1);
}

/* Operands with `word` between them; the jump leaves out the second one. */
static int parse_chain(struct parser *p, const char *word, enum expr_code code,
                       int (*operand)(struct parser *p))
{
  int rc = operand(p);

  while (rc == 0 && take_word(p, word)) {
    const char *at = p->r->p - strlen(word);
    const int jump = emit_jump(p, code, at, 0);

    rc = jump < 0 ? jump : operand(p);
    if (rc < 0)
      return rc;
    if (!emit(p, EXPR_SECOND, at, -1))
      return p->rc;
    land(p, jump);
  }
  return rc;
}

static int parse_and(struct parser *p)
{
  return parse_chain(p, "and", EXPR_AND_FALSE, parse_unless_not);
}

static int parse_or(struct parser *p)
{
  return parse_chain(p, "or", EXPR_OR_TRUE, parse_and);
}

int reading_operand(struct reading *r, struct expr *ret)
{
  struct parser p = { .r = r, .to = ret, .has_unit = true };

  return parse_operand(&p);
}

int reading_expr(struct reading *r, struct expr *ret)
{
  struct parser p = { .r = r, .to = ret };
  int rc = parse_nested(&p);

  if (rc < 0)
    return rc;
  reading_skip_blanks(r);
  return reading_at_line_end(r) ? 0 : unexpected(&p, "an operator");
}
