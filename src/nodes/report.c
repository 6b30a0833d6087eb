/*
 * report.c - on rank 0, each report waits for those of the others about the
 * same moment, before the real reporters get it. A late interval is merged with
 * the next line, a checkpoint waits for all, and the last report includes the
 * rest.
 */
#include "nodes/report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/facts.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "nodes/cluster.h"
#include "nodes/mail.h"
#include "nodes/merge.h"
#include "nodes/nodes.h"
#include "nodes/pack.h"
#include "nodes/post.h"
#include "report/life.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/runner.h"
#include "stats/report.h"

struct nodes_end {
  struct cluster *cluster;
  const struct plan *plan;
  const struct report_setup *setup; /* of the last report */
  uint64_t events;
  unsigned rank, size;
  struct rank_part *part;    /* owned; [size]; on rank 0 */
  struct merge **merge;      /* owned; [size] */
  struct warnings *warnings; /* owned; of all ranks */
  struct test_details details;
  struct err *error; /* owned; of another rank */
  int status;        /* the first of other ranks other than 0 */
};

enum {
  PERCENTILE_MIN = 10, /* columns */
};

static double text_milliseconds(double ns)
{
  return ns / (double)NS_PER_MS;
}

/* `width` of the percentile's column; 0: none. */
static void text_add_row(struct strbuf *b, const struct rank_part *p,
                         double percentile, int width)
{
  const double seconds = (double)p->period_ns / (double)NS_PER_S;
  const double cpu_ns = (double)(p->client.user_ns + p->client.system_ns);
  const struct report r = { .events = p->events,
                            .min_ns = p->min_ns,
                            .max_ns = p->max_ns,
                            .hist = p->hist };

  strbuf_addf(b, "    %4u  %-20s", p->rank, p->host);
  if (p->lost) {
    strbuf_adds(b, "  lost\n");
    return;
  }
  strbuf_addf(b, " %7u %12llu %12.2f %8llu", p->threads,
              (unsigned long long)p->events,
              seconds > 0.0 ? (double)p->events / seconds : 0.0,
              (unsigned long long)p->errors);
  strbuf_addf(b, " %10.2f %10.2f",
              p->events > 0
                ? text_milliseconds((double)p->sum_ns / (double)p->events)
                : 0.0,
              text_milliseconds((double)p->max_ns));
  if (width > 0)
    strbuf_addf(b, " %*.2f", width,
                text_milliseconds((double)report_percentile(&r, percentile)));
  strbuf_addf(b, " %6.1f%%",
              p->client.wall_ns > 0 ? 100.0 * cpu_ns / (double)p->client.wall_ns
                                    : 0.0);
  if (p->start_known)
    strbuf_addf(b, " %11.3f\n", text_milliseconds((double)p->start_offset_ns));
  else
    strbuf_addf(b, " %11s\n", "-");
}

static void text_print_table(struct nodes_end *e)
{
  const double percentile = e->setup ? e->setup->percentile : 0.0;
  struct strbuf b = { 0 };
  char number[FMT_DOUBLE_SIZE], title[FMT_DOUBLE_SIZE + sizeof("th, ms")] = "";
  int width = 0;

  if (percentile > 0.0) {
    width = snprintf(title, sizeof(title), "%sth, ms",
                     fmt_shortest(number, percentile));
    if (width < PERCENTILE_MIN)
      width = PERCENTILE_MIN;
  }
  strbuf_addf(&b,
              "Processes:\n    rank  host                 threads       events "
              "    events/s   errors    avg, ms    max, ms");
  if (width > 0)
    strbuf_addf(&b, " %*s", width, title);
  strbuf_addf(&b, "     CPU   start, ms\n");
  for (unsigned i = 0; i < e->size; i++)
    text_add_row(&b, &e->part[i], percentile, width);
  strbuf_addf(&b, "\n");
  log_msg(LOG_NOTICE, "%s", strbuf_str(&b));
  strbuf_done(&b);
}

/* On stderr. */
static void nodes_end_print(struct nodes_end *e, const struct run_end *end,
                            bool table)
{
  uint64_t error_ns = 0;

  for (unsigned i = 0; i < e->size; i++) {
    if (e->part[i].clock_error_ns > error_ns)
      error_ns = e->part[i].clock_error_ns;
  }
  if (!end->started)
    return;
  if (table)
    text_print_table(e);
  if (log_get_level() < LOG_NOTICE)
    return;
  log_flush();
  (void)fprintf(stderr,
                "cluster: started within %.3f ms (clocks known to %.3f ms)\n",
                text_milliseconds((double)end->start_skew_ns),
                text_milliseconds((double)error_ns));
}

