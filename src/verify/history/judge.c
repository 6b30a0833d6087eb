#include "verify/history/judge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "verify/history/graph.h"

struct way {
  unsigned kinds; /* bits 1 << enum edge */
  bool apart;
};

struct walk_rule {
  struct way way;
  unsigned first;   /* kinds of the first edge */
  unsigned between; /* of others */
  bool ends_by_rw;  /* the last edge is rw */
};

/* ---- strongly connected components: Tarjan, without recursion ---- */

struct search {
  const struct graph *g;
  const struct way *way;
  uint32_t *number; /* owned; per place: order of arrival; 0: not met */
  uint32_t *low;    /* owned; the earliest place in reach */
  uint32_t *edge;
  uint32_t *path; /* owned; places being left */
  uint32_t *open; /* owned; of incomplete components */
  uint32_t *component;
  uint32_t n_path, n_open, met, n_components;
};

/* False: the edge leads nowhere. */
static bool walk_step(const struct graph *g, const struct way *way,
                      uint32_t place, uint32_t edge, uint32_t *ret)
{
  const enum edge kind = (enum edge)g->kind[edge];
  const uint32_t to = g->to[edge] * 2;

  if (!(way->kinds >> kind & 1))
    return false;
  *ret = to;
  if (!way->apart)
    return true;
  if (kind == EDGE_RW && place % 2 == 1)
    return false;
  *ret = to + (kind == EDGE_RW || (kind == EDGE_VIA && place % 2 == 1));
  return true;
}

static void walk_enter(struct search *s, uint32_t place)
{
  s->number[place] = s->low[place] = ++s->met;
  s->edge[place] = s->g->first[place / 2];
  s->path[s->n_path++] = place;
  s->open[s->n_open++] = place;
}

static void walk_close_component(struct search *s, uint32_t place)
{
  uint32_t member;

  do {
    member = s->open[--s->n_open];
    s->component[member] = s->n_components;
  } while (member != place);
  s->n_components++;
}

static void walk_leave(struct search *s, uint32_t place)
{
  s->n_path--;
  if (s->low[place] == s->number[place])
    walk_close_component(s, place);
  if (s->n_path > 0) {
    const uint32_t above = s->path[s->n_path - 1];

    if (s->low[place] < s->low[above])
      s->low[above] = s->low[place];
  }
}

static void walk_visit(struct search *s, uint32_t root)
{
  walk_enter(s, root);
  while (s->n_path > 0) {
    const uint32_t place = s->path[s->n_path - 1];
    uint32_t to;

    if (s->edge[place] == s->g->first[place / 2 + 1]) {
      walk_leave(s, place);
      continue;
    }
    if (!walk_step(s->g, s->way, place, s->edge[place]++, &to))
      continue;
    if (s->number[to] == 0)
      walk_enter(s, to);
    else if (s->component[to] == HISTORY_NONE && s->number[to] < s->low[place])
      s->low[place] = s->number[to];
  }
}

/* Places of one component, and only they, reach each other. The caller frees
 * *ret. Returns -ENOMEM. */
static int walk_components(const struct graph *g, const struct way *way,
                           uint32_t **ret)
{
  const size_t n = (size_t)g->n * 2 + 1;
  struct search s = { .g = g, .way = way };
  int rc = -ENOMEM;

  s.number = calloc(n, sizeof(*s.number));
  s.low = malloc(n * sizeof(*s.low));
  s.edge = malloc(n * sizeof(*s.edge));
  s.path = malloc(n * sizeof(*s.path));
  s.open = malloc(n * sizeof(*s.open));
  s.component = malloc(n * sizeof(*s.component));
  if (s.number && s.low && s.edge && s.path && s.open && s.component) {
    memset(s.component, 0xFF, n * sizeof(*s.component));
    for (uint32_t node = 0; node < g->n; node++) {
      if (s.number[node * 2] == 0)
        walk_visit(&s, node * 2);
    }
    *ret = s.component;
    s.component = NULL;
    rc = 0;
  }
  free(s.number);
  free(s.low);
  free(s.edge);
  free(s.path);
  free(s.open);
  free(s.component);
  return rc;
}

/* ---- the shortest cycle: breadth first, with growing depth ---- */

#define BIT(kind) (1U << (kind))

