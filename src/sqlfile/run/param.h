/*
 * param.h - the parameters of a statement: values of variables in the form that
 * the SQL layer takes.
 */
#ifndef BENCH_SQLFILE_RUN_PARAM_H
#define BENCH_SQLFILE_RUN_PARAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "sqlfile/value.h"

/* What a descriptor points to. */
struct param_cell {
  union {
    int8_t truth;
    int32_t small;
    int64_t number;
    double real;
  };
  char is_null;
  unsigned long len; /* of texts */
};

struct params {
  unsigned n;
  sql_bind *bind;          /* owned */
  struct param_cell *cell; /* owned */
};

/* -ENOMEM: no memory. */
int params_init(struct params *p, unsigned n);
void params_done(struct params *p);

/*
 * Set parameter `i`; the value must not be VALUE_UNSET, and its text must stay
 * until the statement was executed.  True: the descriptors have changed, and
 * have to be bound.  Integers begin with 32 bits, since there are functions
 * that take no larger ones, and have 64 bits from the first one on that needs
 * them.  `words`: booleans are the words true and false.
 */
bool params_set(struct params *p, unsigned i, const struct value *v,
                bool words);

#endif
