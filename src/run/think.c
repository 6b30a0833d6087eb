#include "run/think.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "stats/rand/rng.h"

#define LONGEST_S (24 * 60 * 60)

/* Up to `len`. */
static int think_read_time(const char *text, size_t len, uint64_t *ret)
{
  char copy[32];
  double s;

  if (len >= sizeof(copy))
    return -EINVAL;
  (void)snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
  if (parse_seconds(copy, &s) < 0 || s < 0 || s > LONGEST_S)
    return -EINVAL;
  *ret = (uint64_t)llround(s * (double)NS_PER_S);
  return 0;
}

static int think_read_range(const char *text, struct think *ret)
{
  const char *colon = strchr(text, ':');

  if (!colon || think_read_time(text, (size_t)(colon - text), &ret->a_ns) < 0 ||
      think_read_time(colon + 1, strlen(colon + 1), &ret->b_ns) < 0 ||
      ret->a_ns > ret->b_ns)
    return -EINVAL;
  return 0;
}

int think_parse(const char *text, struct think *ret)
{
  static const char exponential[] = "exp:", uniform[] = "uniform:";
  struct think t = { .kind = THINK_FIXED };
  int rc;

  if (strncmp(text, uniform, strlen(uniform)) == 0) {
    t.kind = THINK_UNIFORM;
    rc = think_read_range(text + strlen(uniform), &t);
  } else {
    if (strncmp(text, exponential, strlen(exponential)) == 0) {
      t.kind = THINK_EXPONENTIAL;
      text += strlen(exponential);
    }
    rc = think_read_time(text, strlen(text), &t.a_ns);
  }
  if (rc < 0)
    return rc;
  if (t.a_ns == 0 && t.b_ns == 0)
    t.kind = THINK_NONE;
  *ret = t;
  return 0;
}

uint64_t think_draw(const struct think *think, struct rng *rng)
{
  switch (think->kind) {
  case THINK_NONE:
    break;
  case THINK_FIXED:
    return think->a_ns;
  case THINK_EXPONENTIAL: /* at most 37 times the mean */
    return (uint64_t)(rng_exponential(rng) * (double)think->a_ns);
  case THINK_UNIFORM:
    return think->a_ns + rng_below(rng, think->b_ns - think->a_ns + 1);
  }
  return 0;
}
