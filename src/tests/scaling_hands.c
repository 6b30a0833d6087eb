/*
 * scaling_hands.c - threads that work at the same time.
 */
#include "tests/scaling_hands.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "tests/scaling.h"

struct hand {
  struct scaling_hands *all;
  unsigned index;
  pthread_t thread;
  bool started;
  bool opened;
  void *mem; /* of the kind */

  /* Of the last sample; read by the first hand when the others are done. */
  double per_s;
  bool wrong;
  int failed; /* why it cannot work: a negative errno value, or 0 */
  struct err why;
} CACHE_ALIGNED;

struct scaling_hands {
  const struct scaling *s;
  unsigned n;
  struct hand *of;

  /* A sample; the first hand writes it before it changes `turn`, when all
   * others are done with the last one. */
  unsigned work, threads;
  uint64_t end_ns;
  bool quit;

  /* Changes with every sample; waited for. */
  _Atomic uint32_t turn CACHE_ALIGNED;
  /* Hands that have done their part, which may be none; waited for. */
  _Atomic uint32_t done CACHE_ALIGNED;
};

static int pin(int cpu)
{
  const size_t size = CPU_ALLOC_SIZE(TOPOLOGY_CPUS_MAX);
  cpu_set_t *set = CPU_ALLOC(TOPOLOGY_CPUS_MAX);
  int rc = 0;

  if (!set)
    return -ENOMEM;
  CPU_ZERO_S(size, set);
  CPU_SET_S((size_t)cpu, size, set);
  if (sched_setaffinity(0, size, set) < 0)
    rc = -errno;
  CPU_FREE(set);
  return rc;
}

/* The hand goes to its processor and opens what it needs. */
static void settle(struct hand *h)
{
  const struct scaling *s = h->all->s;
  const int cpu = s->topology.cpu[h->index];

  h->failed = pin(cpu);
  if (h->failed < 0)
    h->failed = err_set(&h->why, h->failed,
                        "cannot keep a thread on processor %d, which %s needs "
                        "(%s)",
                        cpu, s->kind->option,
                        h->failed == -ENOSYS
                          ? "this system or container has no such call"
                          : "does this container allow sched_setaffinity?");
  else
    h->failed = s->kind->open(s, &h->mem, &h->why);
  h->opened = h->failed == 0;
}

static void leave(struct hand *h)
{
  if (h->opened)
    h->wrong = !h->all->s->kind->close(h->all->s, h->mem);
}

/* Its part of a sample.  The first round fetches memory into the caches. */
static void work(struct hand *h)
{
  const struct scaling *s = h->all->s;
  const unsigned what = h->all->work;
  uint64_t rounds = 0, begin_ns, now_ns;
  bool right = s->kind->round(s, what, h->mem);

  begin_ns = now_ns = clock_now_ns();
  do {
    right = s->kind->round(s, what, h->mem) && right;
    rounds++;
    now_ns = clock_now_ns();
  } while (now_ns < h->all->end_ns);
  h->wrong = !right;
  h->per_s = s->work[what].amount * (double)rounds * (double)NS_PER_S /
             (double)(now_ns - begin_ns);
}

static void *hand_main(void *arg)
{
  struct hand *h = arg;
  struct scaling_hands *all = h->all;
  uint32_t seen = 0;

  thread_set_name("scaling");
  settle(h);
  for (;;) {
    (void)atomic_fetch_add(&all->done, 1);
    wait_wake_all(&all->done);
    while (atomic_load(&all->turn) == seen)
      wait_while(&all->turn, seen, UINT64_MAX);
    seen = atomic_load(&all->turn);
    if (all->quit)
      break;
    if (h->index < all->threads)
      work(h);
    /* The sample may change as soon as all have said that they know it. */
  }
  leave(h);
  return NULL;
}

static void next_turn(struct scaling_hands *h)
{
  (void)atomic_fetch_add(&h->turn, 1);
  wait_wake_all(&h->turn);
}

int scaling_hands_free(struct scaling_hands *h, struct err *err)
{
  int rc = 0;

  if (!h)
    return 0;
  h->quit = true;
  next_turn(h);
  for (unsigned i = 0; h->of && i < h->n; i++) {
    struct hand *one = &h->of[i];

    if (one->started)
      (void)pthread_join(one->thread, NULL);
    else
      leave(one);
    if (one->opened && one->wrong)
      rc = err_set(err, -EIO,
                   "the memory of the thread on processor %d does not hold "
                   "what was written to it",
                   h->s->topology.cpu[i]);
  }
  free(h->of);
  free(h);
  return rc;
}

/* The others have done their part. */
static void await_others(struct scaling_hands *h)
{
  uint32_t done;

  while ((done = atomic_load(&h->done)) + 1 < h->n)
    wait_while(&h->done, done, UINT64_MAX);
}

/* Begins with hand 1: the caller is the first. */
static int start_others(struct scaling_hands *h, struct err *err)
{
  int rc = 0;

  for (unsigned i = 1; i < h->n && rc == 0; i++) {
    rc = thread_start(&h->of[i].thread, 0, hand_main, &h->of[i], err);
    h->of[i].started = rc == 0;
  }
  return rc;
}

int scaling_hands_new(struct scaling_hands **ret, const struct scaling *s,
                      struct err *err)
{
  struct scaling_hands *h = mem_aligned(1, sizeof(*h), CACHE_LINE);
  int rc;

  if (!h)
    return err_set(err, -ENOMEM, "cannot allocate the threads");
  *ret = h;
  h->s = s;
  h->n = s->topology.cpus;
  h->of = mem_aligned(h->n, sizeof(*h->of), CACHE_LINE);
  if (!h->of)
    return err_set(err, -ENOMEM, "cannot allocate the threads");
  for (unsigned i = 0; i < h->n; i++) {
    h->of[i].all = h;
    h->of[i].index = i;
  }
  rc = start_others(h, err);
  if (rc < 0)
    return rc;
  settle(&h->of[0]);
  await_others(h);
  for (unsigned i = 0; i < h->n; i++) {
    if (h->of[i].failed < 0) {
      *err = h->of[i].why;
      return h->of[i].failed;
    }
  }
  return 0;
}

/* Adds up what the hands have done, and looks at their results. */
static int add_up(const struct scaling_hands *h, double *ret_per_s,
                  struct err *err)
{
  double sum = 0;

  for (unsigned i = 0; i < h->threads; i++) {
    if (h->of[i].wrong)
      return err_set(err, -EIO,
                     "the work '%s' has a wrong result on processor %d: it, or "
                     "its memory, is faulty",
                     h->s->work[h->work].name, h->s->topology.cpu[i]);
    sum += h->of[i].per_s;
  }
  *ret_per_s = sum;
  return 0;
}

int scaling_hands_play(struct scaling_hands *h, unsigned what, unsigned threads,
                       uint64_t for_ns, double *ret_per_s, struct err *err)
{
  h->work = what;
  h->threads = threads;
  h->end_ns = clock_now_ns() + for_ns;
  atomic_store(&h->done, 0);
  next_turn(h);
  work(&h->of[0]);
  await_others(h);
  return add_up(h, ret_per_s, err);
}
