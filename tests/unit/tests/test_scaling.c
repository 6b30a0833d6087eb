/*
 * test_scaling.c - which ratios of threads deserve a warning.
 */
#include "report/life.h"
#include "report/warnings.h"
#include "tests/scaling.h"
#include "tests/unit/tap.h"

static const struct scaling_kind kind = { .scales = 0.75 };

/* Two cores without a second hardware thread; rates of one and of both. */
static void warning(double one, double both, struct warnings *ret)
{
  static struct scaling s;

  s = (struct scaling){ .kind = &kind,
                        .topology = { .cores = 2, .cpus = 2 },
                        .work = { { .name = "int" } },
                        .works = 1 };
  s.level[SCALING_ONE] = s.level[SCALING_CORES] = true;
  s.cell[0][SCALING_ONE].per_s[0] = one;
  s.cell[0][SCALING_CORES].per_s[0] = both;
  s.cell[0][SCALING_ONE].n = s.cell[0][SCALING_CORES].n = 1;
  ret->n = 0;
  scaling_doubts(&s, NULL, ret);
}

int main(void)
{
  static struct warnings d;

  warning(1000, 2000, &d);
  OK(d.n == 0, "two cores do twice the work of one");
  warning(1000, 2190, &d);
  OK(d.n == 0, "measured rates differ");
  warning(1000, 2680, &d);
  OK(d.n == 1 && strcmp(d.of[0].code, "scaling_impossible") == 0 &&
       strstr(d.of[0].text, "2 threads seem to do 2.68 times the work of 1 "
                            "(int), which is impossible; other programs "
                            "slowed down the single thread"),
     "they cannot do more than that");
  warning(1000, 1200, &d);
  OK(d.n == 1 && strcmp(d.of[0].code, "scaling") == 0, "less has a reason");
  return TAP_EXIT();
}
