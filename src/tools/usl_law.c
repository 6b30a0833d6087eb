/*
 * usl_law.c - fits the law: N / X(N) is linear in 1/g, a/g and b/g, so that
 * each fit is a weighted linear one.
 */
#include "tools/usl_law.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"

enum {
  REWEIGHTS = 4,
};

static void regressors(double workers, double ret[USL_TERMS])
{
  ret[0] = 1;
  ret[1] = workers - 1;
  ret[2] = workers * (workers - 1);
}

double usl_law_time(const struct usl_law *f, double workers)
{
  double z[USL_TERMS];

  regressors(workers, z);
  return f->c[0] * z[0] + f->c[1] * z[1] + f->c[2] * z[2];
}

/* Gaussian elimination of the terms in use; false: they depend on each
 * other. */
static bool solve(double m[USL_TERMS][USL_TERMS + 1], const bool use[USL_TERMS],
                  double ret[USL_TERMS])
{
  for (int i = 0; i < USL_TERMS; i++) {
    if (use[i])
      continue;
    for (int k = 0; k <= USL_TERMS; k++)
      m[i][k] = k == i;
    m[i][USL_TERMS] = 0;
    for (int k = 0; k < USL_TERMS; k++)
      m[k][i] = k == i;
  }
  /* The matrix is positive definite, so no rows need to be exchanged. */
  for (int i = 0; i < USL_TERMS; i++) {
    if (!(m[i][i] > 1e-13))
      return false;
    for (int k = i + 1; k < USL_TERMS; k++) {
      const double times = m[k][i] / m[i][i];

      for (int j = i; j <= USL_TERMS; j++)
        m[k][j] -= times * m[i][j];
    }
  }
  for (int i = USL_TERMS - 1; i >= 0; i--) {
    ret[i] = m[i][USL_TERMS];
    for (int k = i + 1; k < USL_TERMS; k++)
      ret[i] -= m[i][k] * ret[k];
    ret[i] /= m[i][i];
  }
  return true;
}

/* One weighted fit.  `weigh` has the times that errors are relative to. */
static bool fit_once(const struct usl_data *d, const double *time,
                     const double *weigh, const bool use[USL_TERMS],
                     struct usl_law *ret)
{
  /* Scaled, so that terms have the same size. */
  const double scale[USL_TERMS] = { 1, d->largest, d->largest * d->largest };
  double m[USL_TERMS][USL_TERMS + 1] = { { 0 } };

  for (size_t i = 0; i < d->n; i++) {
    double z[USL_TERMS];

    regressors(d->workers[i], z);
    for (int k = 0; k < USL_TERMS; k++)
      z[k] /= scale[k] * weigh[i];
    for (int k = 0; k < USL_TERMS; k++) {
      for (int j = 0; j < USL_TERMS; j++)
        m[k][j] += z[k] * z[j] / (double)d->n;
      m[k][USL_TERMS] += z[k] * time[i] / weigh[i] / (double)d->n;
    }
  }
  for (int k = 0; k < USL_TERMS; k++) { /* times are of any size */
    for (int j = 0; j < USL_TERMS; j++)
      m[k][j] *= weigh[0] * weigh[0];
    m[k][USL_TERMS] *= weigh[0] * weigh[0];
  }
  if (!solve(m, use, ret->c))
    return false;
  for (int k = 0; k < USL_TERMS; k++)
    ret->c[k] /= scale[k];
  return true;
}

/* Errors are first relative to the data, and then to what was fitted, where
 * that is above 0. */
bool usl_law_fit_terms(const struct usl_data *d, const double *time,
                       const bool use[USL_TERMS], double *weigh,
                       struct usl_law *ret)
{
  memcpy(weigh, time, d->n * sizeof(*weigh));
  for (int round = 0; round < REWEIGHTS; round++) {
    if (!fit_once(d, time, weigh, use, ret))
      return false;
    for (size_t i = 0; i < d->n; i++) {
      const double f = usl_law_time(ret, d->workers[i]);

      weigh[i] = f > 0.1 * time[i] ? f : time[i];
    }
  }
  return ret->c[0] > 0;
}

static double squares(const struct usl_data *d, const struct usl_law *f)
{
  double sum = 0;

  for (size_t i = 0; i < d->n; i++) {
    const double off = d->time[i] / usl_law_time(f, d->workers[i]) - 1;

    sum += off * off;
  }
  return sum;
}

bool usl_law_fit(const struct usl_data *d, double *weigh, struct usl_law *ret)
{
  static const bool uses[][USL_TERMS] = {
    { true, true, true },
    { true, true, false },
    { true, false, true },
    { true, false, false },
  };
  double least = INFINITY;
  bool found = false;

  for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
    struct usl_law f;
    double sum;

    if (!usl_law_fit_terms(d, d->time, uses[i], weigh, &f) || f.c[1] < 0 ||
        f.c[2] < 0)
      continue;
    sum = squares(d, &f);
    if (sum < least) {
      least = sum;
      *ret = f;
      found = true;
    }
  }
  return found;
}
