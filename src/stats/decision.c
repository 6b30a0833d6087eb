#include "stats/decision.h"

#include <math.h>

#include "stats/binomial.h"

/* Fewest blocks for an estimate. */
#define BLOCKS_MIN 15
/* A run can have this many standard deviations more events than planned. */
#define SIGMAS 4
/* This many times the late events allowed is a failure without a test. With 1,
 * every second run at the highest load that holds would fail. */
#define FAR 2
/* The smaller the number of clusters, the larger its effect. */
#define FEW 3.0

void decision_init(struct decision *d, double share, double planned)
{
  *d = (struct decision){ .share = share, .planned = planned, .per_cell = 1 };
}

static void decision_merge_pairs(struct decision *d)
{
  d->cells /= 2;
  for (unsigned i = 0; i < d->cells; i++) {
    const struct decision_cell *a = &d->cell[2 * i], *b = a + 1;

    d->cell[i] = (struct decision_cell){ a->events + b->events,
                                         a->late + b->late };
  }
  d->per_cell *= 2;
}

void decision_add(struct decision *d, uint64_t events, uint64_t late)
{
  d->intervals++;
  d->total.events += events;
  d->total.late += late;
  d->open.events += events;
  d->open.late += late;
  if (++d->in_open < d->per_cell)
    return;
  if (d->cells == DECISION_CELLS)
    decision_merge_pairs(d);
  d->cell[d->cells++] = d->open;
  d->open = (struct decision_cell){ 0 };
  d->in_open = 0;
}

static double decision_inflation_of(const struct decision *d, unsigned m)
{
  const unsigned blocks = d->cells / m;
  double share, events = 0, late = 0, squares = 0;

  for (unsigned i = 0; i < blocks * m; i++) {
    events += (double)d->cell[i].events;
    late += (double)d->cell[i].late;
  }
  share = events > 0 ? late / events : 0;
  if (share <= 0 || share >= 1)
    return 1;
  for (unsigned i = 0; i < blocks; i++) {
    double rest = 0;

    for (unsigned k = i * m; k < (i + 1) * m; k++)
      rest += (double)d->cell[k].late - share * (double)d->cell[k].events;
    squares += rest * rest;
  }
  return squares * blocks / (blocks - 1) / (events * share * (1 - share));
}

unsigned decision_clusters(const struct decision *d)
{
  unsigned n = 0;

  for (unsigned i = 0; i < d->cells; i++)
    n += d->cell[i].late > 0;
  return n;
}

/* Larger for few clusters, which estimate the variance badly. */
static double decision_correct(double seen, double clusters)
{
  return seen > 1 && clusters > 0 ? 1 + (seen - 1) * (1 + FEW / clusters) : 1;
}

double decision_inflation(const struct decision *d)
{
  double most = 1;

  for (unsigned m = 1; d->cells / m >= BLOCKS_MIN; m *= 2)
    most = fmax(most, decision_inflation_of(d, m));
  return decision_correct(most, decision_clusters(d));
}

static bool decision_exceeds_all(const struct decision *d, double late)
{
  const double all = d->planned + SIGMAS * sqrt(d->planned);

  return d->planned > 0 && late > FAR * all * d->share;
}

/* At the fewest intervals, then after each further tenth. */
static bool decision_is_look(const struct decision *d)
{
  unsigned look = DECISION_INTERVALS_MIN;

  while (look < d->intervals)
    look += look / 10;
  return look == d->intervals;
}

enum decision_verdict decision_verdict(const struct decision *d,
                                       const struct decision_waiting *waiting,
                                       bool last)
{
  const double rare = 1 - DECISION_CONFIDENCE;
  const double events = (double)d->total.events, late = (double)d->total.late;
  const double all = (double)waiting->all, overdue = (double)waiting->late;
  double inflation;

  if (decision_exceeds_all(d, late + overdue) ||
      (d->share <= 0 && late + overdue > 0))
    return DECISION_FAILED;
  if (d->intervals < DECISION_INTERVALS_MIN || events + all < 1 ||
      (!last && !decision_is_look(d)))
    return DECISION_OPEN;
  if (d->share <= 0)
    return DECISION_HELD;
  inflation = decision_inflation(d);
  if (binomial_at_most((events + all) / inflation, (late + all) / inflation,
                       d->share) <= rare)
    return DECISION_HELD;
  if (binomial_at_least((events + overdue) / inflation,
                        (late + overdue) / inflation, d->share) <= rare)
    return DECISION_FAILED;
  return DECISION_OPEN;
}

double decision_events_min(double share)
{
  const double n = share > 0 && share < 1
                     ? ceil(log(1 - DECISION_CONFIDENCE) / log1p(-share))
                     : 1;

  return fmax(n, 1);
}

const char *decision_name(enum decision_verdict verdict)
{
  static const char *const names[] = { "open", "held", "failed" };

  return names[verdict];
}

/* Failure must be this many times as sure: each further run is another chance
 * to err, and a failed load is not measured again. */
#define SURER 5
/* The late events of a pool can be this many standard deviations too many. */
#define POOL_SIGMAS 2
/* A larger multiple of the pool's runs is too many. */
#define TIMES_MAX 50

void decision_pool_add(struct decision_pool *p, const struct decision_run *run)
{
  /* decision_correct() is linear in `seen`. */
  const double factor = decision_correct(2, run->clusters) - 1;
  const double seen = factor > 0 ? 1 + (run->inflation - 1) / factor : 1;

  if (!(run->intervals >= DECISION_INTERVALS_MIN))
    return;
  p->events += run->events;
  p->late += run->late;
  p->waiting += run->waiting;
  p->longest = fmax(p->longest, run->events);
  p->clusters += run->clusters;
  p->inflated += run->late * seen;
}

/* Weighted by late events. */
static double decision_seen_inflation(const struct decision_pool *p)
{
  return p->late > 0 ? p->inflated / p->late : 1;
}

/* On `times` as many runs. */
static enum decision_verdict
decision_verdict_of_more(const struct decision_pool *p, double late,
                         double share, double times)
{
  const double rare = 1 - DECISION_CONFIDENCE;
  const double inflation = decision_correct(decision_seen_inflation(p),
                                            p->clusters * times);
  const double all = p->events * times / inflation;
  const double hits = late * times / inflation;
  const double waiting = p->waiting * times / inflation;

  if (binomial_at_most(all + waiting, hits + waiting, share) <= rare)
    return DECISION_HELD;
  if (binomial_at_least(all, hits, share) <= rare / SURER)
    return DECISION_FAILED;
  return DECISION_OPEN;
}

enum decision_verdict decision_pool_verdict(const struct decision_pool *p,
                                            double share)
{
  if (p->events < 1)
    return DECISION_OPEN;
  if (share <= 0)
    return p->late > 0 ? DECISION_FAILED : DECISION_HELD;
  return decision_verdict_of_more(p, p->late, share, 1);
}

double decision_pool_missing(const struct decision_pool *p, double share)
{
  const double sigma = sqrt(p->late * decision_seen_inflation(p));
  const double late = fmax(p->late - POOL_SIGMAS * sigma, 0);
  double times = 1;

  if (p->events < 1)
    return INFINITY;
  while (times < TIMES_MAX &&
         decision_verdict_of_more(p, late, share, times) == DECISION_OPEN)
    times *= 1.1;
  return times < TIMES_MAX ? (times - 1) * p->events / p->longest : INFINITY;
}
