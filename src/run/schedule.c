/*
 * schedule.c - see schedule.h.
 *
 * Workers move one cursor along a sequence of due times, under a lock held for
 * one draw; the reader moves another up to the present.  Arrivals between them
 * wait.
 */
#include "run/schedule.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "run/load_curve.h"
#include "stats/rand/rng.h"
#include "stats/service.h"

/* Further arrivals are counted by their mean gap: drawing takes longer than
 * the run, and no worker takes them. */
#define HOPELESS 1e7

struct cursor {
  struct rng rng;
  double due_ns;           /* of `n`, since the start */
  uint64_t n;              /* arrivals passed */
  struct load_place place; /* with a curve: where `due_ns` is */
};

struct schedule {
  struct cursor origin;     /* constant: the first arrival */
  double gap_ns;            /* mean; 0: there is a curve */
  struct load_curve *curve; /* owned; NULL: a constant rate */
  uint64_t start_ns, end_ns;
  uint64_t events; /* of the measured part */

  pthread_mutex_t lock CACHE_ALIGNED; /* protects the next two */
  struct cursor taken;
  uint64_t left; /* taken and not begun */

  struct cursor due CACHE_ALIGNED; /* of the reader, like the rest */
  uint64_t first;                  /* of the measured part */
  uint64_t last;                   /* later ones do not count */
};

/* Exponential in the integral of the rate. */
static NOINLINE void schedule_advance_on_curve(const struct schedule *s,
                                               struct cursor *c, double count)
{
  load_curve_advance(s->curve, &c->place, count);
  c->due_ns = c->place.at_ns;
}

static void schedule_advance(const struct schedule *s, struct cursor *c)
{
  const double gap = rng_exponential(&c->rng);

  c->n++;
  if (UNLIKELY(s->curve))
    schedule_advance_on_curve(s, c, gap);
  else
    c->due_ns += s->gap_ns * gap;
}

static double schedule_behind(const struct schedule *s, const struct cursor *c,
                              double moment_ns)
{
  if (s->curve)
    return load_curve_count(s->curve, &c->place, moment_ns);
  return (moment_ns - c->due_ns) / s->gap_ns;
}

COLD static void schedule_jump(const struct schedule *s, struct cursor *c,
                               double count)
{
  c->n += (uint64_t)count;
  if (s->curve)
    schedule_advance_on_curve(s, c, count);
  else
    c->due_ns += count * s->gap_ns;
}

/* Owns `curve`, even after a failure. */
static int schedule_make(struct schedule **ret, double gap_ns,
                         struct load_curve *curve, uint64_t seed, unsigned part,
                         struct err *err)
{
  struct schedule *s = mem_aligned(1, sizeof(*s), CACHE_LINE);

  if (!s) {
    load_curve_free(curve);
    return err_set(err, -ENOMEM, "cannot allocate the schedule of arrivals");
  }
  s->gap_ns = gap_ns;
  s->curve = curve;
  (void)pthread_mutex_init(&s->lock, NULL); /* cannot fail */
  rng_seed(&s->taken.rng, seed, RNG_ARRIVALS, part);
  schedule_advance(s, &s->taken);
  s->taken.n = 0;
  s->due = s->origin = s->taken;
  *ret = s;
  return 0;
}

int schedule_new(struct schedule **ret, double rate, uint64_t seed,
                 unsigned part, struct err *err)
{
  return schedule_make(ret, (double)NS_PER_S / rate, NULL, seed, part, err);
}

int schedule_new_curve(struct schedule **ret, const struct load_curve *curve,
                       uint64_t lead_ns, uint64_t seed, unsigned part,
                       unsigned parts, struct err *err)
{
  struct load_curve *share = NULL;
  double rate;
  int rc;

  if (load_curve_is_constant(curve, &rate))
    return schedule_new(ret, rate / parts, seed, part, err);
  rc = load_curve_share(&share, curve, (double)lead_ns, parts, err);
  return rc < 0 ? rc : schedule_make(ret, 0, share, seed, part, err);
}

void schedule_free(struct schedule *s)
{
  if (s) {
    (void)pthread_mutex_destroy(&s->lock);
    load_curve_free(s->curve);
  }
  free(s);
}

