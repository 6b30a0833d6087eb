/*
 * pairs_play.c - two threads that pass a cache line to each other.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/thread.h"
#include "run/worker.h"
#include "tests/memory/pairs.h"
#include "tests/memory/summary.h"

enum {
  TRIPS = 100,      /* round trips of a sample */
  UNTIMED = 2,      /* untimed trips before it, while clocks are read */
  LINES = 4,        /* distance of words with different purposes */
  MISSES = 1 << 14, /* in a row, before checking whether all is over */
};

/* More than this multiple of the median is not the exchange. */
#define LOST 3.0

/* Words on separate lines; prefetchers fetch two lines at a time. */
struct ball {
  _Atomic uint32_t turn;
  char away[LINES * CACHE_LINE - sizeof(uint32_t)];
  _Atomic uint32_t stop; /* 1: the partner must leave */
  _Atomic uint32_t rc;   /* of the partner: 0, or 1 if it could not start */
  _Atomic long switches; /* of the partner, up to its last sample */
  char behind[LINES * CACHE_LINE];
} __attribute__((aligned(LINES * CACHE_LINE)));

struct partner {
  struct ball *ball;
  int cpu;
  struct err err; /* set if it could not start */
};

/*
 * Changes the word from `from` to the next value as soon as it is `from`.
 * False: that did not happen for a while.
 */
static inline bool take(struct ball *b, uint32_t from)
{
  for (int i = 0; i < MISSES; i++) {
    uint32_t seen = from;

    if (atomic_compare_exchange_weak(&b->turn, &seen, from + 1))
      return true;
  }
  return false;
}

static void *partner_main(void *arg)
{
  struct partner *p = arg;
  struct ball *b = p->ball;
  uint32_t next = 1;

  if (place_pin(p->cpu, &p->err) < 0) {
    atomic_store(&b->rc, 1);
    return NULL;
  }
  for (;;) {
    for (int i = 0; i < TRIPS + UNTIMED; i++) {
      while (!take(b, next)) {
        if (atomic_load(&b->stop) != 0)
          return NULL;
      }
      next += 2;
    }
    atomic_store(&b->switches, place_switches());
  }
}

/* Plays one side of `n` round trips.  False: all is over. */
static bool trips(struct ball *b, struct worker *w, uint32_t *next, int n)
{
  for (int i = 0; i < n; i++) {
    while (!take(b, *next)) {
      if (worker_is_over(w) || atomic_load(&b->rc) != 0)
        return false;
    }
    *next += 2;
  }
  return true;
}

/* Takes a sample, which is an event of the worker.  False: all is over. */
static bool sample(struct ball *b, struct worker *w, uint32_t *next,
                   struct pair_sample *ret)
{
  uint64_t begin_ns, took_ns;
  long own, others;
  bool played;

  if (!worker_more(w))
    return false;
  worker_start(w);
  played = trips(b, w, next, UNTIMED);
  own = place_switches();
  others = atomic_load(&b->switches);
  begin_ns = clock_now_ns();
  played = played && trips(b, w, next, TRIPS);
  took_ns = clock_now_ns() - begin_ns;
  worker_stop(w);
  ret->ns = (double)took_ns / TRIPS / 2;
  /* The partner's count for this sample may arrive with the next one. */
  ret->preempted = place_switches() != own ||
                   atomic_load(&b->switches) != others;
  return played;
}

void pairs_summarize(const struct pair_sample *of, size_t n, struct pair *ret)
{
  double kept[PAIRS_SAMPLES_MAX], scratch[PAIRS_SAMPLES_MAX], median;
  size_t n_kept = 0;

  for (size_t i = 0; i < n && i < PAIRS_SAMPLES_MAX; i++) {
    if (!of[i].preempted)
      kept[n_kept++] = of[i].ns;
  }
  summary_sort(kept, n_kept);
  median = summary_quantile(kept, n_kept, 0.5);
  while (n_kept > 0 && kept[n_kept - 1] > LOST * median)
    n_kept--;
  *ret = (struct pair){
    .ns = summary_quantile(kept, n_kept, 0.5),
    .mad = n_kept > 0 ? summary_mad(kept, n_kept, scratch) : NAN,
    .kept = (unsigned)n_kept,
    .dropped = (unsigned)(n - n_kept),
  };
}

/* Plays the worker's side until the time is over.  False: the run is over. */
static bool play(struct ball *b, struct worker *w, uint64_t for_ns,
                 struct pair *ret)
{
  const uint64_t until_ns = clock_now_ns() + for_ns;
  struct pair_sample samples[PAIRS_SAMPLES_MAX];
  uint32_t next = 0;
  size_t n = 0;

  while (n < PAIRS_SAMPLES_MAX && (n < 3 || clock_now_ns() < until_ns)) {
    if (!sample(b, w, &next, &samples[n]))
      return false;
    n++;
  }
  pairs_summarize(samples, n, ret);
  return true;
}

int pairs_play(struct worker *w, int cpu, int other, uint64_t for_ns,
               struct pair *ret, struct err *err)
{
  struct ball b = { .turn = 0 };
  struct partner p = { .ball = &b, .cpu = other };
  pthread_t thread;
  bool played;
  int rc = place_pin(cpu, err);

  if (rc == 0)
    rc = thread_start(&thread, 0, partner_main, &p, err);
  if (rc < 0)
    return rc;
  played = play(&b, w, for_ns, ret);
  atomic_store(&b.stop, 1);
  (void)pthread_join(thread, NULL); /* it ends because of `stop` */
  if (atomic_load(&b.rc) != 0)
    return err_set(err, -EPERM, "%s", p.err.text);
  return played ? 0 : -EINTR;
}
