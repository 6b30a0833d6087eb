/*
 * report.c - a reporter that merges the reports of all ranks into one.
 *
 * In rank 0 it comes before the real reporters: each report waits for those of
 * the other ranks that belong to the same moment.  The other ranks send them
 * with it. The report of a late rank is not lost: that of an interval is merged
 * with the next line, a checkpoint is waited for, and the last report includes
 * the rest.
 */
#include "ranks/report.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "cluster/cluster.h"
#include "cluster/merge.h"
#include "cluster/pack.h"
#include "cluster/post.h"
#include "ranks/end.h"
#include "ranks/mail.h"
#include "ranks/ranks.h"
#include "run/plan.h"
#include "run/runner.h"
#include "stats/report.h"

struct ranks_report {
  struct ranks_report_setup set;
  struct cluster *cluster;
  struct post *post;
  unsigned rank, size;
  struct merge *merge, *total; /* owned; only in rank 0 */
  struct ranks_mail mail;      /* only in rank 0 */
  struct ranks_end end;
  /* Not in rank 0: rank 0 has confirmed that it has everything. */
  bool complete;
};

/* ---- lines ---- */

/* Make an interval or a checkpoint of the whole run. */
static int merge_line(struct ranks_report *k, const struct report_setup *setup,
                      const struct report *r, struct report *ret)
{
  int rc;

  merge_clear(k->merge);
  rc = merge_add_report(k->merge, r);
  if (rc == 0)
    rc = ranks_mail_add_line(&k->mail, r, k->merge);
  *ret = *r;
  merge_report(k->merge, setup, ret);
  merge_of_all(ret, k->set.plan->all_threads);
  return rc;
}

static int no_memory(struct err *err, int rc)
{
  return err_set(err, rc, "the reports of the processes cannot be merged");
}

static int send(struct ranks_report *k, const struct report *r)
{
  struct strbuf b = { 0 };
  int rc;

  ranks_mail_pack(&b, r);
  rc = b.failed ? -ENOMEM
                : post_send(k->post, 0, POST_REPORT, strbuf_str(&b), b.len);
  strbuf_done(&b);
  return rc;
}

static int forward(struct ranks_report *k, const struct report_setup *setup,
                   const struct report *r, struct err *err)
{
  return reporters_report(k->set.reporters, k->set.n_reporters, setup, r, err);
}

/* Rank 0 waits for the others, and no worker of any is known to do anything:
 * the run is over, or those that are late report later. */
static bool is_idle(const struct report *r)
{
  bool idle = r->kind == REPORT_INTERVAL && !r->partial &&
              r->threads_running == 0 && r->arrivals == 0;

  for (int c = 0; c < COUNTERS; c++)
    idle = idle && r->counter[c] == 0;
  return idle;
}

static int on_line(void *ctx, const struct report_setup *setup,
                   const struct report *r, struct err *err)
{
  struct ranks_report *k = ctx;
  struct report whole;
  int rc = k->rank == 0 ? merge_line(k, setup, r, &whole) : send(k, r);
  int later;

  if (rc < 0)
    rc = no_memory(err, rc);
  else if (k->rank == 0 && is_idle(&whole))
    return 0;
  later = forward(k, setup, k->rank == 0 ? &whole : r, err);
  return rc < 0 ? rc : later;
}

/* ---- the last report ---- */

/* Add the last report of a rank to both sums, and to that of the rank.  `more`:
 * the first sum already has a checkpoint of it. */
static int add_final(struct ranks_report *k, unsigned rank,
                     const struct post_message *l, bool more, struct report *r,
                     struct report *total)
{
  struct unpack u = unpack_start(l->bytes, l->len);
  const struct ranks_mail_head h = ranks_mail_head(&u);
  struct unpack again = u;
  int rc = more ? merge_add_more(k->merge, &u) : merge_add(k->merge, &u);

  if (h.elapsed_ns > r->elapsed_ns)
    r->elapsed_ns = h.elapsed_ns;
  if (h.kind == REPORT_FORCED)
    r->kind = REPORT_FORCED;
  total->elapsed_ns = r->elapsed_ns;
  total->kind = r->kind;
  if (rc < 0)
    return rc;
  if (h.has_total) {
    again = u;
    rc = merge_add(k->total, &u);
  }
  return rc < 0 ? rc : ranks_end_part(&k->end, rank, &again, k->end.setup);
}

static int merge_final(struct ranks_report *k, const struct report_setup *setup,
                       const struct report *own, struct report *r,
                       struct report *total)
{
  struct post_message *l;
  bool more;
  int rc;

  merge_clear(k->merge);
  merge_clear(k->total);
  *r = *own;
  *total = own->total ? *own->total : *own;
  rc = ranks_mail_own(own, &l);
  if (rc == 0)
    rc = add_final(k, 0, l, false, r, total);
  free(l);
  for (unsigned i = 1; i < k->size && rc == 0; i++) {
    l = ranks_mail_final(&k->mail, i);
    if (!l)
      continue;
    /* Checkpoints that rank 0 has not made, or has not waited for. */
    rc = ranks_mail_add_left(&k->mail, i, REPORT_CHECKPOINT, k->merge, &more);
    if (rc == 0)
      rc = add_final(k, i, l, more, r, total);
  }
  merge_report(k->merge, setup, r);
  if (own->total) {
    merge_report(k->total, setup, total);
    r->total = total;
    r->classes = total->classes;
    r->members = total->members;
  }
  return rc;
}

