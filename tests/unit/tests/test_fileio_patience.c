/*
 * test_fileio_patience.c - when a thread polls before it sleeps.
 */
#include "tests/fileio/queue.h"
#include "tests/unit/tap.h"

#define US 1000

/* The duration of waits, for each way. */
struct device {
  uint64_t look_ns, sleep_ns;
  bool comes; /* while the thread is polling */
};

/* Makes that many waits; returns how many of them poll. */
static unsigned waits(struct patience *p, unsigned n, const struct device *d)
{
  unsigned looks = 0;

  for (unsigned i = 0; i < n; i++) {
    const bool look = patience_wants(p);

    if (look)
      patience_looked(p, d->comes);
    if (p->timed)
      patience_took(p, look ? d->look_ns : d->sleep_ns);
    looks += look;
  }
  return looks;
}

static const struct device fast = { 5 * US, 50 * US, true },
                           busy = { 15 * US, 10 * US, true },
                           slow = { 1010 * US, 1020 * US, false };

static void test_ways(void)
{
  struct patience p;

  patience_init(&p, 2);
  OK(waits(&p, PATIENCE_ROUND, &fast) == PATIENCE_ROUND - PATIENCE_TRIAL,
     "all waits look, but those that try the other way");
  OK(waits(&p, PATIENCE_ROUND, &busy) == PATIENCE_TRIAL,
     "a round later none does, because sleeping is faster");
  OK(waits(&p, PATIENCE_ROUND, &slow) == PATIENCE_TRIAL,
     "nor when both take long");
  OK(waits(&p, PATIENCE_ROUND, &fast) == PATIENCE_ROUND - PATIENCE_TRIAL,
     "and it is found out when that changes");
}

static void test_failures(void)
{
  struct patience p;

  patience_init(&p, 64);
  (void)waits(&p, PATIENCE_ROUND / 2, &fast);
  OK(waits(&p, PATIENCE_FAILURES - 1, &slow) == PATIENCE_FAILURES - 1 &&
       waits(&p, 1, &fast) == 1 && waits(&p, 1, &slow) == 1,
     "a success forgives the failures before it");
  OK(waits(&p, PATIENCE_ROUND / 4, &slow) == PATIENCE_FAILURES - 1,
     "after failures in a row no wait of the round looks");
}

static void test_interrupted(void)
{
  const struct device stall = { 4000 * US, 0, true };
  struct patience p;

  patience_init(&p, 2);
  (void)waits(&p, 1, &stall);
  (void)waits(&p, 2 * PATIENCE_TRIAL, &fast);
  OK(p.looks, "one wait of a trial that was interrupted does not decide");
}

static void test_alone(void)
{
  struct patience p;

  patience_init(&p, 1);
  OK(waits(&p, 3 * PATIENCE_ROUND, &fast) == 0 && !p.timed,
     "never on a single processor");
}

int main(void)
{
  test_ways();
  test_failures();
  test_interrupted();
  test_alone();
  return TAP_EXIT();
}
