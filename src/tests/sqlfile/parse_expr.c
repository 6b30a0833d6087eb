/*
 * parse_expr.c - common functions of the parser, and expressions by the rules
 * of pgbench. Operators in ascending precedence: OR, AND, NOT, IS, comparisons,
 * bits, + -, * / %, signs. Makes code while reading.
 */
#include "tests/sqlfile/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* ---- what the parts share ---- */

enum {
  VARIABLES_MAX = 4096,
};

int reading_fail(struct reading *r, const char *at, const char *fmt, ...)
{
  const struct sqlfile_place place = sqlfile_place(r->text, reading_at(r, at));
  struct strbuf b = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&b, fmt, ap);
  va_end(ap);
  (void)err_set(r->err, -EINVAL, "%s:%u:%u: %s", r->file->name, place.line,
                place.column, strbuf_str(&b));
  strbuf_done(&b);
  return -EINVAL;
}

int reading_no_memory(struct reading *r)
{
  return err_set(r->err, -ENOMEM, "not enough memory to read '%s'",
                 r->file->name);
}

/* The length of a backslash and the line end after it, or 0. */
static size_t reading_continuation(const struct reading *r)
{
  const size_t left = (size_t)(r->end - r->p);

  if (left >= 2 && memcmp(r->p, "\\\n", 2) == 0)
    return 2;
  return left >= 3 && memcmp(r->p, "\\\r\n", 3) == 0 ? 3 : 0;
}

void reading_skip_blanks(struct reading *r)
{
  for (;;) {
    const size_t more = reading_continuation(r);

    if (more > 0)
      r->p += more;
    else if (r->p < r->end && *r->p != '\n' && isspace((unsigned char)*r->p))
      r->p++;
    else
      return;
  }
}

bool reading_at_line_end(const struct reading *r)
{
  return r->p == r->end || *r->p == '\n';
}

