/*
 * test_fileio_steady.c - which series are steady.
 */
#include <math.h>

#include "tests/fileio/wear.h"
#include "tests/unit/tap.h"

/* Returns after how many windows this series is steady; 0: never. */
static unsigned steady_after(double percent, const double *rate, unsigned n)
{
  struct steady s;

  steady_init(&s, percent, 1);
  for (unsigned i = 0; i < n; i++) {
    steady_add(&s, rate[i]);
    if (atomic_load(&s.reached))
      return i + 1;
  }
  return 0;
}

int main(void)
{
  static const double flat[] = { 100, 100, 100, 100, 100 };
  static const double settles[] = { 900, 500, 300, 110, 100,
                                    101, 99,  100, 100, 100 };
  static const double rises[] = { 100, 103, 106, 109, 112, 115, 118, 121 };
  /* The range is 9 % of the mean, the trend 10.8 %. */
  static const double steps_up[] = { 95.5, 95.5, 100, 104.5, 104.5 };
  static const double steps_down[] = { 104.5, 104.5, 100, 95.5, 95.5 };
  static const double jumps[] = { 100, 120, 100, 120, 100, 120, 100 };
  static const double nothing[] = { 0, 0, 0, 0, 0, 0 };
  struct steady_state state;
  struct steady s;

  OK(steady_after(5, flat, 4) == 0, "four windows are too few");
  OK(steady_after(5, flat, 5) == 5, "five equal ones are steady");
  OK(steady_after(5, settles, 10) == 9, "what settles becomes steady then");
  OK(steady_after(5, rises, 8) == 0, "a trend is not steady");
  OK(steady_after(15, rises, 8) == 5, "unless so much is allowed");
  OK(steady_after(10, steps_up, 5) == 0 && steady_after(11, steps_up, 5) == 5,
     "the trend counts where the range is small enough");
  OK(steady_after(10, steps_down, 5) == 0 &&
       steady_after(11, steps_down, 5) == 5,
     "downwards, too");
  OK(steady_after(5, jumps, 7) == 0, "nor are jumps");
  OK(steady_after(5, nothing, 6) == 0, "nor is nothing at all");

  steady_init(&s, 5, 1);
  OK(!steady_look(&s, &state), "at first there is nothing to look at");
  for (unsigned i = 0; i < 8; i++)
    steady_add(&s, rises[i]);
  OK(steady_look(&s, &state) && fabs(state.mean - 115) < 1e-9 &&
       fabs(state.range - 12.0 / 115) < 1e-9 &&
       fabs(state.slope - 12.0 / 115) < 1e-9,
     "mean, range and trend are of the last five");
  return TAP_EXIT();
}