struct finder {
  const struct graph *g;
  const struct walk_rule *rule;
  const uint32_t *components;
  struct way between;
  uint64_t effort; /* edges left */

  /* Owned; of this search. */
  uint32_t *seen_in; /* per place: the last search that met it */
  uint32_t *depth;
  uint32_t *parent;
  uint32_t *by; /* edge from the parent */
  uint32_t *now, *next;
  uint32_t n_now, n_next;
  uint32_t search;

  uint32_t goal, begin;
  bool was_cut; /* by the depth */
};

static bool walk_is_goal(const struct finder *f, uint32_t place, uint32_t edge)
{
  if (f->rule->ends_by_rw)
    return place / 2 == f->goal / 2 &&
           (BIT(f->g->kind[edge]) & (BIT(EDGE_RW) | BIT(EDGE_VIA)));
  return place == f->goal;
}

/* The goal is only an end. */
static bool walk_is_passable(const struct finder *f, uint32_t place)
{
  return place / 2 != f->goal / 2 || f->rule->way.apart;
}

/* Only transactions count. */
static uint32_t walk_length_of(const struct finder *f, uint32_t place)
{
  return place / 2 < f->g->n_trxs;
}

static void walk_reach(struct finder *f, uint32_t to, uint32_t from,
                       uint32_t edge, uint32_t depth)
{
  const uint32_t cost = walk_length_of(f, to);

  if (f->seen_in[to] == f->search && f->depth[to] <= depth + cost)
    return;
  f->seen_in[to] = f->search;
  f->depth[to] = depth + cost;
  f->parent[to] = from;
  f->by[to] = edge;
  if (cost)
    f->next[f->n_next++] = to;
  else
    f->now[f->n_now++] = to;
}

/* True: *ret is the edge to the goal. */
static bool walk_expand(struct finder *f, uint32_t place, uint32_t depth,
                        uint32_t *ret)
{
  const uint32_t component = f->components[f->begin];

  for (uint32_t e = f->g->first[place / 2]; e < f->g->first[place / 2 + 1];
       e++) {
    uint32_t to;

    f->effort -= f->effort > 0;
    if (!walk_step(f->g, &f->between, place, e, &to) ||
        f->components[to] != component)
      continue;
    if (walk_is_goal(f, to, e)) {
      *ret = e;
      return true;
    }
    if (walk_is_passable(f, to))
      walk_reach(f, to, place, e, depth);
  }
  return false;
}

/* From `begin` to `goal` by at most `limit` transactions. True: *ret_place
 * and *ret_edge are the last step. */
static bool walk_breadth(struct finder *f, uint32_t limit, uint32_t *ret_place,
                         uint32_t *ret_edge)
{
  f->search++;
  f->n_now = f->n_next = 0;
  f->seen_in[f->begin] = f->search;
  f->depth[f->begin] = walk_length_of(f, f->begin);
  f->parent[f->begin] = HISTORY_NONE;
  f->now[f->n_now++] = f->begin;
  for (uint32_t depth = walk_length_of(f, f->begin); f->n_now > 0; depth++) {
    uint32_t *more;

    if (depth > limit) {
      f->was_cut = true;
      return false;
    }
    for (uint32_t i = 0; i < f->n_now; i++) {
      if (f->depth[f->now[i]] != depth)
        continue; /* a shorter way was found */
      *ret_place = f->now[i];
      if (walk_expand(f, f->now[i], depth, ret_edge))
        return true;
    }
    more = f->now;
    f->now = f->next;
    f->next = more;
    f->n_now = f->n_next;
    f->n_next = 0;
  }
  return false;
}

/* ---- the cycle ---- */

static uint32_t walk_steps_back(const struct finder *f, uint32_t place,
                                struct cycle_step *to)
{
  uint32_t n = 0;

  for (; f->parent[place] != HISTORY_NONE; place = f->parent[place]) {
    const uint32_t edge = f->by[place], node = f->parent[place] / 2;

    if (node >= f->g->n_trxs)
      continue; /* its edge is printed */
    if (to)
      to[n] = (struct cycle_step){ node, (enum edge)f->g->kind[edge],
                                   f->g->cause[edge] };
    n++;
  }
  return n;
}

