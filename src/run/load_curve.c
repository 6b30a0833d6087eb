/*
 * load_curve.c - the pieces of a curve, their integrals, and the inverses of
 * these.
 *
 * Both functions that move along a curve begin at a place, and never subtract
 * two integrals since the start: after a day they are as exact as in the first
 * second.
 */
#include "run/load_curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "run/load_pieces.h"

#define NS_PER_S_REAL 1e9
/* Nobody waits for so many repetitions. */
#define LAPS_MAX 1e12
/* Each step of the bisection halves what is left of a piece. */
#define STEPS_MAX 200

static double rate_at(const struct load_piece *p, double t)
{
  if (p->swing > 0)
    return p->from + p->swing * sin(2 * M_PI * t / p->length_ns);
  if (isinf(p->length_ns))
    return p->from;
  return p->from + (p->to - p->from) * (t / p->length_ns);
}

/* The integral of the rate between two moments of a piece. */
static double integral(const struct load_piece *p, double t, double until)
{
  if (p->swing > 0) {
    const double unit = M_PI / p->length_ns;

    /* The difference of two squares of sines. */
    return p->from * (until - t) +
           p->swing / unit * sin(unit * (until + t)) * sin(unit * (until - t));
  }
  if (isinf(p->length_ns) || p->from == p->to)
    return p->from > 0 ? p->from * (until - t) : 0;
  return (rate_at(p, t) + rate_at(p, until)) / 2 * (until - t);
}

/* The moment of a wave at which the integral from `t` reaches `count`: Newton's
 * method, inside of a bracket. */
static double invert_wave(const struct load_piece *p, double t, double count)
{
  double low = t, high = p->length_ns;
  double at = t + count / p->from;

  for (int i = 0; i < STEPS_MAX; i++) {
    double off, next;

    if (!(at > low && at < high))
      at = low + (high - low) / 2;
    off = integral(p, t, at) - count;
    if (off > 0)
      high = at;
    else
      low = at;
    next = at - off / rate_at(p, at);
    if (fabs(next - at) < 1e-3 || high - low < 1e-3)
      return fmin(fmax(next, low), high);
    at = next;
  }
  return at;
}

static double invert(const struct load_piece *p, double t, double count)
{
  double slope, rate;

  if (p->swing > 0)
    return invert_wave(p, t, count);
  if (isinf(p->length_ns) || p->from == p->to)
    return t + count / p->from;
  slope = (p->to - p->from) / p->length_ns;
  rate = rate_at(p, t);
  return t +
         2 * count / (rate + sqrt(fmax(rate * rate + 2 * slope * count, 0)));
}

static void next_piece(const struct load_curve *c, struct load_place *place)
{
  place->piece_ns += c->of[place->piece].length_ns;
  place->at_ns = place->piece_ns;
  place->piece = place->piece + 1 < c->n ? place->piece + 1 : c->again;
}

static void skip_laps(struct load_place *place, double laps, double lap_ns)
{
  place->piece_ns += laps * lap_ns;
  place->at_ns = place->piece_ns;
}

double load_curve_count(const struct load_curve *c,
                        const struct load_place *from, double until_ns)
{
  struct load_place place = *from;
  double sum = 0;

  while (place.at_ns < until_ns) {
    const struct load_piece *p = &c->of[place.piece];
    const double t = place.at_ns - place.piece_ns;
    const double until = until_ns - place.piece_ns;

    if (until <= p->length_ns)
      return sum + fmax(integral(p, t, until), 0);
    sum += integral(p, t, p->length_ns);
    next_piece(c, &place);
    if (place.piece == c->again && until_ns - place.at_ns > c->lap_ns) {
      const double laps = floor((until_ns - place.at_ns) / c->lap_ns);

      sum += laps * c->lap_count;
      skip_laps(&place, laps, c->lap_ns);
    }
  }
  return sum;
}

void load_curve_advance(const struct load_curve *c, struct load_place *place,
                        double count)
{
  for (;;) {
    const struct load_piece *p = &c->of[place->piece];
    const double t = place->at_ns - place->piece_ns;
    const double left = isinf(p->length_ns) ? INFINITY
                                            : integral(p, t, p->length_ns);

    if (count < left) {
      const double at = place->piece_ns + invert(p, t, count);

      place->at_ns = fmax(at, place->at_ns);
      return;
    }
    count -= fmax(left, 0);
    next_piece(c, place);
    if (place->piece == c->again && count > c->lap_count) {
      const double laps = floor(count / c->lap_count);

      count = laps > LAPS_MAX ? 0 : fmax(count - laps * c->lap_count, 0);
      skip_laps(place, fmin(laps, LAPS_MAX), c->lap_ns);
    }
  }
}

double load_curve_length_s(const struct load_curve *c)
{
  return c->lap_ns / NS_PER_S_REAL;
}

bool load_curve_is_constant(const struct load_curve *c, double *ret)
{
  for (size_t i = 0; i < c->n; i++) {
    const struct load_piece *p = &c->of[i];

    if (p->swing > 0 || p->from != c->of[0].from || p->to != p->from)
      return false;
  }
  *ret = c->first_per_s;
  return true;
}

void load_curve_measure(struct load_curve *c)
{
  c->lap_ns = c->lap_count = 0;
  for (size_t i = c->again; i < c->n; i++) {
    const struct load_piece *p = &c->of[i];

    c->lap_ns += p->length_ns;
    if (!isinf(p->length_ns))
      c->lap_count += integral(p, 0, p->length_ns);
    else if (p->from > 0)
      c->lap_count = INFINITY;
  }
}

int load_curve_share(struct load_curve **ret, const struct load_curve *c,
                     double lead_ns, unsigned parts, struct err *err)
{
  const size_t lead = lead_ns > 0;
  struct load_curve *share = calloc(1, sizeof(*share));

  if (share)
    share->of = calloc(c->n + lead, sizeof(*share->of));
  if (!share || !share->of) {
    load_curve_free(share);
    return err_set(err, -ENOMEM, "cannot allocate the load profile");
  }
  share->first_per_s = c->first_per_s / parts;
  share->n = c->n + lead;
  share->again = c->again + lead;
  for (size_t i = 0; i < share->n; i++) {
    struct load_piece *p = &share->of[i];

    *p = c->of[i < lead ? 0 : i - lead];
    if (i < lead) { /* a wave begins with its mean */
      p->length_ns = lead_ns;
      p->to = p->from;
      p->swing = 0;
    }
    p->from /= parts;
    p->to /= parts;
    p->swing /= parts;
  }
  load_curve_measure(share);
  *ret = share;
  return 0;
}

void load_curve_free(struct load_curve *c)
{
  if (c)
    free(c->of);
  free(c);
}
