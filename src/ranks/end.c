/*
 * end.c - the end of a run of several ranks.
 */
#include "ranks/end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/facts.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "cluster/cluster.h"
#include "cluster/merge.h"
#include "cluster/merge_tally.h"
#include "cluster/pack.h"
#include "cluster/post.h"
#include "ranks/mail.h"
#include "report/doubts.h"
#include "run/plan.h"

enum {
  PATIENCE_S = 30,
};

int ranks_end_init(struct ranks_end *e, struct cluster *cluster,
                   const struct plan *plan, struct err *err)
{
  int rc = 0;

  e->cluster = cluster;
  e->plan = plan;
  e->rank = cluster_rank(cluster);
  e->size = cluster_size(cluster);
  if (e->rank > 0)
    return 0;
  e->part = calloc(e->size, sizeof(*e->part));
  e->merge = calloc(e->size, sizeof(struct merge *));
  e->doubts = calloc(1, sizeof(*e->doubts));
  e->error = calloc(1, sizeof(*e->error));
  if (!e->part || !e->merge || !e->doubts || !e->error)
    return err_set(err, -ENOMEM, "not enough memory");
  for (unsigned i = 0; i < e->size && rc == 0; i++) {
    e->part[i].rank = i;
    e->part[i].host = cluster_host(cluster, i);
    e->part[i].first_thread = i * plan->threads;
    rc = merge_new(&e->merge[i], err);
  }
  return rc;
}

void ranks_end_done(struct ranks_end *e)
{
  for (unsigned i = 0; e->merge && i < e->size; i++)
    merge_free(e->merge[i]);
  free(e->merge);
  free(e->part);
  free(e->doubts);
  free(e->error);
  free(e->details.error);
}

int ranks_end_part(struct ranks_end *e, unsigned rank, struct unpack *u,
                   const struct report_setup *setup)
{
  struct rank_part *p = &e->part[rank];
  struct report r = { .kind = REPORT_FINAL };
  int rc = merge_add(e->merge[rank], u);

  if (rc < 0)
    return rc;
  merge_report(e->merge[rank], setup, &r);
  p->threads = r.threads;
  p->period_ns = r.period_ns;
  p->events = r.events;
  p->errors = r.counter[COUNTER_ERROR];
  p->reconnects = r.counter[COUNTER_RECONNECT];
  p->reads = r.counter[COUNTER_READ];
  p->writes = r.counter[COUNTER_WRITE];
  p->other = r.counter[COUNTER_OTHER];
  p->sum_ns = r.sum_ns;
  p->min_ns = r.min_ns;
  p->max_ns = r.max_ns;
  p->hist = r.hist;
  return 0;
}

/* ---- from the others to process 0 ---- */

static void pack_client(struct strbuf *b, const struct client_use *u)
{
  pack_u64(b, u->wall_ns);
  pack_u64(b, u->user_ns);
  pack_u64(b, u->system_ns);
  pack_u64(b, u->voluntary);
  pack_u64(b, u->involuntary);
  pack_u64(b, u->max_rss_bytes);
  pack_u64(b, u->queue_known);
  pack_u64(b, u->queue_ns);
  pack_real(b, u->cpus);
  pack_real(b, u->quota);
}

static void unpack_client(struct unpack *u, struct client_use *ret)
{
  ret->wall_ns = unpack_u64(u);
  ret->user_ns = unpack_u64(u);
  ret->system_ns = unpack_u64(u);
  ret->voluntary = unpack_u64(u);
  ret->involuntary = unpack_u64(u);
  ret->max_rss_bytes = unpack_u64(u);
  ret->queue_known = unpack_u64(u) == 1;
  ret->queue_ns = unpack_u64(u);
  ret->cpus = unpack_real(u);
  ret->quota = unpack_real(u);
}

