/*
 * peers.c - peers, for a plan that may have none.
 */
#include "run/peers.h"

#include "run/plan.h"

void peers_divide_folder(const struct plan *plan, const char *path,
                         unsigned *ret_part, unsigned *ret_parts)
{
  *ret_part = 0;
  *ret_parts = 1;
  if (plan->peers)
    plan->peers->divide_folder(plan->peers->ctx, path, ret_part, ret_parts);
}