/* The edge `first` from `node`, a way to `place`, the edge `last` back. */
static int walk_collect(const struct finder *f, uint32_t node, uint32_t first,
                        uint32_t place, uint32_t last, struct cycle_step **ret,
                        uint32_t *ret_n)
{
  const bool by_trx = place / 2 < f->g->n_trxs;
  const uint32_t back = walk_steps_back(f, place, NULL);
  struct cycle_step *steps = calloc((size_t)back + 2, sizeof(*steps)), swap;

  if (!steps)
    return -ENOMEM;
  steps[0] = (struct cycle_step){ node, (enum edge)f->g->kind[first],
                                  f->g->cause[first] };
  (void)walk_steps_back(f, place, steps + 1);
  for (uint32_t i = 1, j = back; i < j; i++, j--) {
    swap = steps[i];
    steps[i] = steps[j];
    steps[j] = swap;
  }
  if (by_trx)
    steps[back + 1] = (struct cycle_step){ place / 2,
                                           (enum edge)f->g->kind[last],
                                           f->g->cause[last] };
  *ret = steps;
  *ret_n = back + 1 + by_trx;
  return 0;
}

/* 1: found, 0: none, or -ENOMEM. */
static int walk_try_all(struct finder *f, uint32_t limit,
                        struct cycle_step **ret, uint32_t *ret_n)
{
  const struct graph *g = f->g;
  uint32_t place, edge;

  f->was_cut = false;
  for (uint32_t node = 0; node < g->n_trxs && f->effort > 0; node++) {
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
      f->effort -= f->effort > 0;
      f->goal = node * 2;
      if (!(f->rule->first >> g->kind[e] & 1) ||
          !walk_step(g, &f->rule->way, f->goal, e, &f->begin) ||
          f->components[f->begin] != f->components[f->goal])
        continue;
      if (walk_breadth(f, limit, &place, &edge))
        return walk_collect(f, node, e, place, edge, ret, ret_n) ? -ENOMEM : 1;
    }
  }
  return 0;
}

static int walk_search_all(struct finder *f, struct cycle_step **ret,
                           uint32_t *ret_n, bool *ret_shortest)
{
  int rc = 0;

  *ret_shortest = true;
  for (uint32_t limit = 1; rc == 0; limit++) {
    rc = walk_try_all(f, limit, ret, ret_n);
    if (rc == 0 && f->effort > 0 && !f->was_cut)
      return 0;
    if (f->effort == 0)
      break;
  }
  if (rc != 0)
    return rc < 0 ? rc : 0;
  *ret_shortest = false;
  f->effort = (uint64_t)f->g->first[f->g->n] * 4;
  rc = walk_try_all(f, UINT32_MAX, ret, ret_n);
  return rc < 0 ? rc : 0;
}

/* Follows about `effort` edges at most; if too few: *ret_shortest is false.
 * *ret_steps NULL: no cycle. -ENOMEM. */
static int walk_shortest(const struct graph *g, const struct walk_rule *rule,
                         const uint32_t *components, uint64_t effort,
                         struct cycle_step **ret_steps, uint32_t *ret_n,
                         bool *ret_shortest)
{
  const size_t n = (size_t)g->n * 2 + 1;
  struct finder f = { .g = g,
                      .rule = rule,
                      .components = components,
                      .between = { rule->between | BIT(EDGE_VIA),
                                   rule->way.apart },
                      .effort = effort };
  int rc = -ENOMEM;

  *ret_steps = NULL;
  *ret_n = 0;
  f.seen_in = calloc(n, sizeof(*f.seen_in));
  f.depth = malloc(n * sizeof(*f.depth));
  f.parent = malloc(n * sizeof(*f.parent));
  f.by = malloc(n * sizeof(*f.by));
  /* A list can have a place twice, by a longer and a shorter way. */
  f.now = malloc(2 * n * sizeof(*f.now));
  f.next = malloc(2 * n * sizeof(*f.next));
  if (f.seen_in && f.depth && f.parent && f.by && f.now && f.next)
    rc = walk_search_all(&f, ret_steps, ret_n, ret_shortest);
  free(f.seen_in);
  free(f.depth);
  free(f.parent);
  free(f.by);
  free(f.now);
  free(f.next);
  return rc;
}

/* ---- the report ---- */

