/*
 * leave.c - the one owner of threads that are left behind.
 */
#include "base/leave.h"

bool leave_step(struct leave *l)
{
  (void)atomic_fetch_add(&l->steps, 1);
  return atomic_load(&l->closed) == 0;
}

void leave_end_steps(struct leave *l)
{
  atomic_store(&l->closed, 1);
  (void)atomic_load(&l->steps);
}

void leave_thread(struct leave *l)
{
  (void)atomic_fetch_add(&l->behind, 1);
}

bool leave_any(const struct leave *l)
{
  return atomic_load(&l->behind) > 0;
}