enum {
  PATIENCE_S = 30,
};

static int nodes_end_init(struct nodes_end *e, struct cluster *cluster,
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
  e->warnings = calloc(1, sizeof(*e->warnings));
  e->error = calloc(1, sizeof(*e->error));
  if (!e->part || !e->merge || !e->warnings || !e->error)
    return err_set(err, -ENOMEM, "not enough memory");
  for (unsigned i = 0; i < e->size && rc == 0; i++) {
    e->part[i].rank = i;
    e->part[i].host = cluster_host(cluster, i);
    e->part[i].first_thread = i * plan->threads;
    rc = merge_new(&e->merge[i], err);
  }
  return rc;
}

static void nodes_end_done(struct nodes_end *e)
{
  for (unsigned i = 0; e->merge && i < e->size; i++)
    merge_free(e->merge[i]);
  free(e->merge);
  free(e->part);
  free(e->warnings);
  free(e->error);
  free(e->details.error);
}

static int nodes_end_part(struct nodes_end *e, unsigned rank, struct unpack *u,
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

static void report_end_pack_client(struct strbuf *b, const struct client_use *u)
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

static void report_end_unpack_client(struct unpack *u, struct client_use *ret)
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

static void report_end_pack_facts(struct strbuf *b,
                                  const struct test_details *d)
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

static void report_end_merge_facts(struct nodes_end *e, struct unpack *u)
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

static void report_end_pack_errors(struct strbuf *b,
                                   const struct test_details *d)
{
  pack_u64(b, d ? d->n_errors : 0);
  for (size_t i = 0; d && i < d->n_errors; i++)
    merge_error_pack(b, &d->error[i]);
}

static void nodes_end_send(struct nodes_end *e, const struct run_end *end)
{
  struct strbuf b = { 0 };

  pack_u64(&b, (uint64_t)end->status);
  pack_u64(&b, (uint64_t)end->reason);
  pack_u64(&b, end->error != NULL);
  pack_text(&b, end->error ? end->error : "");
  pack_u64(&b, end->arrivals);
  pack_u64(&b, end->backlog);
  pack_u64(&b, end->member_arrivals);
  report_end_pack_client(&b, &end->client);
  pack_u64(&b, end->warnings->n);
  for (size_t i = 0; i < end->warnings->n; i++)
    pack_text(&b, end->warnings->of[i].text);
  report_end_pack_errors(&b, end->details);
  report_end_pack_facts(&b, end->details);
  if (!b.failed)
    (void)post_send(cluster_post(e->cluster), 0, POST_OVER, strbuf_str(&b),
                    b.len);
  strbuf_done(&b);
}

static bool nodes_end_await(struct nodes_end *e)
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
    if (!complete) /* nobody may wait for the engine's end */
      cluster_mark_lost(e->cluster, l->len > 1 ? l->bytes[1] : 0);
  }
  free(l);
  return complete;
}

static void report_end_add_doubt(struct nodes_end *e, unsigned rank,
                                 const char *text)
{
  struct warnings *d = e->warnings;
  struct warning *to;

  if (d->n >= WARNINGS_MAX)
    return;
  to = &d->of[d->n++];
  to->code = "other_process";
  to->shown = false;
  (void)snprintf(to->text, sizeof(to->text), "process %u on %s, %.250s", rank,
                 e->part[rank].host, text);
}

static void report_end_add_own_doubts(struct nodes_end *e)
{
  struct warnings *d = e->warnings;
  size_t i = d->n;

  if (e->setup)
    warnings_add_samples(d, e->setup, e->events);
  for (; i < d->n; i++) {
    if (d->of[i].shown)
      log_advise("%s", d->of[i].text);
  }
}

