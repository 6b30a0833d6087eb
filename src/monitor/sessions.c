/*
 * sessions.c - what the sessions of an embedded database have counted.
 */
#include "monitor/sessions.h"

#include "db/counts.h"
#include "monitor/reading.h"

static const enum server_figure figures[DB_COUNTS] = {
  [COUNT_PAGES_READ] = SERVER_PAGES_READ,
  [COUNT_PAGES_WRITTEN] = SERVER_PAGES_WRITTEN,
  [COUNT_SPILLS] = SERVER_FREE_PAGE_WAITS,
  [COUNT_LOCK_WAITS] = SERVER_LOCK_WAITS,
};

void sessions_want(struct counts *c)
{
  atomic_store_explicit(&c->wanted, true, memory_order_relaxed);
}

void sessions_read(struct counts *c, struct server_reading *ret)
{
  uint64_t sum[DB_COUNTS];

  counts_sum(c, sum);
  for (int i = 0; i < DB_COUNTS; i++) {
    ret->has[figures[i]] = true;
    ret->value[figures[i]] = (double)sum[i];
  }
}
