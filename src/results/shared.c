/*
 * shared.c - what all kinds of results work with.
 */
#include "results/shared.h"

#include <errno.h>

#include "base/err.h"

enum {
  DIGITS = 15 /* of real numbers: all that are sure to be right */
};

char *json_line(const json_t *value)
{
  return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
                             JSON_REAL_PRECISION(DIGITS));
}

char *json_pretty(const json_t *value)
{
  return json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY |
                             JSON_REAL_PRECISION(DIGITS));
}

int results_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the results");
}