static bool reading_begins_name(char c)
{
  return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

size_t reading_name(const struct reading *r, const char *p)
{
  const char *from = p;

  if (p == r->end || !reading_begins_name(*p))
    return 0;
  while (p < r->end && (reading_begins_name(*p) || isdigit((unsigned char)*p)))
    p++;
  return (size_t)(p - from);
}

/* ---- variables ---- */

int reading_find(const struct reading *r, const char *name, size_t len)
{
  for (size_t i = 0; i < r->file->n_variables; i++) {
    const char *known = r->file->variable[i].name;

    if (strlen(known) == len && memcmp(known, name, len) == 0)
      return (int)i;
  }
  return -1;
}

/* For one more element; false: no memory. */
static bool reading_grow(void **array, size_t n, size_t *room, size_t size)
{
  const size_t more = *room ? 2 * *room : 16;
  void *bigger;

  if (n < *room)
    return true;
  bigger = reallocarray(*array, more, size);
  if (!bigger)
    return false;
  *array = bigger;
  *room = more;
  return true;
}

int reading_variable(struct reading *r, const char *name, size_t len)
{
  struct sqlfile *file = r->file;
  const int known = reading_find(r, name, len);
  void *array = file->variable;
  char *copy;

  if (known >= 0)
    return known;
  if (file->n_variables == VARIABLES_MAX)
    return err_set(r->err, -EINVAL, "'%s' has more than %d variables",
                   file->name, VARIABLES_MAX);
  copy = mem_strndup(name, len);
  if (!copy || !reading_grow(&array, file->n_variables, &r->variables_room,
                             sizeof(*file->variable))) {
    free(copy);
    return reading_no_memory(r);
  }
  file->variable = array;
  file->variable[file->n_variables] = (struct sqlfile_variable){ .name = copy };
  return (int)file->n_variables++;
}

int reading_use(struct reading *r, const char *at, size_t len)
{
  const int known = reading_find(r, at, len);

  if (known >= 0)
    return known;
  return reading_fail(r, at,
                      "the variable '%.*s' has no value here; use \\set before "
                      "this line, or --define=%.*s=VALUE",
                      (int)len, at, (int)len, at);
}

struct sqlfile_step *reading_add_step(struct reading *r, enum sqlfile_code code,
                                      const char *at)
{
  struct sqlfile *file = r->file;
  void *array = file->step;
  struct sqlfile_step *step;

  if (!reading_grow(&array, file->n_steps, &r->steps_room,
                    sizeof(*file->step))) {
    (void)reading_no_memory(r);
    return NULL;
  }
  file->step = array;
  step = &file->step[file->n_steps++];
  *step = (struct sqlfile_step){ .code = code, .at = reading_at(r, at) };
  return step;
}

struct sqlfile_statement *reading_add_statement(struct reading *r)
{
  struct sqlfile *file = r->file;
  void *array = file->statement;
  struct sqlfile_statement *s;

  if (!reading_grow(&array, file->n_statements, &r->statements_room,
                    sizeof(*file->statement))) {
    (void)reading_no_memory(r);
    return NULL;
  }
  file->statement = array;
  s = &file->statement[file->n_statements++];
  *s = (struct sqlfile_statement){ 0 };
  return s;
}

/* ---- expressions ---- */

enum {
  DEEPEST = 50,
};

struct parser {
  struct reading *r;
  struct expr *to;
  unsigned height; /* values on the stack at this point of the code */
  unsigned depth;
  bool has_unit;
  int rc; /* of expr_emit() */
};

struct function {
  const char *name;
  enum expr_function function;
  unsigned min, max;
  const char *usage;
};

static const struct function expr_functions[] = {
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

/* `change`: of the height of the stack. NULL: failed with p->rc. */
static struct expr_op *expr_emit(struct parser *p, enum expr_code code,
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

static int expr_emit_const(struct parser *p, const char *at, struct value value)
{
  struct expr_op *op = expr_emit(p, EXPR_CONST, at, 1);

  if (!op)
    return p->rc;
  op->value = value;
  return 0;
}

static int expr_emit_call(struct parser *p, const char *at,
                          enum expr_function function, unsigned n_args)
{
  struct expr_op *op = expr_emit(p, EXPR_CALL, at, 1 - (int)n_args);

  if (!op)
    return p->rc;
  op->function = (uint8_t)function;
  op->n_args = (uint8_t)n_args;
  return 0;
}

/* The goal is unknown yet; negative: failure. */
static int expr_emit_jump(struct parser *p, enum expr_code code, const char *at,
                          int change)
{
  return expr_emit(p, code, at, change) ? (int)p->to->n - 1 : p->rc;
}

static void expr_land(struct parser *p, int jump)
{
  p->to->op[jump].to = (unsigned)p->to->n;
}

/* ---- words ---- */

static bool expr_at_char(struct parser *p, char c)
{
  reading_skip_blanks(p->r);
  return p->r->p < p->r->end && *p->r->p == c;
}

static bool expr_take_char(struct parser *p, char c)
{
  const bool is = expr_at_char(p, c);

  p->r->p += is;
  return is;
}

static bool expr_at_text(const struct parser *p, const char *text)
{
  const size_t len = strlen(text);

  return (size_t)(p->r->end - p->r->p) >= len &&
         memcmp(p->r->p, text, len) == 0;
}

static bool expr_is_word(const char *at, size_t len, const char *word)
{
  return strlen(word) == len && strncasecmp(at, word, len) == 0;
}

static bool expr_take_word(struct parser *p, const char *word)
{
  size_t len;

  reading_skip_blanks(p->r);
  len = reading_name(p->r, p->r->p);
  if (!expr_is_word(p->r->p, len, word))
    return false;
  p->r->p += len;
  return true;
}

static int expr_unexpected(struct parser *p, const char *wanted)
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

static int expr_expect_char(struct parser *p, char c, const char *wanted)
{
  return expr_take_char(p, c) ? 0 : expr_unexpected(p, wanted);
}

/* ---- operands ---- */

static int expr_parse_or(struct parser *p);

static int expr_parse_nested(struct parser *p)
{
  int rc;

  if (++p->depth > DEEPEST)
    return reading_fail(p->r, p->r->p, "the expression is too deeply nested");
  rc = expr_parse_or(p);
  p->depth--;
  return rc;
}

static size_t expr_number_length(const struct reading *r, const char *at,
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

static int expr_parse_number(struct parser *p, bool negative)
{
  struct reading *r = p->r;
  const char *at = r->p;
  char digits[128];
  bool real;
  const size_t len = expr_number_length(r, at, &real);
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
      (!real &&
       v.kind != VALUE_INT)) /* digits can be too large for an integer */
    return reading_fail(r, at, "the number %.*s is too large", (int)len, at);
  r->p += len;
  return expr_emit_const(p, at, v);
}

static int expr_parse_variable(struct parser *p)
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
  op = expr_emit(p, EXPR_VARIABLE, at, 1);
  if (!op)
    return p->rc;
  op->variable = (unsigned)number;
  return 0;
}

/* The value, and a jump to the end, added to the chain of such jumps. */
static int expr_parse_branch(struct parser *p, const char *at, int *chain)
{
  int rc = expr_parse_nested(p), jump;

  if (rc < 0)
    return rc;
  jump = expr_emit_jump(p, EXPR_JUMP, at, -1);
  if (jump < 0)
    return jump;
  p->to->op[jump].to = (unsigned)*chain;
  *chain = jump;
  return 0;
}

static void expr_land_chain(struct parser *p, int chain)
{
  while (chain >= 0) {
    const int before = (int)p->to->op[chain].to;

    expr_land(p, chain);
    chain = before;
  }
}

static int expr_parse_case(struct parser *p, const char *at)
{
  int chain = -1, rc = 0, skip;

  if (!expr_take_word(p, "when"))
    return expr_unexpected(p, "WHEN");
  do {
    rc = expr_parse_nested(p);
    if (rc < 0)
      return rc;
    if (!expr_take_word(p, "then"))
      return expr_unexpected(p, "THEN");
    skip = expr_emit_jump(p, EXPR_UNLESS, at, -1);
    if (skip < 0)
      return skip;
    rc = expr_parse_branch(p, at, &chain);
    if (rc < 0)
      return rc;
    expr_land(p, skip);
  } while (expr_take_word(p, "when"));
  rc = expr_take_word(p, "else") ? expr_parse_nested(p)
                                 : expr_emit_const(p, at, value_null());
  if (rc < 0)
    return rc;
  expr_land_chain(p, chain);
  return expr_take_word(p, "end") ? 0 : expr_unexpected(p, "END");
}

static int expr_parse_arguments(struct parser *p, const struct function *f,
                                const char *at)
{
  unsigned n = 0;
  int rc = 0;

  if (!expr_take_char(p, ')')) {
    do {
      if (n == EXPR_ARGS)
        return reading_fail(p->r, p->r->p, "%s() takes at most %d arguments",
                            f->name, EXPR_ARGS);
      rc = expr_parse_nested(p);
      n++;
    } while (rc == 0 && expr_take_char(p, ','));
    if (rc == 0)
      rc = expr_expect_char(p, ')', "')' or ','");
  }
  if (rc < 0)
    return rc;
  if (n < f->min || n > f->max)
    return reading_fail(p->r, at, "%u argument%s given, the function is %s", n,
                        n == 1 ? "" : "s", f->usage);
  return expr_emit_call(p, at, f->function, n);
}

static int expr_parse_call(struct parser *p, const char *at, size_t len)
{
  for (size_t i = 0; i < ARRAY_SIZE(expr_functions); i++) {
    if (expr_is_word(at, len, expr_functions[i].name))
      return expr_take_char(p, '(')
               ? expr_parse_arguments(p, &expr_functions[i], at)
               : expr_unexpected(p, "'('");
  }
  if (expr_at_char(p, '('))
    return reading_fail(p->r, at, "there is no function '%.*s'", (int)len, at);
  return reading_fail(p->r, at,
                      "unexpected '%.*s'; a variable is written :%.*s",
                      (int)len, at, (int)len, at);
}

static int expr_parse_not(struct parser *p, const char *at);

static int expr_parse_named(struct parser *p, size_t len)
{
  const char *at = p->r->p;

  p->r->p += len;
  if (expr_is_word(at, len, "not"))
    return expr_parse_not(p, at);
  if (expr_is_word(at, len, "case"))
    return expr_parse_case(p, at);
  if (expr_is_word(at, len, "null"))
    return expr_emit_const(p, at, value_null());
  if (expr_is_word(at, len, "true") || expr_is_word(at, len, "false"))
    return expr_emit_const(p, at, value_bool(expr_is_word(at, len, "true")));
  return expr_parse_call(p, at, len);
}

static int expr_parse_operand(struct parser *p)
{
  struct reading *r = p->r;
  size_t len;
  int rc;

  reading_skip_blanks(r);
  if (reading_at_line_end(r))
    return expr_unexpected(p, "a value");
  if (isdigit((unsigned char)*r->p) ||
      (*r->p == '.' && r->end - r->p > 1 && isdigit((unsigned char)r->p[1])))
    return expr_parse_number(p, false);
  if (*r->p == ':')
    return expr_parse_variable(p);
  if (expr_take_char(p, '(')) {
    rc = expr_parse_nested(p);
    return rc < 0 ? rc : expr_expect_char(p, ')', "')'");
  }
  len = reading_name(r, r->p);
  return len > 0 ? expr_parse_named(p, len) : expr_unexpected(p, "a value");
}

/* ---- operators ---- */

static int expr_parse_sign(struct parser *p);

/* -x is 0 - x, and ~x is -1 # x, as in pgbench. */
static int expr_parse_prefix(struct parser *p, const char *at, int64_t first,
                             enum expr_function function)
{
  int rc = expr_emit_const(p, at, value_int(first));

  if (rc == 0)
    rc = expr_parse_sign(p);
  return rc < 0 ? rc : expr_emit_call(p, at, function, 2);
}

static int expr_parse_sign_at(struct parser *p)
{
  const char *at = p->r->p;

  if (expr_take_char(p, '+'))
    return expr_parse_sign(p);
  if (expr_take_char(p, '~'))
    return expr_parse_prefix(p, at, -1, FUNC_BIT_XOR);
  if (!expr_take_char(p, '-'))
    return expr_parse_operand(p);
  if (p->r->p < p->r->end && isdigit((unsigned char)*p->r->p))
    return expr_parse_number(p, true); /* allows the smallest integer */
  return expr_parse_prefix(p, at, 0, FUNC_SUB);
}

static int expr_parse_sign(struct parser *p)
{
  int rc;

  reading_skip_blanks(p->r);
  if (++p->depth > DEEPEST)
    return reading_fail(p->r, p->r->p, "the expression is too deeply nested");
  rc = expr_parse_sign_at(p);
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

/* Longer ones first. */
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

static const struct binary *expr_find_operator(struct parser *p, int level)
{
  reading_skip_blanks(p->r);
  for (const struct binary *o = operators[level]; o->text; o++) {
    if (expr_at_text(p, o->text))
      return o;
  }
  return NULL;
}

static int expr_parse_level(struct parser *p, int level)
{
  const struct binary *o;
  int rc = level + 1 < LEVELS ? expr_parse_level(p, level + 1)
                              : expr_parse_sign(p);

  while (rc == 0 && (o = expr_find_operator(p, level))) {
    const char *at = p->r->p;

    p->r->p += strlen(o->text);
    rc = level + 1 < LEVELS ? expr_parse_level(p, level + 1)
                            : expr_parse_sign(p);
    if (rc == 0)
      rc = expr_emit_call(p, at, o->function, 2);
    if (level == LEVEL_COMPARE)
      break;
  }
  return rc;
}

static int expr_emit_is(struct parser *p, const char *at, struct value v,
                        bool negated)
{
  int rc = expr_emit_const(p, at, v);

  if (rc == 0)
    rc = expr_emit_call(p, at, FUNC_IS, 2);
  return rc == 0 && negated ? expr_emit_call(p, at, FUNC_NOT, 1) : rc;
}

/* x IS [NOT] NULL, TRUE or FALSE; x ISNULL; x NOTNULL. */
static int expr_parse_is(struct parser *p)
{
  int rc = expr_parse_level(p, LEVEL_COMPARE);
  const char *at;
  bool negated;

  if (rc < 0)
    return rc;
  reading_skip_blanks(p->r);
  at = p->r->p;
  if (expr_take_word(p, "isnull"))
    return expr_emit_is(p, at, value_null(), false);
  if (expr_take_word(p, "notnull"))
    return expr_emit_is(p, at, value_null(), true);
  if (!expr_take_word(p, "is"))
    return 0;
  negated = expr_take_word(p, "not");
  if (expr_take_word(p, "null"))
    return expr_emit_is(p, at, value_null(), negated);
  if (expr_take_word(p, "true"))
    return expr_emit_is(p, at, value_bool(true), negated);
  if (expr_take_word(p, "false"))
    return expr_emit_is(p, at, value_bool(false), negated);
  return expr_unexpected(p, "NULL, TRUE or FALSE");
}

static int expr_parse_unless_not(struct parser *p)
{
  reading_skip_blanks(p->r);
  if (expr_is_word(p->r->p, reading_name(p->r, p->r->p), "not"))
    return expr_parse_operand(p);
  return expr_parse_is(p);
}

static int expr_parse_not(struct parser *p, const char *at)
{
  int rc;

  if (++p->depth > DEEPEST)
    return reading_fail(p->r, at, "the expression is too deeply nested");
  rc = expr_parse_unless_not(p);
  p->depth--;
  return rc < 0 ? rc : expr_emit_call(p, at, FUNC_NOT, 1);
}

/* The jump leaves out the second operand. */
static int expr_parse_chain(struct parser *p, const char *word,
                            enum expr_code code,
                            int (*operand)(struct parser *p))
{
  int rc = operand(p);

  while (rc == 0 && expr_take_word(p, word)) {
    const char *at = p->r->p - strlen(word);
    const int jump = expr_emit_jump(p, code, at, 0);

    rc = jump < 0 ? jump : operand(p);
    if (rc < 0)
      return rc;
    if (!expr_emit(p, EXPR_SECOND, at, -1))
      return p->rc;
    expr_land(p, jump);
  }
  return rc;
}

static int expr_parse_and(struct parser *p)
{
  return expr_parse_chain(p, "and", EXPR_AND_FALSE, expr_parse_unless_not);
}

static int expr_parse_or(struct parser *p)
{
  return expr_parse_chain(p, "or", EXPR_OR_TRUE, expr_parse_and);
}

int reading_operand(struct reading *r, struct expr *ret)
{
  struct parser p = { .r = r, .to = ret, .has_unit = true };

  return expr_parse_operand(&p);
}

int reading_expr(struct reading *r, struct expr *ret)
{
  struct parser p = { .r = r, .to = ret };
  int rc = expr_parse_nested(&p);

  if (rc < 0)
    return rc;
  reading_skip_blanks(r);
  return reading_at_line_end(r) ? 0 : expr_unexpected(&p, "an operator");
}