/* The facts of the database that all ranks have together. */
static void pack_facts(struct strbuf *b, const struct test_details *d)
{
  for (size_t i = 0; d && i < d->database.n; i++) {
    const struct fact *f = &d->database.of[i];

    if (f->merge == FACT_FIRST)
      continue;
    pack_text(b, f->key);
    pack_u64(b, (uint64_t)f->type);
    pack_u64(b, (uint64_t)f->integer);
    pack_real(b, f->real);
  }
  pack_text(b, "");
}

static void merge_facts(struct ranks_end *e, struct unpack *u)
{
  char key[64];

  for (;;) {
    struct fact f = { .key = key };

    unpack_text(u, key, sizeof(key));
    if (u->failed || !*key)
      return;
    f.type = (enum fact_type)unpack_u64(u);
    f.integer = (int64_t)unpack_u64(u);
    f.real = unpack_real(u);
    facts_merge(&e->details.database, &f);
  }
}

static void pack_errors(struct strbuf *b, const struct test_details *d)
{
  pack_u64(b, d ? d->n_errors : 0);
  for (size_t i = 0; d && i < d->n_errors; i++)
    merge_error_pack(b, &d->error[i]);
}

void ranks_end_send(struct ranks_end *e, const struct run_end *end)
{
  struct strbuf b = { 0 };

  pack_u64(&b, (uint64_t)end->status);
  pack_u64(&b, (uint64_t)end->reason);
  pack_u64(&b, end->error != NULL);
  pack_text(&b, end->error ? end->error : "");
  pack_u64(&b, end->arrivals);
  pack_u64(&b, end->backlog);
  pack_u64(&b, end->member_arrivals);
  pack_client(&b, &end->client);
  pack_u64(&b, end->doubts->n);
  for (size_t i = 0; i < end->doubts->n; i++)
    pack_text(&b, end->doubts->of[i].text);
  pack_errors(&b, end->details);
  pack_facts(&b, end->details);
  if (!b.failed)
    (void)post_send(cluster_post(e->cluster), 0, POST_OVER, strbuf_str(&b),
                    b.len); /* on failure rank 0 misses it and says so */
  strbuf_done(&b);
}

bool ranks_end_await(struct ranks_end *e)
{
  unsigned left_s = PATIENCE_S;
  struct post_message *l = post_await(cluster_post(e->cluster), POST_VERDICT, 0,
                                      &left_s);
  bool complete = false;

  if (!l) {
    cluster_mark_lost(e->cluster, 0);
    log_msg(LOG_FATAL,
            "process 0 on %s does not answer: it was killed, or its machine "
            "cannot be reached",
            cluster_host(e->cluster, 0));
  } else {
    complete = l->len > 0 && l->bytes[0] == 1;
    if (!complete) /* then no rank may wait for the engine's own end */
      cluster_mark_lost(e->cluster, l->len > 1 ? l->bytes[1] : 0);
  }
  free(l);
  return complete;
}

/* ---- in process 0 ---- */

/* A doubt of another rank.  All of them have one code, and the text names the
 * rank. */
static void add_doubt(struct ranks_end *e, unsigned rank, const char *text)
{
  struct doubts *d = e->doubts;
  struct doubt *to;

  if (d->n >= DOUBTS_MAX)
    return;
  to = &d->of[d->n++];
  to->code = "other_process";
  to->shown = false; /* that rank has already shown it */
  (void)snprintf(to->text, sizeof(to->text), "process %u on %s, %.250s", rank,
                 e->part[rank].host, text);
}

/* Doubts about the figures of all ranks together, which no rank has checked. */
static void add_own_doubts(struct ranks_end *e)
{
  struct doubts *d = e->doubts;
  size_t i = d->n;

  if (e->setup)
    doubts_add_samples(d, e->setup, e->events);
  for (; i < d->n; i++) {
    if (d->of[i].shown)
      log_advise("%s", d->of[i].text);
  }
}

static struct error_count *error_of(struct test_details *d,
                                    const struct error_count *like)
{
  struct error_count *more;

  for (size_t i = 0; i < d->n_errors; i++) {
    if (strcmp(d->error[i].source, like->source) == 0 &&
        strcmp(d->error[i].code, like->code) == 0 &&
        strcmp(d->error[i].state, like->state) == 0)
      return &d->error[i];
  }
  more = realloc(d->error, (d->n_errors + 1) * sizeof(*more));
  if (!more)
    return NULL;
  d->error = more;
  more[d->n_errors] = *like;
  more[d->n_errors].count = 0;
  return &more[d->n_errors++];
}

