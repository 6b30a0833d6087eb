#include "tests/memory/levels.h"

#include <math.h>

#include "tests/figure.h"

enum {
  PIECE_MIN = 3,   /* points */
  PLATEAU_MIN = 8, /* points; shorter pieces are slopes */
};

#define RISE_MIN 1.5
/* A cache ends at this multiple of its plateau, or half way to the next. */
#define END 2.0
/* The least noise assumed, in logarithms. */
#define NOISE_MIN 0.02
/* A change explains this multiple of what chance explains. */
#define PENALTY 6.0
/* Median of absolute values over standard deviation. */
#define NORMAL_MAD 0.6745

struct curve {
  size_t n;
  double raw[LEVELS_POINTS_MAX];
  double y[LEVELS_POINTS_MAX]; /* logarithms that never fall */
  double sum[LEVELS_POINTS_MAX + 1], squares[LEVELS_POINTS_MAX + 1];
  double penalty;
};

static double levels_noise_of(const double *y, size_t n)
{
  double steps[LEVELS_POINTS_MAX];

  if (n < 2)
    return NOISE_MIN;
  for (size_t i = 0; i + 1 < n; i++)
    steps[i] = fabs(y[i + 1] - y[i]);
  figure_sort(steps, n - 1);
  return fmax(NOISE_MIN,
              figure_quantile(steps, n - 1, 0.5) / NORMAL_MAD / sqrt(2.0));
}

/* A point above a later one was disturbed: more memory is never faster. */
static void levels_prepare(struct curve *c, const double *ns, size_t n)
{
  double sigma;

  c->n = n;
  for (size_t i = 0; i < n; i++)
    c->raw[i] = c->y[i] = log(fmax(ns[i], 1e-3));
  sigma = levels_noise_of(c->raw, n);
  c->penalty = PENALTY * sigma * sigma * log((double)n + 1);
  for (size_t i = n; i-- > 1;)
    c->y[i - 1] = fmin(c->y[i - 1], c->y[i]);
  c->sum[0] = c->squares[0] = 0;
  for (size_t i = 0; i < n; i++) {
    c->sum[i + 1] = c->sum[i] + c->y[i];
    c->squares[i + 1] = c->squares[i] + c->y[i] * c->y[i];
  }
}

static double levels_left_over(const struct curve *c, size_t from, size_t to)
{
  const double n = (double)(to - from);
  const double sum = c->sum[to] - c->sum[from];

  return fmax(0, c->squares[to] - c->squares[from] - sum * sum / n);
}

/* start[i]: where the piece that ends at i - 1 begins, in the best division of
 * the first i points. */
static void levels_divide(const struct curve *c,
                          size_t start[LEVELS_POINTS_MAX + 1])
{
  double best[LEVELS_POINTS_MAX + 1];

  best[0] = 0;
  start[0] = 0;
  for (size_t to = 1; to <= c->n; to++) {
    best[to] = levels_left_over(c, 0, to);
    start[to] = 0;
    for (size_t from = PIECE_MIN; from + PIECE_MIN <= to; from++) {
      const double here = best[from] + levels_left_over(c, from, to) +
                          c->penalty;

      if (here < best[to]) {
        best[to] = here;
        start[to] = from;
      }
    }
  }
}

static double levels_median_of(const double *ns, size_t first, size_t last)
{
  double sorted[LEVELS_POINTS_MAX];
  size_t n = 0;

  for (size_t i = first; i <= last; i++)
    sorted[n++] = ns[i];
  figure_sort(sorted, n);
  return figure_quantile(sorted, n, 0.5);
}

/* A piece is a plateau, a part of the last one, or a slope. */
static void levels_take_piece(const struct curve *c, size_t first, size_t last,
                              struct level ret[LEVELS_MAX], size_t *n)
{
  const double y = (c->sum[last + 1] - c->sum[first]) /
                   (double)(last + 1 - first);

  if (*n > 0 && y < ret[*n - 1].ns + log(RISE_MIN)) {
    ret[*n - 1].last = last;
    return;
  }
  if (last + 1 - first < PLATEAU_MIN || *n == LEVELS_MAX)
    return;
  ret[(*n)++] = (struct level){ .first = first, .last = last, .ns = y };
}

/* Where the curve reaches `end` after point `i`, as a part of a step. A cliff
 * hides its inside: the cache ends at its first point. */
static double levels_way_to(const struct curve *c, size_t i, double end)
{
  const double step = c->y[i + 1] - c->y[i];

  if (c->y[i] >= end || step >= log(RISE_MIN) || step <= 0)
    return 0;
  return (end - c->y[i]) / step;
}

/* Here `ns` of a level is the mean logarithm. */
static void find_edges(const struct curve *c, struct level *of, size_t n)
{
  for (size_t k = 0; k < n; k++) {
    double end;

    of[k].edge = of[k].last;
    if (k + 1 == n) /* a slope without an end may follow */
      break;
    end = fmin((of[k].ns + of[k + 1].ns) / 2, of[k].ns + log(END));
    for (size_t i = of[k].last; i < of[k + 1].first; i++) {
      if (c->y[i] < end)
        of[k].edge = i;
    }
    of[k].past = levels_way_to(c, of[k].edge, end);
  }
}

size_t levels_find(const double *ns, size_t n, struct level ret[LEVELS_MAX])
{
  size_t start[LEVELS_POINTS_MAX + 1], ends[LEVELS_POINTS_MAX];
  size_t n_pieces = 0, found = 0;
  struct curve c;

  if (n == 0 || n > LEVELS_POINTS_MAX)
    return 0;
  levels_prepare(&c, ns, n);
  levels_divide(&c, start);
  for (size_t to = n; to > 0; to = start[to])
    ends[n_pieces++] = to;
  while (n_pieces > 0) {
    const size_t to = ends[--n_pieces];

    levels_take_piece(&c, start[to], to - 1, ret, &found);
  }
  if (found == 0) /* few points, or only slopes */
    ret[found++] = (struct level){ .last = n - 1, .edge = n - 1 };
  find_edges(&c, ret, found);
  for (size_t k = 0; k < found; k++)
    ret[k].ns = levels_median_of(ns, ret[k].first, ret[k].last);
  return found;
}
