/*
 * group.c - group commit.
 */
#include "tests/fileio/group.h"

#include "base/wait.h"

void group_publish(struct group *g, uint64_t n)
{
  atomic_fetch_add(&g->durable, n);
  atomic_store(&g->led, false);
  /*
   * This changes after the lead becomes free, so that a thread which saw it
   * taken does not sleep through the change.
   */
  atomic_fetch_add(&g->news, 1);
  wait_wake_all(&g->news);
}

bool group_await(struct group *g, uint64_t record, struct group_part *ret)
{
  for (;;) {
    const uint32_t news = atomic_load(&g->news);

    if (atomic_load(&g->durable) > record)
      return false;
    if (!atomic_exchange(&g->led, true)) {
      ret->first = atomic_load(&g->durable);
      if (ret->first <= record) {
        ret->n = atomic_load(&g->handed_in) - ret->first;
        return true;
      }
      group_publish(g, 0); /* another leader has just made the record durable */
      return false;
    }
    wait_while(&g->news, news, WAIT_FOREVER);
  }
}