enum {
  OPS_TOLD = 12,  /* of a transaction */
  LIST_TOLD = 60, /* bytes of a list */
};

struct teller {
  struct strbuf *to;
  const struct history *h;
};

static void judge_tell_value(const struct teller *t,
                             const struct history_op *op)
{
  const char *text = t->h->text + op->at;
  uint32_t from = 0;

  if (op->bytes == 0) {
    strbuf_adds(t->to,
                t->h->kind == HISTORY_LISTS ? "an empty list" : "nothing");
    return;
  }
  if (op->bytes > LIST_TOLD) {
    from = op->bytes - LIST_TOLD;
    while (from < op->bytes && text[from - 1] != ',')
      from++;
    strbuf_adds(t->to, "...,");
  }
  strbuf_add(t->to, text + from, op->bytes - from);
}

static void judge_tell_op(const struct teller *t, uint32_t i)
{
  const struct history_op *op = &t->h->ops[i];
  const long long key = (long long)t->h->keys[op->key];

  if (op->is_write) {
    strbuf_addf(t->to,
                t->h->kind == HISTORY_LISTS ? "append %lld to key %lld"
                                            : "write %lld to key %lld",
                (long long)op->value, key);
  } else if (!op->is_known) {
    strbuf_addf(t->to, "read key %lld: no answer", key);
  } else {
    strbuf_addf(t->to, "read key %lld: ", key);
    judge_tell_value(t, op);
  }
}

static void judge_tell_ops(const struct teller *t, uint32_t trx, uint32_t cause)
{
  uint32_t first = t->h->trxs[trx].first, end = history_end(t->h, trx);
  const bool is_cut = end - first > OPS_TOLD;

  if (is_cut) {
    if (cause != HISTORY_NONE && cause > first + OPS_TOLD / 2)
      first = cause - OPS_TOLD / 2;
    end = end - first > OPS_TOLD ? first + OPS_TOLD : end;
  }
  for (uint32_t i = first; i < end; i++) {
    strbuf_adds(t->to, "      ");
    judge_tell_op(t, i);
    strbuf_adds(t->to, "\n");
  }
  if (is_cut)
    strbuf_addf(t->to, "      (%u of %u operations)\n", end - first,
                history_end(t->h, trx) - t->h->trxs[trx].first);
}

static void judge_tell_trx(const struct teller *t, unsigned n, uint32_t trx,
                           uint32_t cause)
{
  static const char *const outcomes[] = { "committed", "failed",
                                          "unknown outcome" };
  const struct history_trx *it = &t->h->trxs[trx];

  strbuf_addf(t->to, "  T%u: line %u, process %u, %.6f s to ", n, it->line,
              it->process, (double)it->invoked_ns / (double)NS_PER_S);
  if (it->completed_ns == UINT64_MAX)
    strbuf_adds(t->to, "an unknown end");
  else
    strbuf_addf(t->to, "%.6f s", (double)it->completed_ns / (double)NS_PER_S);
  strbuf_addf(t->to, ", %s\n", outcomes[it->outcome]);
  judge_tell_ops(t, trx, cause);
}

/* ---- anomalies without cycles ---- */

static void judge_tell_direct(const struct teller *t, const struct finding *f)
{
  const uint32_t first = t->h->ops[f->op[0]].trx;
  uint32_t second = HISTORY_NONE;

  if (f->op[1] != HISTORY_NONE)
    second = t->h->ops[f->op[1]].trx;
  judge_tell_trx(t, 1, first, f->op[0]);
  if (second != HISTORY_NONE && second != first)
    judge_tell_trx(t, 2, second, f->op[1]);
  strbuf_adds(t->to, "  T1: ");
  judge_tell_op(t, f->op[0]);
  if (f->op[1] != HISTORY_NONE) {
    strbuf_addf(t->to, second == first ? "; before: " : "; T2: ");
    judge_tell_op(t, f->op[1]);
  }
  strbuf_adds(t->to, "\n");
}

/* ---- cycles ---- */

static void judge_tell_write(const struct teller *t, unsigned n, uint32_t trx,
                             uint32_t key)
{
  const uint32_t i = history_write_of(t->h, trx, key);

  strbuf_addf(t->to, "T%u: ", n);
  if (i != HISTORY_NONE)
    judge_tell_op(t, i);
}