static void add_error(struct ranks_end *e, const struct error_count *one)
{
  struct error_count *sum = error_of(&e->details, one);

  if (sum)
    sum->count += one->count;
}

static void unpack_errors(struct ranks_end *e, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  for (uint64_t i = 0; i < n && !u->failed; i++) {
    struct error_count one;

    merge_error_unpack(u, &one);
    if (!u->failed)
      add_error(e, &one);
  }
}

/* Add the end of rank `rank` to that of all. */
static void add_end(struct ranks_end *e, unsigned rank,
                    const struct post_message *l, struct run_end *end)
{
  struct unpack u = unpack_start(l->bytes, l->len);
  struct rank_part *p = &e->part[rank];
  const int status = (int)unpack_u64(&u);
  const enum end_reason reason = (enum end_reason)unpack_u64(&u);
  const bool failed = unpack_u64(&u) == 1;
  char text[1024];
  uint64_t doubts;

  unpack_text(&u, text, sizeof(text));
  p->status = status;
  if (e->status == 0)
    e->status = status;
  if (failed && !end->error) {
    (void)err_set(e->error, 0, "process %u on %s: %.800s", rank, p->host, text);
    end->error = e->error->text;
  }
  if (end->reason == END_EVENTS && reason == END_TIME)
    end->reason = END_TIME;
  end->arrivals += unpack_u64(&u);
  end->backlog += unpack_u64(&u);
  end->member_arrivals += unpack_u64(&u);
  unpack_client(&u, &p->client);
  doubts = unpack_u64(&u);
  for (uint64_t i = 0; i < doubts && !u.failed; i++) {
    unpack_text(&u, text, sizeof(text));
    add_doubt(e, rank, text);
  }
  unpack_errors(e, &u);
  merge_facts(e, &u);
}

/* Processors of a host count once, even if several ranks run on it. */
static bool is_first_on_host(const struct ranks_end *e, unsigned rank)
{
  for (unsigned i = 0; i < rank; i++) {
    if (strcmp(e->part[i].host, e->part[rank].host) == 0)
      return false;
  }
  return true;
}

static void sum_clients(struct ranks_end *e, struct client_use *ret)
{
  struct client_use sum = { .queue_known = true };

  for (unsigned i = 0; i < e->size; i++) {
    const struct client_use *u = &e->part[i].client;

    if (e->part[i].lost)
      continue;
    if (u->wall_ns > sum.wall_ns)
      sum.wall_ns = u->wall_ns;
    sum.user_ns += u->user_ns;
    sum.system_ns += u->system_ns;
    sum.voluntary += u->voluntary;
    sum.involuntary += u->involuntary;
    sum.max_rss_bytes += u->max_rss_bytes;
    sum.queue_known &= u->queue_known;
    sum.queue_ns += u->queue_ns;
    if (is_first_on_host(e, i)) {
      sum.cpus += u->cpus;
      sum.quota += u->quota;
    }
  }
  *ret = sum;
}

static void say_lost(struct ranks_end *e, unsigned rank)
{
  if (cluster_is_lost(e->cluster, rank) ||
      post_leaving(cluster_post(e->cluster),
                   rank)) /* that rank has already said why */
    return;
  cluster_mark_lost(e->cluster, rank);
  log_msg(LOG_FATAL,
          "process %u on %s did not report how it ended: it was killed, or its "
          "machine cannot be reached",
          rank, cluster_host(e->cluster, rank));
}

static void gather_others(struct ranks_end *e, struct run_end *end)
{
  unsigned left_s = PATIENCE_S;

  for (unsigned i = 1; i < e->size; i++) {
    struct post_message *l = cluster_is_lost(e->cluster, i)
                               ? NULL
                               : post_await(cluster_post(e->cluster), POST_OVER,
                                            i, &left_s);

    if (l)
      add_end(e, i, l, end);
    else
      say_lost(e, i);
    free(l);
  }
}

