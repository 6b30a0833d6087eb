#include "nodes/mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "nodes/cluster.h"
#include "nodes/merge.h"
#include "nodes/pack.h"
#include "nodes/post.h"
#include "run/plan.h"

/* Of rank 0: for an interval; for a checkpoint or the last report, which have
 * to be complete. */
#define LINE_MIN_NS (100 * NS_PER_MS)
#define LINE_MAX_NS NS_PER_S
enum {
  COMPLETE_S = 30,
};
#define COMPLETE_NS (COMPLETE_S * NS_PER_S)

static bool mail_is_final(enum report_kind kind)
{
  return kind == REPORT_FINAL || kind == REPORT_FORCED;
}

void nodes_mail_pack(struct strbuf *b, const struct report *r)
{
  pack_u64(b, (uint64_t)r->kind);
  pack_u64(b, r->elapsed_ns);
  pack_u64(b, r->partial);
  pack_u64(b, r->total != NULL);
  merge_pack(b, r);
  if (r->total)
    merge_pack(b, r->total);
}

struct nodes_mail_head nodes_mail_head(struct unpack *u)
{
  struct nodes_mail_head h;

  h.kind = (enum report_kind)unpack_u64(u);
  h.elapsed_ns = unpack_u64(u);
  h.partial = unpack_u64(u) == 1;
  h.has_total = unpack_u64(u) == 1;
  return h;
}

static struct nodes_mail_head mail_head_of(const struct post_message *l)
{
  struct unpack u = unpack_start(l->bytes, l->len);

  return nodes_mail_head(&u);
}

int nodes_mail_own(const struct report *r, struct post_message **ret)
{
  struct strbuf b = { 0 };
  struct post_message *l;

  nodes_mail_pack(&b, r);
  l = b.failed ? NULL : malloc(sizeof(*l) + b.len);
  if (l) {
    *l = (struct post_message){ .len = b.len };
    memcpy(l->bytes, strbuf_str(&b), b.len);
  }
  strbuf_done(&b);
  *ret = l;
  return l ? 0 : -ENOMEM;
}

static void mail_put(struct nodes_mail_waiting *w, struct post_message *l)
{
  const enum report_kind kind = mail_head_of(l).kind;
  const int list = kind == REPORT_CHECKPOINT;

  if (mail_is_final(kind)) {
    free(w->final);
    w->final = l;
    return;
  }
  l->next = NULL;
  *w->last[list] = l;
  w->last[list] = &l->next;
}

/* Stays in the list; NULL: late, or never. */
static struct post_message *mail_peek(struct nodes_mail *m, unsigned rank,
                                      enum report_kind kind, uint64_t until_ns)
{
  struct nodes_mail_waiting *w = &m->of[rank];
  const int list = kind == REPORT_CHECKPOINT;

  for (;;) {
    struct post_message *l;

    if (w->first[list])
      return w->first[list];
    if (w->final || cluster_is_lost(m->cluster, rank))
      return NULL;
    l = post_receive(m->post, POST_REPORT, rank, until_ns);
    if (!l)
      return NULL;
    mail_put(w, l);
  }
}

static void mail_drop(struct nodes_mail *m, unsigned rank,
                      enum report_kind kind)
{
  struct nodes_mail_waiting *w = &m->of[rank];
  const int list = kind == REPORT_CHECKPOINT;
  struct post_message *l = w->first[list];

  w->first[list] = l->next;
  if (!l->next)
    w->last[list] = &w->first[list];
  free(l);
}

/* From mail_peek(). *any: the sum has one of this rank, as its last. */
static int mail_use(struct nodes_mail *m, unsigned rank, enum report_kind kind,
                    struct merge *to, bool *any)
{
  const struct post_message *l = m->of[rank].first[kind == REPORT_CHECKPOINT];
  struct unpack u = unpack_start(l->bytes, l->len);
  int rc;

  (void)nodes_mail_head(&u);
  if (kind == REPORT_INTERVAL)
    m->of[rank].events += merge_packed_events(u);
  rc = *any ? merge_add_more(to, &u) : merge_add(to, &u);
  *any = true;
  mail_drop(m, rank, kind);
  return rc;
}

int nodes_mail_add_left(struct nodes_mail *m, unsigned rank,
                        enum report_kind kind, struct merge *to, bool *ret_any)
{
  int rc = 0;

  *ret_any = false;
  while (rc == 0 && mail_peek(m, rank, kind, 0) != NULL)
    rc = mail_use(m, rank, kind, to, ret_any);
  return rc;
}

static uint64_t mail_tolerance(const struct plan *plan)
{
  const uint64_t tick_ns = plan->interval_ns > 0 ? plan->interval_ns
                                                 : plan->sample_ns;

  return tick_ns / 2;
}