static struct error_count *report_end_error_of(struct test_details *d,
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

static void report_end_add_error(struct nodes_end *e,
                                 const struct error_count *one)
{
  struct error_count *sum = report_end_error_of(&e->details, one);

  if (sum)
    sum->count += one->count;
}

static void report_end_unpack_errors(struct nodes_end *e, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  for (uint64_t i = 0; i < n && !u->failed; i++) {
    struct error_count one;

    merge_error_unpack(u, &one);
    if (!u->failed)
      report_end_add_error(e, &one);
  }
}

static void report_end_add(struct nodes_end *e, unsigned rank,
                           const struct post_message *l, struct run_end *end)
{
  struct unpack u = unpack_start(l->bytes, l->len);
  struct rank_part *p = &e->part[rank];
  const int status = (int)unpack_u64(&u);
  const enum end_reason reason = (enum end_reason)unpack_u64(&u);
  const bool failed = unpack_u64(&u) == 1;
  char text[1024];
  uint64_t warnings;

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
  report_end_unpack_client(&u, &p->client);
  warnings = unpack_u64(&u);
  for (uint64_t i = 0; i < warnings && !u.failed; i++) {
    unpack_text(&u, text, sizeof(text));
    report_end_add_doubt(e, rank, text);
  }
  report_end_unpack_errors(e, &u);
  report_end_merge_facts(e, &u);
}

/* CPUs of a host count once. */
static bool report_end_is_first_on_host(const struct nodes_end *e,
                                        unsigned rank)
{
  for (unsigned i = 0; i < rank; i++) {
    if (strcmp(e->part[i].host, e->part[rank].host) == 0)
      return false;
  }
  return true;
}

static void report_end_sum_clients(struct nodes_end *e, struct client_use *ret)
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
    if (report_end_is_first_on_host(e, i)) {
      sum.cpus += u->cpus;
      sum.quota += u->quota;
    }
  }
  *ret = sum;
}

static void report_end_say_lost(struct nodes_end *e, unsigned rank)
{
  if (cluster_is_lost(e->cluster, rank) ||
      post_leaving(cluster_post(e->cluster),
                   rank)) /* the rank has reported why */
    return;
  cluster_mark_lost(e->cluster, rank);
  log_msg(LOG_FATAL,
          "process %u on %s did not report how it ended: it was killed, or its "
          "machine cannot be reached",
          rank, cluster_host(e->cluster, rank));
}

static void report_end_gather_others(struct nodes_end *e, struct run_end *end)
{
  unsigned left_s = PATIENCE_S;

  for (unsigned i = 1; i < e->size; i++) {
    struct post_message *l = cluster_is_lost(e->cluster, i)
                               ? NULL
                               : post_await(cluster_post(e->cluster), POST_OVER,
                                            i, &left_s);

    if (l)
      report_end_add(e, i, l, end);
    else
      report_end_say_lost(e, i);
    free(l);
  }
}

static void report_end_add_lost_doubt(struct nodes_end *e,
                                      const struct nodes_mail *mail)
{
  struct strbuf names = { 0 }, rest = { 0 };
  unsigned lost = 0;
  uint64_t events = 0;
  struct warnings *d = e->warnings;
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
    warnings_add(
      d, true, "lost_process",
      "process%s %.100s %s lost, and with %s %.0f %% of the load (%u "
      "of %u threads); totals are without all that %s did%s",
      lost == 1 ? "" : "es", strbuf_str(&names), lost == 1 ? "is" : "are",
      lost == 1 ? "it" : "them", 100.0 * lost / e->size,
      lost * e->plan->threads, e->plan->all_threads, lost == 1 ? "it" : "they",
      strbuf_str(&rest));
  for (; at < d->n; at++)
    log_advise("%s", d->of[at].text);
  strbuf_done(&names);
  strbuf_done(&rest);
}

static void report_end_name_lost(struct nodes_end *e, unsigned rank,
                                 struct run_end *end)
{
  if (end->error)
    return;
  (void)err_set(e->error, 0,
                "process %u on %.200s was killed, or its machine cannot be "
                "reached",
                rank, e->part[rank].host);
  end->error = e->error->text;
}

/* On rank 0: *end becomes the end of all ranks. */
static void nodes_end_gather(struct nodes_end *e, const struct nodes_mail *mail,
                             struct run_end *end)
{
  e->part[0].status = end->status;
  e->part[0].client = end->client;
  if (end->warnings)
    *e->warnings = *end->warnings;
  report_end_add_own_doubts(e);
  /* Facts are those of the run; errors need a list of their own. */
  if (end->details)
    e->details = *end->details;
  e->details.error = NULL;
  e->details.n_errors = 0;
  for (size_t i = 0; end->details && i < end->details->n_errors; i++)
    report_end_add_error(e, &end->details->error[i]);

  report_end_gather_others(e, end);
  for (unsigned i = 0; i < e->size; i++) {
    struct rank_part *p = &e->part[i];

    p->lost = cluster_is_lost(e->cluster, i);
    p->start_known = cluster_start_error(e->cluster, i, &p->start_offset_ns);
    p->clock_error_ns = cluster_clock_error(e->cluster, i);
    if (p->lost && e->status == 0)
      e->status = 1;
    if (p->lost)
      report_end_name_lost(e, i, end);
  }
  report_end_add_lost_doubt(e, mail);
  if (cluster_any_lost(e->cluster)) {
    end->reason = END_ERROR;
    end->status = 1;
  }
  if (end->status == 0)
    end->status = e->status;
  end->start_skew_ns = cluster_skew(e->cluster);
  end->n_ranks = e->size;
  end->ranks = e->part;
  end->warnings = e->warnings;
  if (end->started)
    report_end_sum_clients(e, &end->client);
  if (end->details)
    end->details = &e->details;
}

