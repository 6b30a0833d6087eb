/*
 * test_home.c - on whose processor does the server of a connection work?
 */
#include "loop/home.h"

#include "tests/unit/tap.h"

enum {
  LOOPS = 3,
};

/* Requests until the next probe, which is not sent. */
static unsigned quiet(struct home *h)
{
  unsigned n = 0;

  while (n <= HOME_EVERY_MAX && !home_probes(h))
    n++;
  return n;
}

static void miss(struct home *h, unsigned times)
{
  for (unsigned i = 0; i < times; i++)
    home_probed(h, false, LOOPS);
}

static void test_found(void)
{
  struct home h;

  home_init(&h, 1);
  OK(h.at == 1 && quiet(&h) == 0, "the first request is a probe");
  home_probed(&h, true, LOOPS);
  OK(h.at == 1 && quiet(&h) == HOME_EVERY, "after success it is one of many");
  miss(&h, HOME_TRIES - 1);
  OK(h.at == 1 && quiet(&h) == 0, "a miss by chance is tried again");
  home_probed(&h, true, LOOPS);
  miss(&h, HOME_TRIES - 1);
  OK(h.at == 1, "and forgotten");
}

static void test_search(void)
{
  struct home h;

  home_init(&h, 1);
  miss(&h, HOME_TRIES);
  OK(h.at == 2 && quiet(&h) == 0, "after some misses, the next loop tries");
  miss(&h, HOME_TRIES);
  OK(h.at == 0, "after the last one, the first");
  home_probed(&h, true, LOOPS);
  OK(h.at == 0 && quiet(&h) == HOME_EVERY, "where one is found, it stays");
}

static void test_nowhere(void)
{
  struct home h;

  home_init(&h, 1);
  miss(&h, HOME_TRIES * LOOPS);
  OK(h.at == 1 && quiet(&h) == 2 * HOME_EVERY,
     "if all have tried, it is back, and probes are rarer");
  for (int i = 0; i < 20; i++)
    miss(&h, HOME_TRIES * LOOPS);
  OK(quiet(&h) == HOME_EVERY_MAX, "up to a limit");
  home_probed(&h, true, LOOPS);
  OK(quiet(&h) == HOME_EVERY, "until one succeeds");
}

int main(void)
{
  test_found();
  test_search();
  test_nowhere();
  return TAP_EXIT();
}