/*
 * Intervals that belong to no line, because rank 0 had none of its own any more
 * when they came.  They make one more line, so that all lines together are the
 * whole run.
 */
static int flush_lines(struct ranks_report *k, const struct report_setup *setup,
                       const struct report *own, struct err *err)
{
  struct report r = { .kind = REPORT_INTERVAL,
                      .form = own->form,
                      .elapsed_ns = own->elapsed_ns,
                      .end_ns = own->end_ns,
                      .unprinted = true,
                      .partial = true };
  bool any;
  int rc = 0;

  merge_clear(k->merge);
  for (unsigned i = 1; i < k->size && rc == 0; i++)
    rc = ranks_mail_add_left(&k->mail, i, REPORT_INTERVAL, k->merge, &any);
  if (rc < 0)
    return no_memory(err, rc);
  if (merge_count(k->merge) == 0)
    return 0;
  merge_report(k->merge, setup, &r);
  merge_of_all(&r, k->set.plan->all_threads);
  return forward(k, setup, &r, err);
}

static int on_final(void *ctx, const struct report_setup *setup,
                    const struct report *own, struct err *err)
{
  struct ranks_report *k = ctx;
  struct report r, total;
  int rc, later;

  k->end.setup = setup;
  if (k->rank == 0) {
    for (unsigned i = 1; i < k->size; i++)
      (void)ranks_mail_final(&k->mail, i);
    rc = setup->details ? flush_lines(k, setup, own, err) : 0;
    if (rc < 0)
      return rc;
    rc = merge_final(k, setup, own, &r, &total);
    k->end.events = r.total ? total.events : r.events;
  } else {
    rc = send(k, own);
  }
  if (rc < 0)
    rc = no_memory(err, rc);
  later = forward(k, setup, k->rank == 0 ? &r : own, err);
  return rc < 0 ? rc : later;
}

/* ---- the rest ---- */

static int on_begin(void *ctx, const struct report_setup *setup,
                    struct err *err)
{
  struct ranks_report *k = ctx;

  return reporters_begin(k->set.reporters, k->set.n_reporters, setup, err);
}

static int on_start(void *ctx, const struct run_start *start, struct err *err)
{
  struct ranks_report *k = ctx;
  struct run_start whole = *start;

  if (k->rank == 0) {
    whole.threads = k->set.plan->all_threads;
    whole.carriers = start->carriers * k->set.plan->parts;
    whole.idle = start->idle * k->set.plan->parts;
  }
  return reporters_start(k->set.reporters, k->set.n_reporters, &whole, err);
}

static int on_over(void *ctx, const struct run_end *end, struct err *err)
{
  struct ranks_report *k = ctx;
  struct run_end whole = *end;
  int rc;

  if (k->rank == 0) {
    ranks_end_gather(&k->end, &k->mail, &whole);
    rc = reporters_over(k->set.reporters, k->set.n_reporters, &whole, err);
    ranks_end_tell(&k->end);
    ranks_end_print(&k->end, &whole, k->set.table);
    return rc;
  }
  ranks_end_send(&k->end, end);
  rc = reporters_over(k->set.reporters, k->set.n_reporters, end, err);
  k->complete = ranks_end_await(&k->end);
  return rc;
}

static int on_end(void *ctx, struct err *err)
{
  struct ranks_report *k = ctx;

  return reporters_end(k->set.reporters, k->set.n_reporters, err);
}

const struct reporter ranks_reporter = {
  .name = "cluster",
  .begin = on_begin,
  .start = on_start,
  .interval = on_line,
  .checkpoint = on_line,
  .final = on_final,
  .over = on_over,
  .end = on_end,
};

static int make_merges(struct ranks_report *k, struct err *err)
{
  int rc = merge_new(&k->merge, err);

  if (rc == 0)
    rc = merge_new(&k->total, err);
  if (rc < 0)
    return rc;
  rc = ranks_mail_init(&k->mail, k->cluster, k->set.plan, err);
  if (rc < 0)
    return rc;
  return 0;
}

int ranks_report_new(struct ranks_report **ret,
                     const struct ranks_report_setup *setup, struct err *err)
{
  struct ranks_report *k = calloc(1, sizeof(*k));
  int rc;

  if (!k)
    return err_set(err, -ENOMEM, "not enough memory");
  k->set = *setup;
  k->cluster = setup->ranks->cluster;
  k->post = cluster_post(k->cluster);
  k->rank = setup->ranks->rank;
  k->size = setup->ranks->size;
  rc = ranks_end_init(&k->end, k->cluster, setup->plan, err);
  if (rc == 0 && k->rank == 0)
    rc = make_merges(k, err);
  if (rc < 0) {
    ranks_report_free(k);
    return rc;
  }
  *ret = k;
  return 0;
}

void ranks_report_free(struct ranks_report *k)
{
  if (!k)
    return;
  ranks_mail_done(&k->mail);
  merge_free(k->merge);
  merge_free(k->total);
  ranks_end_done(&k->end);
  free(k);
}

int ranks_report_status(const struct ranks_report *k, int status)
{
  if (k->rank != 0)
    return status;
  if (cluster_any_lost(k->cluster))
    return EXIT_FAILED;
  return status != EXIT_OK ? status : k->end.status;
}

bool ranks_report_complete(const struct ranks_report *k)
{
  return k->complete;
}