static void judge_tell_step(const struct teller *t, const struct finding *f,
                            uint32_t i)
{
  static const char *const words[] = {
    [EDGE_WW] = "ww", [EDGE_WR] = "wr", [EDGE_RW] = "rw"
  };
  const struct cycle_step *s = &f->steps[i];
  const uint32_t next = (i + 1) % f->n_steps, to = f->steps[next].trx;
  const uint32_t key = t->h->ops[s->cause].key;

  strbuf_addf(t->to, "  T%u -> T%u (%s): ", i + 1, next + 1, words[s->edge]);
  switch (s->edge) {
  case EDGE_WW:
    judge_tell_write(t, i + 1, s->trx, key);
    strbuf_adds(t->to, ", then ");
    judge_tell_write(t, next + 1, to, key);
    break;
  case EDGE_WR:
    judge_tell_write(t, i + 1, s->trx, key);
    strbuf_addf(t->to, ", which T%u has seen: ", next + 1);
    judge_tell_op(t, s->cause);
    break;
  default:
    strbuf_addf(t->to, "T%u: ", i + 1);
    judge_tell_op(t, s->cause);
    strbuf_adds(t->to, ", before ");
    judge_tell_write(t, next + 1, to, key);
    break;
  }
  strbuf_adds(t->to, "\n");
}

static void judge_tell_cycle(const struct teller *t, const struct finding *f)
{
  strbuf_addf(t->to, "  %s cycle of %u transactions:\n",
              f->is_shortest ? "The shortest" : "A", f->n_steps);
  for (uint32_t i = 0; i < f->n_steps; i++)
    judge_tell_trx(t, i + 1, f->steps[i].trx, f->steps[i].cause);
  for (uint32_t i = 0; i < f->n_steps; i++)
    judge_tell_step(t, f, i);
}

static void judge_tell_facts(const struct teller *t, const struct judgement *j)
{
  const struct history *h = t->h;

  strbuf_addf(t->to,
              "History of %s: %u transactions: %u committed, %u failed, %u "
              "with unknown outcome",
              h->kind == HISTORY_LISTS ? "lists" : "registers", h->n_trxs,
              j->ok, j->failed, j->unknown);
  if (j->unknown > 0)
    strbuf_addf(t->to, " (%u of these were seen)", j->proved);
  strbuf_addf(t->to, "\n%u keys, %u reads, %u writes", h->n_keys, j->reads,
              j->writes);
  if (j->unseen > 0)
    strbuf_addf(t->to, "; no read has seen %u of them", j->unseen);
  if (j->unplaced > 0)
    strbuf_addf(t->to, "; it is not known what %u of them have overwritten",
                j->unplaced);
  strbuf_adds(t->to, "\n");
  if (j->groups > 0)
    strbuf_addf(t->to,
                "%u transactions depend on each other in circles, in %u "
                "group%s\n",
                j->grouped, j->groups, fmt_plural(j->groups));
}

/* Found, and excluded? If the history is cut off, writes can be missing. */
static bool judge_judgement_breaks(const struct judgement *j,
                                   const struct history *h, enum level level,
                                   enum anomaly a)
{
  return j->findings[a].n > 0 && level_excludes(level, a) &&
         (a != ANOMALY_GARBAGE || h->is_complete);
}

static void judge_tell_verdict(const struct teller *t,
                               const struct judgement *j, enum level level)
{
  const char *comma = ": ";

  switch (judgement_verdict(j, t->h, level)) {
  case HISTORY_FITS:
    strbuf_addf(t->to, "\nVerdict: nothing contradicts %s\n",
                level_name(level));
    return;
  case HISTORY_UNCLEAR:
    strbuf_addf(t->to, "\nVerdict: cannot tell: %s\n",
                t->h->is_complete ? "no committed transaction has read anything"
                                  : "the history is cut off");
    return;
  case HISTORY_BROKEN:
    break;
  }
  strbuf_addf(t->to, "\nVerdict: not %s", level_name(level));
  for (unsigned a = 0; a < ANOMALIES; a++) {
    if (!judge_judgement_breaks(j, t->h, level, (enum anomaly)a))
      continue;
    strbuf_addf(t->to, "%s%s", comma, anomaly_name((enum anomaly)a));
    comma = ", ";
  }
  strbuf_adds(t->to, "\n");
}

