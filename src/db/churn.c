#include "db/churn.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"

#define LONGEST_S (7 * 24 * 60 * 60)

static int churn_read_events(const char *text, uint64_t *ret)
{
  int64_t n;

  if (parse_int(text, &n) < 0 || n < 1)
    return -EINVAL;
  *ret = (uint64_t)n;
  return 0;
}

static int churn_read_time(const char *text, uint64_t *ret)
{
  double s;

  if (parse_seconds(text, &s) < 0 || s < 0.001 || s > LONGEST_S)
    return -EINVAL;
  *ret = (uint64_t)llround(s * (double)NS_PER_S);
  return 0;
}

static int churn_read_range(const char *text,
                            int (*read)(const char *, uint64_t *),
                            struct churn_range *ret)
{
  const char *dots = strstr(text, "..");
  const size_t len = dots ? (size_t)(dots - text) : strlen(text);
  struct churn_range r = { 0, 0 };
  char first[32];

  if (strcmp(text, "off") == 0) {
    *ret = r;
    return 0;
  }
  if (len >= sizeof(first))
    return -EINVAL;
  (void)snprintf(first, sizeof(first), "%.*s", (int)len, text);
  if (read(first, &r.min) < 0)
    return -EINVAL;
  r.max = r.min;
  if (dots && (read(dots + 2, &r.max) < 0 || r.max < r.min))
    return -EINVAL;
  *ret = r;
  return 0;
}

int churn_parse_time(const char *text, struct churn_range *ret)
{
  return churn_read_range(text, churn_read_time, ret);
}

int churn_parse(const char *text, struct churn_cfg *ret)
{
  const size_t len = strlen(text);
  struct churn_cfg cfg = { 0 };
  const int rc = len > 0 && isalpha((unsigned char)text[len - 1])
                   ? churn_parse_time(text, &cfg.time_ns)
                   : churn_read_range(text, churn_read_events, &cfg.events);

  if (rc == 0)
    *ret = cfg;
  return rc;
}

static uint64_t churn_draw(struct rng *rng, const struct churn_range *r)
{
  return r->min + rng_below(rng, r->max - r->min + 1);
}

void churn_begin(struct churn *c, uint64_t now_ns)
{
  c->left = c->cfg.events.max > 0 ? churn_draw(&c->rng, &c->cfg.events) : 0;
  c->due_ns = c->cfg.time_ns.max > 0
                ? now_ns + churn_draw(&c->rng, &c->cfg.time_ns)
                : 0;
}

void churn_init(struct churn *c, const struct churn_cfg *cfg, uint64_t seed,
                uint64_t index, uint64_t now_ns)
{
  c->cfg = *cfg;
  rng_seed(&c->rng, seed, RNG_CHURN, index);
  churn_begin(c, now_ns);
  if (c->left > 0)
    c->left = 1 + rng_below(&c->rng, c->left);
  if (c->due_ns > 0)
    c->due_ns = now_ns + rng_below(&c->rng, c->due_ns - now_ns);
}

bool churn_is_due(struct churn *c, uint64_t now_ns)
{
  const bool used_up = c->left == 1;

  if (c->left > 1)
    c->left--;
  return used_up || (c->due_ns > 0 && now_ns >= c->due_ns);
}