void schedule_start(struct schedule *s, uint64_t start_ns, uint64_t end_ns,
                    uint64_t events)
{
  s->start_ns = start_ns;
  s->end_ns = end_ns;
  s->events = events;
  s->last = UINT64_MAX;
}

/* False: none was due. */
static bool schedule_pass(const struct schedule *s, struct cursor *c,
                          double moment_ns)
{
  if (LIKELY(c->due_ns >= moment_ns))
    return false;
  if (schedule_behind(s, c, moment_ns) > HOPELESS)
    schedule_jump(s, c, schedule_behind(s, c, moment_ns));
  while (c->due_ns < moment_ns)
    schedule_advance(s, c);
  return true;
}

static double schedule_since_start(const struct schedule *s, uint64_t moment_ns)
{
  return moment_ns > s->start_ns ? (double)(moment_ns - s->start_ns) : 0;
}

void schedule_measure(struct schedule *s, uint64_t from_ns)
{
  const double from = schedule_since_start(s, from_ns);

  (void)pthread_mutex_lock(&s->lock);
  if (s->taken.n < s->due.n)
    s->taken = s->due; /* passed by the reader */
  if (schedule_pass(s, &s->taken, from))
    s->due = s->taken;
  (void)pthread_mutex_unlock(&s->lock);
  (void)schedule_pass(s, &s->due, from);
  s->first = s->due.n;
  s->last = s->events < UINT64_MAX - s->first ? s->first + s->events
                                              : UINT64_MAX;
}

uint64_t schedule_take(struct schedule *s, uint64_t from_ns)
{
  double due_ns;

  (void)pthread_mutex_lock(&s->lock);
  (void)schedule_pass(s, &s->taken, schedule_since_start(s, from_ns));
  due_ns = s->taken.due_ns;
  schedule_advance(s, &s->taken);
  (void)pthread_mutex_unlock(&s->lock);
  /* Centuries from now: never. */
  if (due_ns > 1e18)
    due_ns = 1e18;
  return s->start_ns + (uint64_t)due_ns;
}

void schedule_leave(struct schedule *s)
{
  (void)pthread_mutex_lock(&s->lock);
  s->left++;
  (void)pthread_mutex_unlock(&s->lock);
}

static uint64_t schedule_number_taken(struct schedule *s, uint64_t *ret_left)
{
  uint64_t n;

  (void)pthread_mutex_lock(&s->lock);
  n = s->taken.n;
  *ret_left = s->left;
  (void)pthread_mutex_unlock(&s->lock);
  return n;
}

/* Due arrivals that count. */
static uint64_t schedule_number_due(const struct schedule *s)
{
  return s->due.n < s->last ? s->due.n : s->last;
}

uint64_t schedule_waiting(struct schedule *s, uint64_t now_ns)
{
  const double now = schedule_since_start(s, now_ns < s->end_ns ? now_ns
                                                                : s->end_ns);
  const double late = floor(schedule_behind(s, &s->due, now));
  uint64_t left, taken = schedule_number_taken(s, &left);

  if (UNLIKELY(late > 0 && (double)s->due.n + late > (double)taken + HOPELESS))
    schedule_jump(s, &s->due, late);
  while (s->due.due_ns <= now)
    schedule_advance(s, &s->due);
  taken = schedule_number_taken(s, &left);
  return left +
         (schedule_number_due(s) > taken ? schedule_number_due(s) - taken : 0);
}

uint64_t schedule_arrivals(const struct schedule *s)
{
  return schedule_number_due(s) - s->first;
}

void schedule_in_stalls(const struct schedule *s, struct stall *of, unsigned n)
{
  struct cursor c = s->origin;

  for (unsigned i = 0; i < n; i++) {
    const double from = schedule_since_start(s, of[i].from_ns);
    const double to = schedule_since_start(s, of[i].to_ns);
    uint64_t first, last;

    (void)schedule_pass(s, &c, from);
    first = c.n;
    (void)schedule_pass(s, &c, to);
    last = c.n < s->last ? c.n : s->last;
    of[i].arrivals += last > first ? last - first : 0;
  }
}
