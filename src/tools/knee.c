#include "tools/knee.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/parse.h"

size_t knee_best(const struct knee_step *steps, size_t n)
{
  size_t best = KNEE_NONE;

  for (size_t i = 0; i < n; i++) {
    if (!(steps[i].throughput > 0) || !isfinite(steps[i].throughput))
      continue;
    if (best == KNEE_NONE || steps[i].throughput > steps[best].throughput)
      best = i;
  }
  return best;
}

static bool knee_number_of(const char *text, double *ret)
{
  uint64_t size;

  if (parse_size(text, &size) == 0) {
    *ret = (double)size;
    return true;
  }
  return parse_double(text, ret) == 0;
}

static bool knee_all_numbers(const struct knee_step *steps, size_t n,
                             size_t option)
{
  double ignored;

  for (size_t i = 0; i < n; i++) {
    if (!knee_number_of(steps[i].values[option], &ignored))
      return false;
  }
  return true;
}

size_t knee_find(const struct knee_step *steps, size_t n, size_t n_options)
{
  const size_t best = knee_best(steps, n);
  size_t knee = best, numbers = 0; /* leading numeric options */

  while (numbers < n_options && knee_all_numbers(steps, n, numbers))
    numbers++;
  for (size_t i = 0; best != KNEE_NONE && i < n; i++) {
    bool smaller = i < knee, decided = false;

    if (!(steps[i].throughput >= KNEE_SHARE * steps[best].throughput))
      continue;
    for (size_t k = 0; k < numbers && !decided; k++) {
      double x = 0, y = 0; /* checked by knee_all_numbers() */

      (void)knee_number_of(steps[i].values[k], &x);
      (void)knee_number_of(steps[knee].values[k], &y);
      decided = x < y || x > y;
      smaller = decided ? x < y : smaller;
    }
    if (smaller)
      knee = i;
  }
  return knee;
}
