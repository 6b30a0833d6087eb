/*
 * program_ranks_mail.c - reports on their way from the others to process 0.
 */
#include "program_ranks_mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "cluster/cluster.h"
#include "cluster/merge.h"
#include "cluster/pack.h"
#include "cluster/post.h"

#define FINAL_NS (30 * NS_PER_S)

/* ---- letters ---- */

static bool is_final(enum report_kind kind)
{
  return kind == REPORT_FINAL || kind == REPORT_FORCED;
}

void ranks_letter_pack(struct strbuf *b, const struct report *r)
{
  pack_u64(b, (uint64_t)r->kind);
  pack_u64(b, (uint64_t)r->style);
  pack_u64(b, r->elapsed_ns);
  pack_u64(b, r->partial);
  pack_u64(b, r->total != NULL);
  merge_pack(b, r);
  if (r->total)
    merge_pack(b, r->total);
}

struct ranks_head ranks_head_read(struct unpack *u)
{
  struct ranks_head h;

  h.kind = (enum report_kind)unpack_u64(u);
  h.style = (enum report_style)unpack_u64(u);
  h.elapsed_ns = unpack_u64(u);
  h.partial = unpack_u64(u) == 1;
  h.has_total = unpack_u64(u) == 1;
  return h;
}

struct ranks_head ranks_head_of(const struct letter *l)
{
  struct unpack u = unpack_start(l->bytes, l->len);

  return ranks_head_read(&u);
}

int ranks_letter_own(const struct report *r, struct letter **ret)
{
  struct strbuf b = { 0 };
  struct letter *l;

  ranks_letter_pack(&b, r);
  l = b.failed ? NULL : malloc(sizeof(*l) + b.len);
  if (l) {
    *l = (struct letter){ .len = b.len };
    memcpy(l->bytes, strbuf_str(&b), b.len);
  }
  strbuf_done(&b);
  *ret = l;
  return l ? 0 : -ENOMEM;
}

int ranks_letter_add(struct merge *m, const struct letter *l)
{
  struct unpack u = unpack_start(l->bytes, l->len);

  (void)ranks_head_read(&u);
  return merge_add(m, &u);
}

/* ---- what waits ---- */

static void put(struct ranks_waiting *w, struct letter *l)
{
  const enum report_kind kind = ranks_head_of(l).kind;
  const int list = kind == REPORT_CHECKPOINT;

  if (is_final(kind)) {
    free(w->final);
    w->final = l;
    return;
  }
  l->next = NULL;
  *w->last[list] = l;
  w->last[list] = &l->next;
}

/* The next report of this kind, which stays where it is; NULL: it is late, or
 * there will be none. */
struct letter *ranks_mail_peek(struct ranks_mail *m, unsigned rank,
                               enum report_kind kind, uint64_t until_ns)
{
  struct ranks_waiting *w = &m->of[rank];
  const int list = kind == REPORT_CHECKPOINT;

  for (;;) {
    struct letter *l;

    if (w->first[list])
      return w->first[list];
    if (w->final || cluster_is_lost(m->cluster, rank))
      return NULL;
    l = post_receive(m->post, POST_REPORT, rank, until_ns);
    if (!l)
      return NULL;
    put(w, l);
  }
}

void ranks_mail_drop(struct ranks_mail *m, unsigned rank, enum report_kind kind)
{
  struct ranks_waiting *w = &m->of[rank];
  const int list = kind == REPORT_CHECKPOINT;
  struct letter *l = w->first[list];

  w->first[list] = l->next;
  if (!l->next)
    w->last[list] = &w->first[list];
  free(l);
}

static void say_lost(struct ranks_mail *m, unsigned rank)
{
  if (cluster_is_lost(m->cluster, rank))
    return;
  cluster_mark_lost(m->cluster, rank);
  log_msg(LOG_FATAL,
          "process %u on %s has not delivered its results: it was killed, or "
          "its machine cannot be reached",
          rank, cluster_host(m->cluster, rank));
}

struct letter *ranks_mail_final(struct ranks_mail *m, unsigned rank)
{
  const uint64_t until = clock_now_ns() + FINAL_NS;
  struct ranks_waiting *w = &m->of[rank];

  while (!w->final && !cluster_is_lost(m->cluster, rank)) {
    struct letter *l = post_receive(m->post, POST_REPORT, rank, until);

    if (!l) {
      say_lost(m, rank);
      return NULL;
    }
    put(w, l);
  }
  return w->final;
}

/* ---- begin and end ---- */

int ranks_mail_init(struct ranks_mail *m, struct cluster *cluster,
                    struct err *err)
{
  m->cluster = cluster;
  m->post = cluster_post(cluster);
  m->size = cluster_size(cluster);
  m->of = calloc(m->size, sizeof(*m->of));
  if (!m->of)
    return err_set(err, -ENOMEM, "not enough memory");
  for (unsigned i = 0; i < m->size; i++) {
    struct ranks_waiting *w = &m->of[i];

    w->last[0] = &w->first[0];
    w->last[1] = &w->first[1];
  }
  return 0;
}

void ranks_mail_done(struct ranks_mail *m)
{
  for (unsigned i = 0; m->of && i < m->size; i++) {
    while (m->of[i].first[0])
      ranks_mail_drop(m, i, REPORT_INTERVAL);
    while (m->of[i].first[1])
      ranks_mail_drop(m, i, REPORT_CHECKPOINT);
    free(m->of[i].final);
  }
  free(m->of);
}