void history_tell(struct strbuf *to, const struct history *h,
                  const struct judgement *j, enum level level)
{
  const struct teller t = { to, h };

  judge_tell_facts(&t, j);
  for (unsigned a = 0; a < ANOMALIES; a++) {
    const struct finding *f = &j->findings[a];

    if (f->n == 0)
      continue;
    strbuf_addf(to, "\n%s: %s", anomaly_name((enum anomaly)a),
                anomaly_meaning((enum anomaly)a));
    if (a <= ANOMALY_DIRECT)
      strbuf_addf(to, " (%llu time%s)", (unsigned long long)f->n,
                  fmt_plural(f->n));
    if (!level_excludes(level, (enum anomaly)a))
      strbuf_addf(to, ". %s allows that", level_name(level));
    strbuf_adds(to, "\n");
    if (f->steps)
      judge_tell_cycle(&t, f);
    else
      judge_tell_direct(&t, f);
  }
  judge_tell_verdict(&t, j, level);
}

/* ---- the search for cycles ---- */

#define WW (1U << EDGE_WW)
#define WR (1U << EDGE_WR)
#define RW (1U << EDGE_RW)
#define VIA (1U << EDGE_VIA)

/* Per kind of cycle. */
#define EFFORT UINT64_C(100000000)

/* From the worst. */
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

static enum anomaly judge_kind_of(const struct cycle_step *steps, uint32_t n)
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

static int judge_search(struct judgement *j, const struct graph *g,
                        const struct walk_rule *rule,
                        const uint32_t *components)
{
  struct finding f = { 0 }, *to;
  int rc = walk_shortest(g, rule, components, EFFORT, &f.steps, &f.n_steps,
                         &f.is_shortest);

  if (rc || !f.steps)
    return rc;
  to = &j->findings[judge_kind_of(f.steps, f.n_steps)];
  if (to->n == 0) {
    f.n = 1;
    *to = f;
  } else {
    free(f.steps);
  }
  return 0;
}

/* By the components of all edges. */
static int judge_count_groups(struct judgement *j, const struct graph *g,
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

static bool judge_has_cycle(const struct judgement *j)
{
  for (unsigned a = ANOMALY_DIRECT + 1; a < ANOMALIES; a++) {
    if (j->findings[a].n > 0)
      return true;
  }
  return false;
}

static int judge_search_within(struct judgement *j, const struct graph *g,
                               const struct walk_rule *rule)
{
  uint32_t *components;
  int rc = walk_components(g, &rule->way, &components);

  if (rc)
    return rc;
  rc = judge_search(j, g, rule, components);
  if (rc == 0 && rule == &apart && j->findings[ANOMALY_G_NONADJACENT].n > 0)
    rc = judge_search(j, g, &single, components);
  free(components);
  return rc;
}

static int judge_find_cycles(struct judgement *j, const struct graph *g)
{
  uint32_t *components;
  int rc = walk_components(g, &in_a_row.way, &components);

  if (rc)
    return rc;
  rc = judge_count_groups(j, g, components);
  if (rc == 0 && j->groups > 0) {
    rc = judge_search_within(j, g, &of_writes);
    rc = rc ? rc : judge_search_within(j, g, &of_reads);
    rc = rc ? rc : judge_search_within(j, g, &apart);
    rc = rc ? rc : judge_search(j, g, &in_a_row, components);
    /* If the search gave up: each group has a cycle, and this rule takes the
     * first. */
    if (rc == 0 && !judge_has_cycle(j))
      rc = judge_search(j, g, &any, components);
  }
  free(components);
  return rc;
}

static void judge_count(struct judgement *j, const struct history *h,
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
    judge_count(j, h, &v);
    rc = graph_init(&g, h, &v);
  }
  versions_done(&v);
  rc = rc ? rc : judge_find_cycles(j, &g);
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

enum history_verdict judgement_verdict(const struct judgement *j,
                                       const struct history *h,
                                       enum level level)
{
  for (unsigned a = 0; a < ANOMALIES; a++) {
    if (judge_judgement_breaks(j, h, level, (enum anomaly)a))
      return HISTORY_BROKEN;
  }
  return h->is_complete && j->reads > 0 ? HISTORY_FITS : HISTORY_UNCLEAR;
}
