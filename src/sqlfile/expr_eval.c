/*
 * expr_eval.c - executes the code of an expression.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "sqlfile/expr.h"
#include "sqlfile/func.h"

void expr_done(struct expr *e)
{
  free(e->op);
  *e = (struct expr){ 0 };
}

/* Texts of columns are read when an expression needs them. */
static const char *push_variable(const struct value *v, struct value *top)
{
  *top = *v;
  if (LIKELY(v->kind != VALUE_TEXT && v->kind != VALUE_UNSET))
    return NULL;
  if (v->kind == VALUE_UNSET)
    return "the variable has no value yet";
  return value_read(v->text, v->len, top)
           ? NULL
           : "the variable holds a text that is no number and no boolean";
}

/*
 * What comes after the first value of AND and OR, `first`, which does not
 * decide the result: it is the second value, which has to be a boolean or NULL.
 */
static const char *join(struct value *first, const struct value *second)
{
  bool truth;

  *first = *second;
  return second->kind == VALUE_NULL ? NULL : value_to_bool(second, &truth);
}

/*
 * Does the code go on elsewhere?  A first value of AND or OR that is NULL is
 * the result, as in pgbench.
 */
static const char *decide(const struct expr_op *op, const struct value *top,
                          bool *ret_jump)
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

static const char *call(const struct expr_op *op, struct value *arg,
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
  struct value *top = stack;          /* the first place that is free */
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
      why = push_variable(&env->variables[now->variable], top++);
      break;
    case EXPR_CALL:
      top -= now->n_args;
      why = call(now, top++, env);
      break;
    case EXPR_JUMP:
      op = e->op + now->to;
      break;
    case EXPR_UNLESS:
    case EXPR_AND_FALSE:
    case EXPR_OR_TRUE:
      why = decide(now, top - 1, &jump);
      top -= now->code == EXPR_UNLESS;
      if (jump)
        op = e->op + now->to;
      break;
    case EXPR_SECOND:
      top--;
      why = join(top - 1, top);
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
