/*
 * param.c - turns values into bound parameters.
 */
#include "sqlfile/run/param.h"

#include <errno.h>
#include <stdlib.h>

int params_init(struct params *p, unsigned n)
{
  *p = (struct params){ .n = n };
  if (n == 0)
    return 0;
  p->bind = calloc(n, sizeof(*p->bind));
  p->cell = calloc(n, sizeof(*p->cell));
  if (!p->bind || !p->cell) {
    params_done(p);
    return -ENOMEM;
  }
  for (unsigned i = 0; i < n; i++) {
    p->bind[i] = (sql_bind){
      .type = SQL_TYPE_NONE,
      .buffer = &p->cell[i],
      .data_len = &p->cell[i].len,
      .is_null = &p->cell[i].is_null,
    };
  }
  return 0;
}

void params_done(struct params *p)
{
  free(p->bind);
  free(p->cell);
  *p = (struct params){ 0 };
}

static bool describe(sql_bind *b, sql_bind_type_t type, void *buffer)
{
  if (b->type == type && b->buffer == buffer)
    return false;
  b->type = type;
  b->buffer = buffer;
  return true;
}

static bool set_text(sql_bind *b, struct param_cell *cell, const char *text,
                     size_t len)
{
  cell->len = len;
  return describe(b, SQL_TYPE_VARCHAR, (void *)(uintptr_t)text);
}

static bool set_int(sql_bind *b, struct param_cell *cell, int64_t number)
{
  if (b->type != SQL_TYPE_BIGINT && number == (int32_t)number) {
    cell->small = (int32_t)number;
    return describe(b, SQL_TYPE_INT, cell);
  }
  cell->number = number;
  return describe(b, SQL_TYPE_BIGINT, cell);
}

bool params_set(struct params *p, unsigned i, const struct value *v, bool words)
{
  struct param_cell *cell = &p->cell[i];
  sql_bind *b = &p->bind[i];

  cell->is_null = v->kind == VALUE_NULL;
  switch (v->kind) {
  case VALUE_INT:
    return set_int(b, cell, v->number);
  case VALUE_DOUBLE:
    cell->real = v->real;
    return describe(b, SQL_TYPE_DOUBLE, cell);
  case VALUE_TEXT:
    return set_text(b, cell, v->text, v->len);
  case VALUE_BOOL:
    if (words)
      return set_text(b, cell, v->truth ? "true" : "false", v->truth ? 4 : 5);
    cell->truth = v->truth;
    return describe(b, SQL_TYPE_TINYINT, cell);
  default:
    return false; /* NULL has the type of the value before */
  }
}
