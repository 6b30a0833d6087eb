/*
 * patience.c - decides whether to poll for a completion before sleeping.
 */
#include "tests/fileio/patience.h"

void patience_init(struct patience *p, unsigned cpus)
{
  *p = (struct patience){ .never = cpus < 2 };
}

bool patience_wants(struct patience *p)
{
  if (p->never)
    return false;
  if (p->n == PATIENCE_ROUND)
    *p = (struct patience){ 0 };
  p->timed = p->n < 2 * PATIENCE_TRIAL;
  p->n++;
  return p->timed ? p->n <= PATIENCE_TRIAL : p->looks;
}

void patience_looked(struct patience *p, bool came)
{
  if (came)
    p->failures = 0;
  else if (++p->failures >= PATIENCE_FAILURES)
    p->looks = false;
}

void patience_took(struct patience *p, uint64_t ns)
{
  /*
   * A thread that loses its processor meanwhile must not decide the trial
   * alone.
   */
  const uint64_t counts = ns < PATIENCE_MAX_NS ? ns : PATIENCE_MAX_NS;

  if (p->n <= PATIENCE_TRIAL)
    p->look_ns += counts;
  else
    p->sleep_ns += counts;
  if (p->n == 2 * PATIENCE_TRIAL) {
    /* Polling uses a processor, so it must be worth it. */
    p->looks = 2 * p->look_ns < p->sleep_ns;
    p->failures = 0;
  }
}
