/*
 * judge.c - see judge.h.
 */
#include "history/judge.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "history/graph.h"
#include "history/versions.h"
#include "history/walk.h"

#define WW (1U << EDGE_WW)
#define WR (1U << EDGE_WR)
#define RW (1U << EDGE_RW)
#define VIA (1U << EDGE_VIA)

/* Edges that the search for one kind of cycle may follow. */
#define EFFORT UINT64_C(100000000)

/* Where cycles are searched, from the worst. */
static const struct walk_rule of_writes = { { WW, false }, WW, WW, false };
static const struct walk_rule of_reads = {
  { WW | WR, false }, WR, WW | WR, false
};
static const struct walk_rule apart = {
  { WW | WR | RW | VIA, true }, RW, WW | WR | RW, false
};
static const struct walk_rule single = {
  { WW | WR | RW | VIA, true }, RW, WW | WR, false
};
static const struct walk_rule in_a_row = {
  { WW | WR | RW | VIA, false }, RW, WW | WR | RW, true
};
static const struct walk_rule any = {
  { WW | WR | RW | VIA, false }, WW | WR | RW, WW | WR | RW, false
};

/* ---- cycles ---- */

/* The kind that a cycle is an example of. */
static enum anomaly kind_of(const struct cycle_step *steps, uint32_t n)
{
  uint32_t reads = 0, wr = 0;
  bool adjacent = false;

  for (uint32_t i = 0; i < n; i++) {
    reads += steps[i].edge == EDGE_RW;
    wr += steps[i].edge == EDGE_WR;
    if (steps[i].edge == EDGE_RW && steps[(i + 1) % n].edge == EDGE_RW)
      adjacent = true;
  }
  if (reads == 0)
    return wr > 0 ? ANOMALY_G1C : ANOMALY_G0;
  if (reads == 1)
    return ANOMALY_G_SINGLE;
  return adjacent ? ANOMALY_G2_ITEM : ANOMALY_G_NONADJACENT;
}

static int search(struct judgement *j, const struct graph *g,
                  const struct walk_rule *rule, const uint32_t *components)
{
  struct finding f = { 0 }, *to;
  int rc = walk_shortest(g, rule, components, EFFORT, &f.steps, &f.n_steps,
                         &f.is_shortest);

  if (rc || !f.steps)
    return rc;
  to = &j->findings[kind_of(f.steps, f.n_steps)];
  if (to->n == 0) {
    f.n = 1;
    *to = f;
  } else {
    free(f.steps);
  }
  return 0;
}

/* Count the groups, by the components of all edges. */
static int count_groups(struct judgement *j, const struct graph *g,
                        const uint32_t *components)
{
  uint32_t *members = calloc((size_t)g->n * 2 + 1, sizeof(*members));

  if (!members)
    return -ENOMEM;
  for (uint32_t i = 0; i < g->n_trxs; i++)
    members[components[i * 2]]++;
  for (uint32_t c = 0; c < g->n * 2; c++) {
    if (members[c] < 2)
      continue;
    j->groups++;
    j->grouped += members[c];
  }
  free(members);
  return 0;
}

static bool has_cycle(const struct judgement *j)
{
  for (unsigned a = ANOMALY_DIRECT + 1; a < ANOMALIES; a++) {
    if (j->findings[a].n > 0)
      return true;
  }
  return false;
}

static int search_within(struct judgement *j, const struct graph *g,
                         const struct walk_rule *rule)
{
  uint32_t *components;
  int rc = walk_components(g, &rule->way, &components);

  if (rc)
    return rc;
  rc = search(j, g, rule, components);
  if (rc == 0 && rule == &apart && j->findings[ANOMALY_G_NONADJACENT].n > 0)
    rc = search(j, g, &single, components);
  free(components);
  return rc;
}

static int find_cycles(struct judgement *j, const struct graph *g)
{
  uint32_t *components;
  int rc = walk_components(g, &in_a_row.way, &components);

  if (rc)
    return rc;
  rc = count_groups(j, g, components);
  if (rc == 0 && j->groups > 0) {
    rc = search_within(j, g, &of_writes);
    rc = rc ? rc : search_within(j, g, &of_reads);
    rc = rc ? rc : search_within(j, g, &apart);
    rc = rc ? rc : search(j, g, &in_a_row, components);
    /* The search may have given up, but where there is a group, there is a
     * cycle, and this rule accepts the first one. */
    if (rc == 0 && !has_cycle(j))
      rc = search(j, g, &any, components);
  }
  free(components);
  return rc;
}

/* ---- all of it ---- */

static void count(struct judgement *j, const struct history *h,
                  const struct versions *v)
{
  for (uint32_t i = 0; i < h->n_trxs; i++) {
    const enum history_outcome outcome = h->trxs[i].outcome;

    j->ok += outcome == HISTORY_OK;
    j->failed += outcome == HISTORY_FAIL;
    j->unknown += outcome == HISTORY_UNKNOWN;
    j->proved += outcome == HISTORY_UNKNOWN && v->committed[i];
  }
  for (uint32_t i = 0; i < h->n_ops; i++) {
    if (h->trxs[h->ops[i].trx].outcome != HISTORY_OK)
      continue;
    j->writes += h->ops[i].is_write;
    j->reads += !h->ops[i].is_write && h->ops[i].is_known;
  }
  j->unseen = v->unseen;
  j->unplaced = v->unplaced;
}

int history_judge(struct judgement *j, const struct history *h, struct err *err)
{
  struct versions v = { 0 };
  struct graph g = { 0 };
  int rc;

  *j = (struct judgement){ 0 };
  rc = versions_init(&v, h, j->findings);
  if (rc == 0) {
    count(j, h, &v);
    rc = graph_init(&g, h, &v);
  }
  versions_done(&v);
  rc = rc ? rc : find_cycles(j, &g);
  graph_done(&g);
  if (rc == 0)
    return 0;
  return err_set(err, rc,
                 rc == -E2BIG ? "the history is too large"
                              : "not enough memory for the history");
}

void judgement_done(struct judgement *j)
{
  for (unsigned a = 0; a < ANOMALIES; a++)
    free(j->findings[a].steps);
  *j = (struct judgement){ 0 };
}

bool judgement_breaks(const struct judgement *j, const struct history *h,
                      enum level level, enum anomaly a)
{
  return j->findings[a].n > 0 && level_excludes(level, a) &&
         (a != ANOMALY_GARBAGE || h->is_complete);
}

enum history_verdict judgement_verdict(const struct judgement *j,
                                       const struct history *h,
                                       enum level level)
{
  for (unsigned a = 0; a < ANOMALIES; a++) {
    if (judgement_breaks(j, h, level, (enum anomaly)a))
      return HISTORY_BROKEN;
  }
  return h->is_complete && j->reads > 0 ? HISTORY_FITS : HISTORY_UNCLEAR;
}