static int mail_add_interval(struct nodes_mail *m, unsigned rank,
                             const struct report *r, uint64_t until_ns,
                             struct merge *to)
{
  const uint64_t about = mail_tolerance(m->plan);
  const struct post_message *l;
  bool any = false;
  int rc = 0;

  while (rc == 0 &&
         (l = mail_peek(m, rank, REPORT_INTERVAL, until_ns)) != NULL) {
    const uint64_t at = mail_head_of(l).elapsed_ns;

    if (!r->partial && at >= r->elapsed_ns + about)
      break;
    rc = mail_use(m, rank, REPORT_INTERVAL, to, &any);
    if (!r->partial && at + about > r->elapsed_ns)
      break;
  }
  return rc;
}

/* A late report also covers the checkpoints that its rank has missed. */
static unsigned mail_checkpoints_until(const struct plan *plan,
                                       uint64_t elapsed_ns)
{
  unsigned n = 0;

  while (n < plan->n_checkpoints && plan->checkpoint_ns[n] <= elapsed_ns)
    n++;
  return n;
}

/* Up to the checkpoint of rank 0, which a late rank reaches earlier or
 * later. */
static int mail_add_checkpoint(struct nodes_mail *m, unsigned rank,
                               const struct report *r, uint64_t until_ns,
                               struct merge *to)
{
  const unsigned wanted = mail_checkpoints_until(m->plan, r->elapsed_ns);
  unsigned *done = &m->of[rank].checkpoints;
  const struct post_message *l;
  bool any = false;
  int rc = 0;

  while (rc == 0 && *done < wanted &&
         (l = mail_peek(m, rank, REPORT_CHECKPOINT, until_ns)) != NULL) {
    *done = mail_checkpoints_until(m->plan, mail_head_of(l).elapsed_ns);
    rc = mail_use(m, rank, REPORT_CHECKPOINT, to, &any);
  }
  return rc;
}

/* The report thread has limited time at the end: for the rest of a line, a
 * checkpoint, and one more line. */
static uint64_t mail_patience(const struct plan *plan, const struct report *r)
{
  const uint64_t granted = plan->grace_ns > PLAN_REPORTS_NS ? plan->grace_ns
                                                            : PLAN_REPORTS_NS;
  uint64_t ns = mail_tolerance(plan);

  if (r->partial)
    return COMPLETE_NS;
  if (r->kind == REPORT_CHECKPOINT)
    return min_u64(COMPLETE_NS, granted / 2);
  if (ns < LINE_MIN_NS)
    ns = LINE_MIN_NS;
  return min_u64(min_u64(ns, LINE_MAX_NS), granted / 8);
}

int nodes_mail_add_line(struct nodes_mail *m, const struct report *r,
                        struct merge *to)
{
  const uint64_t until = clock_now_ns() + mail_patience(m->plan, r);
  int rc = 0;

  for (unsigned i = 1; i < m->size && rc == 0; i++)
    rc = r->kind == REPORT_CHECKPOINT ? mail_add_checkpoint(m, i, r, until, to)
                                      : mail_add_interval(m, i, r, until, to);
  return rc;
}

static void mail_say_lost(struct nodes_mail *m, unsigned rank)
{
  if (cluster_is_lost(m->cluster, rank))
    return;
  cluster_mark_lost(m->cluster, rank);
  log_msg(LOG_FATAL,
          "process %u on %s did not deliver its results: it was killed, or "
          "its machine cannot be reached",
          rank, cluster_host(m->cluster, rank));
}

struct post_message *nodes_mail_final(struct nodes_mail *m, unsigned rank)
{
  struct nodes_mail_waiting *w = &m->of[rank];
  unsigned left_s = COMPLETE_S;

  while (!w->final && !cluster_is_lost(m->cluster, rank)) {
    struct post_message *l = post_await(m->post, POST_REPORT, rank, &left_s);

    if (!l) {
      mail_say_lost(m, rank);
      return NULL;
    }
    mail_put(w, l);
  }
  return w->final;
}

int nodes_mail_init(struct nodes_mail *m, struct cluster *cluster,
                    const struct plan *plan, struct err *err)
{
  m->plan = plan;
  m->cluster = cluster;
  m->post = cluster_post(cluster);
  m->size = cluster_size(cluster);
  m->of = calloc(m->size, sizeof(*m->of));
  if (!m->of)
    return err_set(err, -ENOMEM, "not enough memory");
  for (unsigned i = 0; i < m->size; i++) {
    struct nodes_mail_waiting *w = &m->of[i];

    w->last[0] = &w->first[0];
    w->last[1] = &w->first[1];
  }
  return 0;
}

void nodes_mail_done(struct nodes_mail *m)
{
  for (unsigned i = 0; m->of && i < m->size; i++) {
    while (m->of[i].first[0])
      mail_drop(m, i, REPORT_INTERVAL);
    while (m->of[i].first[1])
      mail_drop(m, i, REPORT_CHECKPOINT);
    free(m->of[i].final);
  }
  free(m->of);
}
