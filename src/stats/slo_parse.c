/*
 * slo_parse.c - reads an objective.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/parse.h"
#include "stats/slo.h"

struct unit {
  const char *name;
  double scale;
};

static const struct unit time_units[] = {
  { "ns", 1 },  { "us", 1e3 }, { "ms", 1e6 },
  { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
};
static const struct unit share_units[] = { { "", 1 }, { "%", 0.01 } };
static const struct unit rate_units[] = { { "", 1 } };

/* Indexed by enum slo_unit. */
static const struct {
  const struct unit *of;
  size_t n;
  double max; /* of the limit, in the unit of the kind */
  const char *expected;
} units[] = {
  [SLO_NS] = { time_units, ARRAY_SIZE(time_units), 3600e9,
               "a time with a unit, up to 1h, such as 500us, 10ms or 1.5s" },
  [SLO_SHARE] = { share_units, ARRAY_SIZE(share_units), 1,
                  "a share from 0% to 100%, such as 0.1%" },
  [SLO_PER_S] = { rate_units, ARRAY_SIZE(rate_units), 1e15,
                  "a number per second, such as 100" },
};

/* Copies without blanks; false: too long. */
static bool copy_term(char to[SLO_TEXT_SIZE], const char *from, size_t len)
{
  size_t n = 0;

  for (size_t i = 0; i < len; i++) {
    if (isspace((unsigned char)from[i]))
      continue;
    if (n == SLO_TEXT_SIZE - 1)
      return false;
    to[n++] = from[i];
  }
  to[n] = '\0';
  return true;
}

static bool read_percentile(const char *text, double *ret)
{
  return isdigit((unsigned char)*text) && parse_double(text, ret) == 0 &&
         *ret > 0.0 && *ret < 100.0;
}

/* Finds the row of a name such as "p99.9" or "avg". */
static const struct slo_kind *find_kind(const char *name, double *ret_pct)
{
  for (size_t i = 0; i < slo_n_kinds; i++) {
    const struct slo_kind *k = &slo_kinds[i];

    if (k->measure != SLO_PERCENTILE && strcmp(k->name, name) == 0)
      return k;
    if (k->measure == SLO_PERCENTILE && name[0] == k->name[0] &&
        read_percentile(name + 1, ret_pct))
      return k;
  }
  return NULL;
}

/* Digits, and a unit of the kind. */
static bool read_limit(struct slo_term *t, const char *text)
{
  const enum slo_unit kind = t->kind->unit;
  const size_t len = strspn(text, "0123456789.");
  char number[SLO_TEXT_SIZE];
  double value;

  memcpy(number, text, len); /* a part of t->text */
  number[len] = '\0';
  if (len == 0 || parse_double(number, &value) < 0)
    return false;
  for (size_t i = 0; i < units[kind].n; i++) {
    const struct unit *u = &units[kind].of[i];

    if (strcmp(text + len, u->name) != 0)
      continue;
    t->scale = u->scale;
    t->limit = value * u->scale;
    return t->limit <= units[kind].max && (kind == SLO_SHARE || value > 0.0);
  }
  return false;
}

static int read_term(struct slo_term *t, struct err *err)
{
  const size_t len = strcspn(t->text, "<>=");
  const char *sign = t->text + len;
  char name[SLO_TEXT_SIZE];
  const char *wanted;

  memcpy(name, t->text, len);
  name[len] = '\0';
  t->kind = find_kind(name, &t->pct);
  if (!t->kind)
    return err_set(err, -EINVAL,
                   "'%s' is no term of an objective (expected %s)", t->text,
                   SLO_EXPECTED);
  wanted = t->kind->at_least ? ">=" : "<=";
  if (strncmp(sign, wanted, 2) != 0)
    return err_set(
      err, -EINVAL, "'%s' has no limit with '%s' (expected %s%s and %s)",
      t->text, wanted, name, wanted, units[t->kind->unit].expected);
  if (!read_limit(t, sign + 2))
    return err_set(err, -EINVAL, "'%s' has no such limit (expected %s)",
                   t->text, units[t->kind->unit].expected);
  return 0;
}

static bool is_repeated(const struct slo *slo, const struct slo_term *t)
{
  for (unsigned i = 0; i < slo->n; i++) {
    if (slo->term[i].kind == t->kind && slo->term[i].pct == t->pct)
      return true;
  }
  return false;
}

static int add_term(struct slo *slo, const char *from, size_t len,
                    struct err *err)
{
  struct slo_term *t = &slo->term[slo->n];
  int rc;

  if (slo->n == SLO_TERMS_MAX)
    return err_set(err, -EINVAL, "there are more than %d terms",
                   (int)SLO_TERMS_MAX);
  if (!copy_term(t->text, from, len))
    return err_set(err, -EINVAL, "the term '%.*s' is too long", (int)len, from);
  rc = read_term(t, err);
  if (rc < 0)
    return rc;
  if (is_repeated(slo, t))
    return err_set(err, -EINVAL, "'%s' has a second limit for the same figure",
                   t->text);
  slo->n++;
  return 0;
}

int slo_parse(const char *text, struct slo *ret, struct err *err)
{
  struct slo slo = { 0 };

  while (*text) {
    const size_t len = strcspn(text, ",");
    const int rc = add_term(&slo, text, len, err);

    if (rc < 0)
      return rc;
    text += len;
    if (*text == ',' && *++text == '\0')
      return err_set(err, -EINVAL, "the last term is empty (expected %s)",
                     SLO_EXPECTED);
  }
  *ret = slo;
  return 0;
}