/* Others can remove their own files. */
static void nodes_end_tell(struct nodes_end *e)
{
  unsigned char verdict[2] = { !cluster_any_lost(e->cluster), 0 };

  for (unsigned i = 0; i < e->size && i <= UINT8_MAX; i++) {
    if (cluster_is_lost(e->cluster, i))
      verdict[1] = (unsigned char)i;
  }
  (void)post_send_all(cluster_post(e->cluster), POST_VERDICT, verdict,
                      sizeof(verdict));
}

struct nodes_report {
  struct nodes_report_setup set;
  struct cluster *cluster;
  struct post *post;
  unsigned rank, size;
  struct merge *merge, *total; /* owned; on rank 0 */
  struct nodes_mail mail;      /* on rank 0 */
  struct nodes_end end;
  /* On other ranks: rank 0 has everything. */
  bool complete;
};

static int report_merge_line(struct nodes_report *k,
                             const struct report_setup *setup,
                             const struct report *r, struct report *ret)
{
  int rc;

  merge_clear(k->merge);
  rc = merge_add_report(k->merge, r);
  if (rc == 0)
    rc = nodes_mail_add_line(&k->mail, r, k->merge);
  *ret = *r;
  merge_report(k->merge, setup, ret);
  merge_of_all(ret, k->set.plan->all_threads);
  return rc;
}

static int report_no_memory(struct err *err, int rc)
{
  return err_set(err, rc, "the reports of the processes cannot be merged");
}

static int report_send(struct nodes_report *k, const struct report *r)
{
  struct strbuf b = { 0 };
  int rc;

  nodes_mail_pack(&b, r);
  rc = b.failed ? -ENOMEM
                : post_send(k->post, 0, POST_REPORT, strbuf_str(&b), b.len);
  strbuf_done(&b);
  return rc;
}

static int report_forward(struct nodes_report *k,
                          const struct report_setup *setup,
                          const struct report *r, struct err *err)
{
  return reporters_report(k->set.reporters, k->set.n_reporters, setup, r, err);
}

/* The run is over, or late ranks report later. */
static bool report_is_idle(const struct report *r)
{
  bool idle = r->kind == REPORT_INTERVAL && !r->partial &&
              r->threads_running == 0 && r->arrivals == 0;

  for (int c = 0; c < COUNTERS; c++)
    idle = idle && r->counter[c] == 0;
  return idle;
}

static int report_on_line(void *ctx, const struct report_setup *setup,
                          const struct report *r, struct err *err)
{
  struct nodes_report *k = ctx;
  struct report whole;
  int rc = k->rank == 0 ? report_merge_line(k, setup, r, &whole)
                        : report_send(k, r);
  int later;

  if (rc < 0)
    rc = report_no_memory(err, rc);
  else if (k->rank == 0 && report_is_idle(&whole))
    return 0;
  later = report_forward(k, setup, k->rank == 0 ? &whole : r, err);
  return rc < 0 ? rc : later;
}

/* `more`: the first sum has a checkpoint. */
static int report_add_final(struct nodes_report *k, unsigned rank,
                            const struct post_message *l, bool more,
                            struct report *r, struct report *total)
{
  struct unpack u = unpack_start(l->bytes, l->len);
  const struct nodes_mail_head h = nodes_mail_head(&u);
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
  return rc < 0 ? rc : nodes_end_part(&k->end, rank, &again, k->end.setup);
}

