/*
 * figure.c - named figures of a run.
 */
#include "tests/memory/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/facts.h"

enum {
  KEY_SIZE = 96,
};

void figure_add(struct facts *to, const char *unit, double value,
                const char *name, ...)
{
  char shown[64], key[KEY_SIZE];
  va_list ap;

  if (!isfinite(value))
    return;
  va_start(ap, name);
  (void)vsnprintf(shown, sizeof(shown), name, ap);
  va_end(ap);
  (void)snprintf(key, sizeof(key), "figures.%s.value", shown);
  facts_real(to, key, value);
  (void)snprintf(key, sizeof(key), "figures.%s.unit", shown);
  facts_text(to, key, unit);
}
