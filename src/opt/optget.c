/*
 * optget.c - the values of options, for code that knows them only by name.
 */
#include <stddef.h>

#include "opt/optset.h"

static const struct opt_entry *real_of(const struct opt_entry *e)
{
  return e->real ? e->real : e;
}

int opt_refuse(const struct opt_entry *e, const char *value,
               const char *expected, struct err *err)
{
  const struct opt_entry *real = real_of(e);

  if (!value)
    value = real->value.text ? real->value.text : "";
  return opt_value_refuse(real->row, value, expected, real->where, err);
}

const struct opt_entry *opt_shown(const struct opt_entry *e)
{
  const struct opt_entry *program, *script;

  if (!e->twin)
    return real_of(e);
  script = e->made ? e : e->twin;
  program = real_of(e->made ? e->twin : e);
  return program->source == OPT_SOURCE_DEFAULT ? script : program;
}

bool opt_get_bool(const struct opt_entry *e)
{
  e = opt_shown(e);
  return e->row->type == OPT_TYPE_BOOL && e->value.on;
}

int64_t opt_get_int(const struct opt_entry *e)
{
  e = opt_shown(e);
  if (e->row->type == OPT_TYPE_INT || e->row->type == OPT_TYPE_SIZE)
    return e->value.number;
  return 0;
}

double opt_get_number(const struct opt_entry *e)
{
  e = opt_shown(e);
  if (e->row->type == OPT_TYPE_DOUBLE || e->row->type == OPT_TYPE_TIME)
    return e->value.real;
  return (double)opt_get_int(e);
}

const char *opt_get_string(const struct opt_entry *e)
{
  e = opt_shown(e);
  return e->value.text ? e->value.text : "";
}

const struct opt_list *opt_get_list(const struct opt_entry *e)
{
  return &opt_shown(e)->value.list;
}
