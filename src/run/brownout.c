#include "run/brownout.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/minmax.h"

enum {
  SECONDS_MIN = 10, /* before anything is unusual */
};

/* Fewer events per second are below SHARE by chance. */
#define USUAL_MIN 20.0
#define SHARE 0.5
/* An earlier note waits for the next one. */
#define SECOND_NS (NS_PER_S / 2)

/* 0: too little is known. */
static double brownout_usual(const struct brownouts *b)
{
  double sorted[BROWNOUT_MINUTE];
  const unsigned n = b->n < BROWNOUT_MINUTE ? b->n : BROWNOUT_MINUTE;

  if (n < SECONDS_MIN)
    return 0;
  memcpy(sorted, b->per_s, n * sizeof(*sorted));
  qsort(sorted, n, sizeof(*sorted), order_real);
  return sorted[n / 2];
}

/* A second right after a brown-out makes it longer. */
static void brownout_add(struct brownouts *b, uint64_t from_ns, uint64_t to_ns,
                         double per_s, double usual_per_s)
{
  struct brownout *last = b->kept > 0 ? &b->of[b->kept - 1] : NULL;

  b->sum_ns += to_ns - from_ns;
  if (last && last->to_ns == from_ns) {
    last->to_ns = to_ns;
    if (per_s < last->lowest_per_s)
      last->lowest_per_s = per_s;
    return;
  }
  b->count++;
  if (b->kept < BROWNOUTS_MAX)
    b->of[b->kept++] = (struct brownout){ .from_ns = from_ns,
                                          .to_ns = to_ns,
                                          .lowest_per_s = per_s,
                                          .usual_per_s = usual_per_s };
}

void brownouts_note(struct brownouts *b, uint64_t now_ns, uint64_t events,
                    uint64_t stalled_ns, bool rated, uint64_t waiting)
{
  const uint64_t from_ns = b->at_ns;
  const double usual_per_s = brownout_usual(b);
  double per_s;

  if (from_ns > 0 && now_ns < from_ns + SECOND_NS)
    return;
  if (from_ns > 0) {
    per_s = (double)(events - b->events) * (double)NS_PER_S /
            (double)(now_ns - from_ns);
    if (usual_per_s >= USUAL_MIN && per_s < SHARE * usual_per_s &&
        (!rated || (double)waiting > SHARE * usual_per_s))
      brownout_add(b, from_ns, now_ns, per_s, usual_per_s);
    if (stalled_ns == b->stalled_ns)
      b->per_s[b->n++ % BROWNOUT_MINUTE] = per_s;
  }
  b->at_ns = now_ns;
  b->events = events;
  b->stalled_ns = stalled_ns;
}

void brownouts_report(const struct brownouts *b, struct outage_report *ret)
{
  ret->brownouts = b->of;
  ret->n_brownouts = b->kept;
  ret->brownout_count = b->count;
  ret->brownout_ns = b->sum_ns;
}
