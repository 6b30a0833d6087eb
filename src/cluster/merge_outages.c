/*
 * merge_outages.c - see merge_outages.h.
 */
#include "cluster/merge_outages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "cluster/pack.h"
#include "stats/outage_sum.h"

static void pack_stall(struct strbuf *b, const struct stall *s)
{
  pack_u64(b, s->from_ns);
  pack_u64(b, s->to_ns - s->from_ns);
  pack_u64(b, s->clients);
  pack_u64(b, (uint64_t)(s->ended_by + 1));
  pack_u64(b, s->arrivals);
  pack_u64(b, s->fault.at_ns);
  if (s->fault.at_ns == 0)
    return;
  pack_u64(b, s->fault.phase);
  pack_text(b, s->fault.code);
  pack_text(b, s->fault.text);
}

static void unpack_stall(struct unpack *u, struct stall *ret)
{
  uint64_t phase;

  *ret = (struct stall){ .from_ns = unpack_u64(u) };
  ret->to_ns = ret->from_ns + unpack_u64(u);
  ret->clients = (unsigned)unpack_u64(u);
  ret->ended_by = (int64_t)unpack_u64(u) - 1;
  ret->arrivals = unpack_u64(u);
  ret->fault.at_ns = unpack_u64(u);
  if (ret->fault.at_ns == 0)
    return;
  phase = unpack_u64(u);
  u->failed |= phase >= FAULT_PHASES;
  ret->fault.phase = phase < FAULT_PHASES ? (enum fault_phase)phase
                                          : FAULT_CONNECT;
  unpack_text(u, ret->fault.code, sizeof(ret->fault.code));
  unpack_text(u, ret->fault.text, sizeof(ret->fault.text));
}

void merge_outages_pack(struct strbuf *b, const struct outage_report *r)
{
  pack_u64(b, r != NULL);
  if (!r)
    return;
  pack_u64(b, r->base_ns);
  pack_u64(b, r->end_ns);
  pack_u64(b, r->limit_ns);
  pack_u64(b, r->open_loop);
  pack_u64(b, r->clients);
  pack_u64(b, r->affected);
  pack_u64(b, r->still_down);
  pack_u64(b, r->outages);
  pack_u64(b, r->unserved_ns);
  for (unsigned i = 0; i < FAULT_PHASES; i++)
    pack_u64(b, r->phases[i]);
  pack_u64(b, r->count);
  pack_u64(b, r->n_stalls);
  for (unsigned i = 0; i < r->n_stalls; i++)
    pack_stall(b, &r->stalls[i]);
  pack_u64(b, r->n_longest);
  for (unsigned i = 0; i < r->n_longest; i++) {
    pack_u64(b, r->longest_of[i]);
    pack_u64(b, r->noticed_of[i]);
  }
}

/* How many of something follow, of which each takes a byte at least. */
static unsigned unpack_length(struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  u->failed |= n > (size_t)(u->end - u->at);
  return u->failed ? 0 : (unsigned)n;
}

/* The report, with lists in *ret_stalls and *ret_longest, which the caller
 * frees. */
static int unpack_report(struct unpack *u, struct outage_report *r,
                         struct stall **ret_stalls, uint64_t **ret_longest)
{
  struct stall *stalls;
  uint64_t *longest;

  r->base_ns = unpack_u64(u);
  r->end_ns = unpack_u64(u);
  r->limit_ns = unpack_u64(u);
  r->open_loop = unpack_u64(u) == 1;
  r->clients = (unsigned)unpack_u64(u);
  r->affected = (unsigned)unpack_u64(u);
  r->still_down = (unsigned)unpack_u64(u);
  r->outages = unpack_u64(u);
  r->unserved_ns = unpack_u64(u);
  for (unsigned i = 0; i < FAULT_PHASES; i++)
    r->phases[i] = unpack_u64(u);
  r->count = unpack_u64(u);
  r->n_stalls = unpack_length(u);
  *ret_stalls = stalls = calloc(r->n_stalls + 1, sizeof(*stalls));
  if (!stalls)
    return -ENOMEM;
  for (unsigned i = 0; i < r->n_stalls; i++)
    unpack_stall(u, &stalls[i]);
  r->n_longest = unpack_length(u);
  *ret_longest = longest = calloc(r->n_longest + 1, 2 * sizeof(*longest));
  if (!longest)
    return -ENOMEM;
  for (unsigned i = 0; i < r->n_longest; i++) {
    longest[i] = unpack_u64(u);
    longest[r->n_longest + i] = unpack_u64(u);
  }
  r->stalls = stalls;
  r->longest_of = longest;
  r->noticed_of = longest + r->n_longest;
  return u->failed ? -EBADMSG : 0;
}

int merge_outages_add(struct outage_sum *s, struct unpack *u)
{
  struct outage_report r = { 0 };
  struct stall *stalls = NULL;
  uint64_t *longest = NULL;
  int rc = 0;

  if (unpack_u64(u) == 1) {
    rc = unpack_report(u, &r, &stalls, &longest);
    if (rc == 0)
      rc = outage_sum_add(s, &r);
  }
  free(stalls);
  free(longest);
  return rc;
}
