/*
 * test_fileio_group.c - group commit: every record becomes durable once, in
 * order, by one leader at a time, and no thread returns before that.
 */
#include "tests/fileio/group.h"

#include <pthread.h>
#include <sched.h>

#include "base/err.h"
#include "base/thread.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 8,
  RECORDS = 2000, /* of each thread */
  PART_MAX = 5,   /* records that a leader takes at most */
};

struct log {
  struct group group;
  _Atomic int leaders;
  _Atomic bool crowded; /* two leaders at a time */
  _Atomic bool early;   /* a record was not there on return */
  bool gap;             /* a part did not begin where the log ended */
  uint64_t length;      /* used by the leader */
  unsigned failures;    /* still to come; used by the leader */
  uint64_t parts;       /* used by the leader */
  uint8_t there[THREADS * RECORDS]; /* how many times it was made durable */
};

/* Acts as a leader, which fails from time to time. */
static void lead(struct log *l, const struct group_part *part)
{
  uint64_t n = part->n < PART_MAX ? part->n : PART_MAX;

  if (atomic_fetch_add(&l->leaders, 1) != 0)
    atomic_store(&l->crowded, true);
  if (part->first != l->length)
    l->gap = true;
  if (l->failures > 0 && l->parts % 16 == 15) {
    l->failures--;
    n = 0;
  }
  for (uint64_t i = 0; i < n; i++)
    l->there[part->first + i]++;
  l->length += n;
  l->parts++;
  (void)sched_yield(); /* gives other threads a chance */
  atomic_fetch_sub(&l->leaders, 1);
  group_publish(&l->group, n);
}

static void *commit_all(void *arg)
{
  struct log *l = arg;
  struct group_part part;

  for (int i = 0; i < RECORDS; i++) {
    const uint64_t record = group_hand_in(&l->group);

    while (group_await(&l->group, record, &part))
      lead(l, &part);
    if (l->there[record] != 1)
      atomic_store(&l->early, true);
  }
  return NULL;
}

static void alone(void)
{
  struct group g = { 0 };
  struct group_part part;

  OK(group_hand_in(&g) == 0 && group_hand_in(&g) == 1, "records are numbered");
  OK(group_await(&g, 1, &part) && part.first == 0 && part.n == 2,
     "the only thread leads, and gets all records");
  group_publish(&g, 1);
  OK(!group_await(&g, 0, &part), "the first one is durable");
  OK(group_await(&g, 1, &part) && part.first == 1 && part.n == 1,
     "the second one is what remains");
  group_publish(&g, 0);
  OK(group_await(&g, 1, &part) && part.first == 1 && part.n == 1,
     "after a failure the same part is due again");
  group_publish(&g, 1);
  OK(!group_await(&g, 1, &part), "now all is durable");
}

static void together(void)
{
  struct log *l = aligned_alloc(CACHE_LINE, (sizeof(*l) + CACHE_LINE - 1) /
                                              CACHE_LINE * CACHE_LINE);
  pthread_t thread[THREADS];
  struct err err;
  uint64_t once = 0;

  MUST(l);
  memset(l, 0, sizeof(*l));
  l->failures = 20;
  for (int i = 0; i < THREADS; i++)
    MUST(thread_start(&thread[i], 0, commit_all, l, &err) == 0);
  for (int i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  for (size_t i = 0; i < sizeof(l->there); i++)
    once += l->there[i] == 1;
  OK(once == sizeof(l->there), "every record was made durable once");
  OK(!l->gap, "in order");
  OK(!l->crowded, "by one leader at a time");
  OK(!l->early, "nobody returned before its record was there");
  OK(l->failures == 0, "failures of leaders were part of it");
  free(l);
}

int main(void)
{
  alone();
  together();
  return TAP_EXIT();
}
