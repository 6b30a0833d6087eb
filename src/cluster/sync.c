/*
 * sync.c - finds the offset of clocks by asking for the time many times.
 *
 * The answer with the shortest round trip is the best one: the delays of the
 * others need not have been the same in both directions.
 */
#include "cluster/sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cluster/post.h"

enum {
  SAMPLES = 32
};

#define ANSWER_NS (5 * NS_PER_S)
#define ENOUGH_NS (NS_PER_S / 2)

struct sync_offset sync_estimate(const struct sync_sample *s, size_t n)
{
  size_t best = 0;
  uint64_t trip = UINT64_MAX, middle;

  for (size_t i = 0; i < n; i++) {
    if (s[i].back_ns - s[i].sent_ns < trip) {
      trip = s[i].back_ns - s[i].sent_ns;
      best = i;
    }
  }
  middle = s[best].sent_ns + trip / 2;
  return (struct sync_offset){ (int64_t)(s[best].there_ns - middle),
                               (trip + 1) / 2 };
}

static int ask(struct post *p, unsigned rank, struct sync_sample *ret)
{
  const uint64_t place = 0; /* the post puts the time there */
  struct post_message *l;
  int rc = post_send(p, rank, POST_PING, &place, sizeof(place));

  if (rc < 0)
    return rc;
  l = post_receive(p, POST_PONG, rank, clock_now_ns() + ANSWER_NS);
  if (!l)
    return -ETIMEDOUT;
  if (l->len < 2 * sizeof(uint64_t)) {
    free(l);
    return -EBADMSG;
  }
  memcpy(&ret->sent_ns, l->bytes, sizeof(uint64_t));
  memcpy(&ret->there_ns, l->bytes + sizeof(uint64_t), sizeof(uint64_t));
  ret->back_ns = l->moment_ns;
  free(l);
  return 0;
}

static void tell_pace(struct post *p, unsigned rank, enum post_pace pace)
{
  const unsigned char byte = (unsigned char)pace;

  (void)post_send(p, rank, POST_PACE, &byte,
                  1); /* without it the result is less exact */
}

int sync_measure(struct post *p, unsigned rank, struct sync_offset *ret)
{
  const uint64_t enough = clock_now_ns() + ENOUGH_NS;
  struct sync_sample s[SAMPLES];
  size_t n = 0;
  int rc = 0;

  tell_pace(p, rank, PACE_EAGER);
  post_set_pace(p, PACE_EAGER);
  while (n < SAMPLES && (n < 4 || clock_now_ns() < enough)) {
    rc = ask(p, rank, &s[n]);
    if (rc < 0)
      break;
    n++;
  }
  post_set_pace(p, PACE_NORMAL);
  tell_pace(p, rank, PACE_NORMAL);
  if (n == 0)
    return rc;
  *ret = sync_estimate(s, n);
  return 0;
}

uint64_t sync_there(const struct sync_offset *o, uint64_t here_ns)
{
  return here_ns + (uint64_t)o->offset_ns;
}

uint64_t sync_here(const struct sync_offset *o, uint64_t there_ns)
{
  return there_ns - (uint64_t)o->offset_ns;
}

uint64_t sync_skew(const uint64_t *moments_ns, size_t n)
{
  uint64_t first = UINT64_MAX, last = 0;

  for (size_t i = 0; i < n; i++) {
    if (moments_ns[i] < first)
      first = moments_ns[i];
    if (moments_ns[i] > last)
      last = moments_ns[i];
  }
  return n > 0 ? last - first : 0;
}
