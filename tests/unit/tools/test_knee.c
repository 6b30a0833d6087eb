/*
 * test_knee.c - the best step of a sweep and its knee.
 */
#include <math.h>

#include "tests/unit/tap.h"
#include "tools/knee.h"

static size_t knee_of(const double *throughput, const char *const *values,
                      size_t n)
{
  struct knee_step steps[8];

  for (size_t i = 0; i < n; i++)
    steps[i] = (struct knee_step){ throughput[i], &values[i] };
  return knee_find(steps, n, 1);
}

int main(void)
{
  static const char *const up[] = { "1", "2", "4", "8", "16" };
  static const char *const down[] = { "16", "8", "4", "2", "1" };
  static const char *const words[] = { "b", "a", "c", "e", "d" };
  static const char *const sizes[] = { "1G", "2M", "4K", "8", "1T" };
  static const double curve[] = { 100, 190, 370, 380, 350 };
  static const double flat[] = { 99, 100, 98, 97, 96 };
  static const double failed[] = { NAN, 50, NAN, 100, NAN };
  static const double none[] = { NAN, 0, NAN };
  static const char *const pairs[][2] = {
    { "1", "10" }, { "1", "2" }, { "2", "10" }, { "2", "2" }
  };
  const struct knee_step two[] = {
    { 100, pairs[0] }, { 98, pairs[1] }, { 60, pairs[2] }, { 99, pairs[3] }
  };
  struct knee_step steps[5];

  for (size_t i = 0; i < 5; i++)
    steps[i] = (struct knee_step){ curve[i], &up[i] };
  OK(knee_best(steps, 5) == 3, "the best has the highest throughput");
  OK(knee_of(curve, up, 5) == 2, "the knee is the first within 5 % of it");
  OK(knee_of(flat, up, 5) == 0, "a flat curve has its knee at the start");
  OK(knee_of(flat, down, 5) == 4, "smallest is a matter of values, not order");
  OK(knee_of(flat, words, 5) == 0, "words are taken in their order");
  OK(knee_of(flat, sizes, 5) == 3, "suffixes count");
  OK(knee_of(failed, up, 5) == 3, "failed steps do not count");
  OK(knee_of(none, up, 3) == KNEE_NONE, "nothing works: no knee");
  OK(knee_best(steps, 0) == KNEE_NONE, "no steps, no best one");
  OK(knee_of(curve, up, 1) == 0, "one step is best and knee");
  OK(knee_find(two, 4, 2) == 1, "two options: the first one decides first");
  return TAP_EXIT();
}