/* All processes that are lost, in one doubt: what is gone with them, and why
 * intervals have more than totals. */
static void add_lost_doubt(struct ranks_end *e, const struct ranks_mail *mail)
{
  struct strbuf names = { 0 }, rest = { 0 };
  unsigned lost = 0;
  uint64_t events = 0;
  struct doubts *d = e->doubts;
  size_t at = d->n;

  for (unsigned i = 0; i < e->size; i++) {
    if (!e->part[i].lost)
      continue;
    strbuf_addf(&names, "%s%u on %s", lost > 0 ? ", " : "", i, e->part[i].host);
    events += mail->of[i].events;
    lost++;
  }
  if (events > 0)
    strbuf_addf(&rest,
                "; intervals have the %llu events that %s had reported before",
                (unsigned long long)events, lost == 1 ? "it" : "they");
  if (lost > 0)
    doubts_add(d, true, "lost_process",
               "process%s %.100s %s lost, and with %s %.0f %% of the load (%u "
               "of %u threads); totals are without all that %s did%s",
               lost == 1 ? "" : "es", strbuf_str(&names),
               lost == 1 ? "is" : "are", lost == 1 ? "it" : "them",
               100.0 * lost / e->size, lost * e->plan->threads,
               e->plan->all_threads, lost == 1 ? "it" : "they",
               strbuf_str(&rest));
  for (; at < d->n; at++)
    log_advise("%s", d->of[at].text);
  strbuf_done(&names);
  strbuf_done(&rest);
}

static void name_lost(struct ranks_end *e, unsigned rank, struct run_end *end)
{
  if (end->error)
    return;
  (void)err_set(e->error, 0,
                "process %u on %.200s was killed, or its machine cannot be "
                "reached",
                rank, e->part[rank].host);
  end->error = e->error->text;
}

void ranks_end_gather(struct ranks_end *e, const struct ranks_mail *mail,
                      struct run_end *end)
{
  e->part[0].status = end->status;
  e->part[0].client = end->client;
  if (end->doubts)
    *e->doubts = *end->doubts;
  add_own_doubts(e);
  /* Its facts are those of the run, in place; its errors are a list of its
   * own. */
  if (end->details)
    e->details = *end->details;
  e->details.error = NULL;
  e->details.n_errors = 0;
  for (size_t i = 0; end->details && i < end->details->n_errors; i++)
    add_error(e, &end->details->error[i]);

  gather_others(e, end);
  for (unsigned i = 0; i < e->size; i++) {
    struct rank_part *p = &e->part[i];

    p->lost = cluster_is_lost(e->cluster, i);
    p->start_known = cluster_start_error(e->cluster, i, &p->start_offset_ns);
    p->clock_error_ns = cluster_clock_error(e->cluster, i);
    if (p->lost && e->status == 0)
      e->status = 1;
    if (p->lost)
      name_lost(e, i, end);
  }
  add_lost_doubt(e, mail);
  if (cluster_any_lost(e->cluster)) {
    end->reason = END_ERROR;
    end->status = 1;
  }
  if (end->status == 0)
    end->status = e->status;
  end->start_skew_ns = cluster_skew(e->cluster);
  end->n_ranks = e->size;
  end->ranks = e->part;
  end->doubts = e->doubts;
  if (end->started)
    sum_clients(e, &end->client);
  if (end->details)
    end->details = &e->details;
}

void ranks_end_tell(struct ranks_end *e)
{
  unsigned char verdict[2] = { !cluster_any_lost(e->cluster), 0 };

  for (unsigned i = 0; i < e->size && i <= UINT8_MAX; i++) {
    if (cluster_is_lost(e->cluster, i))
      verdict[1] = (unsigned char)i;
  }
  (void)post_send_all(cluster_post(e->cluster), POST_VERDICT, verdict,
                      sizeof(verdict));
}