static int report_merge_final(struct nodes_report *k,
                              const struct report_setup *setup,
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
  rc = nodes_mail_own(own, &l);
  if (rc == 0)
    rc = report_add_final(k, 0, l, false, r, total);
  free(l);
  for (unsigned i = 1; i < k->size && rc == 0; i++) {
    l = nodes_mail_final(&k->mail, i);
    if (!l)
      continue;
    /* Checkpoints that rank 0 has not made, or not waited for. */
    rc = nodes_mail_add_left(&k->mail, i, REPORT_CHECKPOINT, k->merge, &more);
    if (rc == 0)
      rc = report_add_final(k, i, l, more, r, total);
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

/* Intervals after the last line of rank 0 make one more line. */
static int report_flush_lines(struct nodes_report *k,
                              const struct report_setup *setup,
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
    rc = nodes_mail_add_left(&k->mail, i, REPORT_INTERVAL, k->merge, &any);
  if (rc < 0)
    return report_no_memory(err, rc);
  if (merge_count(k->merge) == 0)
    return 0;
  merge_report(k->merge, setup, &r);
  merge_of_all(&r, k->set.plan->all_threads);
  return report_forward(k, setup, &r, err);
}

static int report_on_final(void *ctx, const struct report_setup *setup,
                           const struct report *own, struct err *err)
{
  struct nodes_report *k = ctx;
  struct report r, total;
  int rc, later;

  k->end.setup = setup;
  if (k->rank == 0) {
    for (unsigned i = 1; i < k->size; i++)
      (void)nodes_mail_final(&k->mail, i);
    rc = setup->details ? report_flush_lines(k, setup, own, err) : 0;
    if (rc < 0)
      return rc;
    rc = report_merge_final(k, setup, own, &r, &total);
    k->end.events = r.total ? total.events : r.events;
  } else {
    rc = report_send(k, own);
  }
  if (rc < 0)
    rc = report_no_memory(err, rc);
  later = report_forward(k, setup, k->rank == 0 ? &r : own, err);
  return rc < 0 ? rc : later;
}

static int report_on_begin(void *ctx, const struct report_setup *setup,
                           struct err *err)
{
  struct nodes_report *k = ctx;

  return reporters_begin(k->set.reporters, k->set.n_reporters, setup, err);
}

static int report_on_start(void *ctx, const struct run_start *start,
                           struct err *err)
{
  struct nodes_report *k = ctx;
  struct run_start whole = *start;

  if (k->rank == 0) {
    whole.threads = k->set.plan->all_threads;
    whole.carriers = start->carriers * k->set.plan->parts;
    whole.idle = start->idle * k->set.plan->parts;
  }
  return reporters_start(k->set.reporters, k->set.n_reporters, &whole, err);
}

static int report_on_over(void *ctx, const struct run_end *end, struct err *err)
{
  struct nodes_report *k = ctx;
  struct run_end whole = *end;
  int rc;

  if (k->rank == 0) {
    nodes_end_gather(&k->end, &k->mail, &whole);
    rc = reporters_over(k->set.reporters, k->set.n_reporters, &whole, err);
    nodes_end_tell(&k->end);
    nodes_end_print(&k->end, &whole, k->set.table);
    return rc;
  }
  nodes_end_send(&k->end, end);
  rc = reporters_over(k->set.reporters, k->set.n_reporters, end, err);
  k->complete = nodes_end_await(&k->end);
  return rc;
}

static int report_on_end(void *ctx, struct err *err)
{
  struct nodes_report *k = ctx;

  return reporters_end(k->set.reporters, k->set.n_reporters, err);
}

const struct reporter nodes_reporter = {
  .name = "cluster",
  .begin = report_on_begin,
  .start = report_on_start,
  .interval = report_on_line,
  .checkpoint = report_on_line,
  .final = report_on_final,
  .over = report_on_over,
  .end = report_on_end,
};

static int report_make_merges(struct nodes_report *k, struct err *err)
{
  int rc = merge_new(&k->merge, err);

  if (rc == 0)
    rc = merge_new(&k->total, err);
  if (rc < 0)
    return rc;
  rc = nodes_mail_init(&k->mail, k->cluster, k->set.plan, err);
  if (rc < 0)
    return rc;
  return 0;
}

int nodes_report_new(struct nodes_report **ret,
                     const struct nodes_report_setup *setup, struct err *err)
{
  struct nodes_report *k = calloc(1, sizeof(*k));
  int rc;

  if (!k)
    return err_set(err, -ENOMEM, "not enough memory");
  k->set = *setup;
  k->cluster = setup->ranks->cluster;
  k->post = cluster_post(k->cluster);
  k->rank = setup->ranks->rank;
  k->size = setup->ranks->size;
  rc = nodes_end_init(&k->end, k->cluster, setup->plan, err);
  if (rc == 0 && k->rank == 0)
    rc = report_make_merges(k, err);
  if (rc < 0) {
    nodes_report_free(k);
    return rc;
  }
  *ret = k;
  return 0;
}

void nodes_report_free(struct nodes_report *k)
{
  if (!k)
    return;
  nodes_mail_done(&k->mail);
  merge_free(k->merge);
  merge_free(k->total);
  nodes_end_done(&k->end);
  free(k);
}

int nodes_report_status(const struct nodes_report *k, int status)
{
  if (k->rank != 0)
    return status;
  if (cluster_any_lost(k->cluster))
    return EXIT_FAILED;
  return status != EXIT_OK ? status : k->end.status;
}

bool nodes_report_complete(const struct nodes_report *k)
{
  return k->complete;
}
