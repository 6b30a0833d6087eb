/*
 * results.c - see results.h.
 *
 * Report thread and conductor take turns.  After a forced end, the report
 * thread can be stuck inside a file whose reader has stopped: the conductor
 * leaves that file to it.
 */
#include "results/results.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/machine/disk.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "opt/optset.h"
#include "report/life.h"
#include "report/marks.h"
#include "report/reporter.h"
#include "results/csv.h"
#include "results/document.h"
#include "results/event_log.h"
#include "results/hdr_log.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/live.h"
#include "results/outfile.h"
#include "results/prometheus.h"
#include "results/shared.h"
#include "results/summary.h"
#include "stats/report.h"

enum {
  KINDS = 8,
  GROWING = 3
};

struct growing {
  const struct reporter *reporter;
  struct outfile *file;
};

/* --stream: a JSON object per interval and line. */
struct stream {
  struct outfile file;
  const struct results_shared *shared;
};

static int stream_on_interval(void *ctx, const struct report_setup *setup,
                              const struct report *r, struct err *err)
{
  struct stream *s = ctx;
  json_t *value = json_interval(r, setup, s->shared, false);
  char *text = value ? jobj_line(value) : NULL;
  struct strbuf line = { 0 };
  int rc;

  if (text) {
    strbuf_adds(&line, text);
    strbuf_adds(&line, "\n");
  }
  if (!text || line.failed)
    rc = results_no_memory(err);
  else
    rc = outfile_put(&s->file, line.text, line.len, err);
  strbuf_done(&line);
  free(text);
  json_decref(value);
  return rc;
}

static int stream_on_end(void *ctx, struct err *err)
{
  return outfile_close(&((struct stream *)ctx)->file, err);
}

static const struct reporter stream_reporter = {
  .name = "stream",
  .interval = stream_on_interval,
  .end = stream_on_end,
};

struct results {
  /* 1: a thread uses the members below; waited for */
  _Atomic uint32_t busy;
  struct leave *leave; /* borrowed */
  struct results_shared shared;
  struct disk disk;
  struct sampler system;
  bool ended; /* no more reports */
  /* Left to the report thread, or NULL. */
  const struct outfile *left;
  bool impatient; /* of the conductor: waited in vain */

  struct reporter_use use[KINDS];
  size_t n;
  struct growing growing[GROWING];
  size_t n_growing;

  struct stream stream;
  struct csv csv;
  struct hdr_log hdr_log;
  struct event_log *event_log;
  struct prometheus *prometheus;
  struct live *live;
  struct document *document;
  struct summary *summary;
};

static void results_want(struct results *r, const struct reporter *reporter,
                         void *ctx)
{
  r->use[r->n++] = (struct reporter_use){ reporter, ctx };
}

static int results_want_growing(struct results *r,
                                const struct reporter *reporter, void *ctx,
                                struct outfile *file, const char *name,
                                struct err *err)
{
  results_want(r, reporter, ctx);
  r->growing[r->n_growing++] = (struct growing){ reporter, file };
  return outfile_open(file, name, err);
}

static int results_want_document(struct results *r,
                                 const struct results_cfg *cfg, bool keep,
                                 struct err *err)
{
  const bool live = cfg->live[0] != '\0';
  int rc;

  if (!live && !keep && cfg->json[0] == '\0')
    return 0;
  rc = document_new(&r->document, cfg->json[0] != '\0' ? cfg->json : NULL,
                    &r->shared, err);
  if (rc < 0)
    return rc;
  if (live)
    document_keep(r->document);
  if (keep)
    document_keep_copy(r->document);
  results_want(r, &document_reporter, r->document);
  return 0;
}

/* The reporters' order: the document reports the outcome of the others, and
 * the live page shows the document. */
static int results_open_all(struct results *r, const struct results_input *in,
                            struct err *err)
{
  const struct results_cfg *cfg = in->cfg;
  int rc = 0;

  if (rc == 0 && cfg->stream[0] != '\0')
    rc = results_want_growing(r, &stream_reporter, &r->stream, &r->stream.file,
                              cfg->stream, err);
  if (rc == 0 && cfg->csv[0] != '\0')
    rc = results_want_growing(r, &csv_reporter, &r->csv, &r->csv.file, cfg->csv,
                              err);
  if (rc == 0 && cfg->hdr_log[0] != '\0')
    rc = results_want_growing(r, &hdr_log_reporter, &r->hdr_log,
                              &r->hdr_log.file, cfg->hdr_log, err);
  if (rc == 0 && cfg->event_log[0] != '\0') {
    rc = event_log_new(&r->event_log, cfg->event_log, in->threads,
                       in->first_thread, err);
    results_want(r, &event_log_reporter, r->event_log);
  }
  if (rc == 0 && cfg->prometheus[0] != '\0') {
    rc = prometheus_new(&r->prometheus, cfg, &r->shared, err);
    results_want(r, &prometheus_reporter, r->prometheus);
  }
  if (rc == 0 && results_summary(cfg)[0] != '\0') {
    rc = summary_new(&r->summary, results_summary(cfg), &r->shared, err);
    results_want(r, &summary_reporter, r->summary);
  }
  if (rc == 0)
    rc = results_want_document(r, cfg, in->keep, err);
  if (rc == 0 && cfg->live[0] != '\0') {
    rc = live_new(&r->live, cfg, in->page, &r->shared, r->document, err);
    results_want(r, &live_reporter, r->live);
  }
  return rc;
}

/* From fileio's options. */
static const char *results_test_folder(const struct optset *set)
{
  static const char *const names[] = { "file-device", "file-dir" };

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    const struct opt_entry *e = optset_find(set, names[i]);

    if (e && *opt_get_string(e))
      return opt_get_string(e);
  }
  return ".";
}

int results_new(struct results **ret, const struct results_input *in,
                struct err *err)
{
  struct results *r;
  int rc;

  *ret = NULL;
  if (!results_wanted(in->cfg) && !in->keep)
    return 0;
  r = calloc(1, sizeof(*r));
  if (!r)
    return results_no_memory(err);
  r->leave = in->leave;
  disk_find(&r->disk, results_test_folder(in->set));
  r->shared.name = in->name;
  r->shared.version = in->version;
  r->shared.test = in->test;
  r->shared.set = in->set;
  r->shared.disk = &r->disk;
  r->shared.time_ns = r->shared.events = UINT64_MAX;
  r->stream.shared = r->csv.shared = r->hdr_log.shared = &r->shared;
  rc = results_open_all(r, in, err);
  if (rc < 0) {
    results_free(r);
    return rc;
  }
  *ret = r;
  return 0;
}

void results_free(struct results *r)
{
  struct err ignored;

  if (!r)
    return;
  /* end() has reported write errors. */
  (void)outfile_close(&r->stream.file, &ignored);
  (void)outfile_close(&r->csv.file, &ignored);
  (void)outfile_close(&r->hdr_log.file, &ignored);
  event_log_free(r->event_log);
  prometheus_free(r->prometheus);
  live_free(r->live);
  document_free(r->document);
  summary_free(r->summary);
  correlations_done(&r->shared.correlations);
  free(r);
}

void results_limits(struct results *r, uint64_t time_ns, uint64_t events)
{
  if (!r)
    return;
  r->shared.time_ns = time_ns;
  r->shared.events = events;
}

struct event_rings *results_event_rings(struct results *r)
{
  return r && r->event_log ? event_log_rings(r->event_log) : NULL;
}

uint64_t results_dropped(const struct results *r)
{
  return r ? r->shared.log.dropped : 0;
}

void results_set_monitor(struct results *r, struct monitor *monitor)
{
  if (r)
    r->shared.monitor = monitor;
}

void results_set_marks(struct results *r, const struct mark_fifo *marks)
{
  if (!r)
    return;
  r->shared.mark_fifo = marks;
  r->shared.marks = mark_fifo_marks(marks);
}

bool results_coincidence(const struct results *r, unsigned i,
                         struct strbuf *ret)
{
  if (!r || i >= r->shared.correlations.found.n)
    return false;
  correlations_sentence(&r->shared.correlations, i, ret);
  return true;
}

bool results_in_memory(const struct results *r)
{
  return r && r->document && document_in_memory(r->document);
}

bool results_document_written(const struct results *r)
{
  return r && r->document && document_written(r->document);
}

/* False: not in time. */
static bool results_take_until(struct results *r, uint64_t until_ns)
{
  uint32_t busy = 0;

  while (!atomic_compare_exchange_strong(&r->busy, &busy, 1)) {
    if (clock_now_ns() >= until_ns)
      return false;
    wait_while(&r->busy, 1, until_ns);
    busy = 0;
  }
  return true;
}

static void results_release(struct results *r)
{
  atomic_store(&r->busy, 0);
  wait_wake_all(&r->busy);
}

static void results_unwant(struct results *r, const struct reporter *reporter)
{
  size_t kept = 0;

  for (size_t i = 0; i < r->n; i++) {
    if (r->use[i].reporter != reporter)
      r->use[kept++] = r->use[i];
  }
  r->n = kept;
}

/* If the report thread is inside a file. */
static bool results_take_over(struct results *r)
{
  for (size_t i = 0; i < r->n_growing; i++) {
    const struct growing g = r->growing[i];

    if (outfile_leave(g.file)) {
      r->left = g.file;
      leave_thread(r->leave);
      results_unwant(r, g.reporter);
      r->growing[i] = r->growing[--r->n_growing];
      return true;
    }
  }
  return false;
}

/* By the conductor, after waiting for the report thread. */
static int results_take_at_end(struct results *r, struct err *err)
{
  const uint64_t patience = r->impatient ? 0 : OUTFILE_PATIENCE_NS;

  if (results_take_until(r, clock_now_ns() + patience) || results_take_over(r))
    return 0;
  r->impatient = true;
  return err_set(err, -EBUSY, "an earlier report is still being written");
}

static void results_keep_first(int *first, struct err *err, int rc,
                               const struct err *one)
{
  if (rc >= 0 || *first < 0)
    return;
  *first = rc;
  *err = *one;
}

/* Writes stored bytes, while leave_step() allows (NULL: always).  `rc`,
 * `err`: of earlier steps.  -ECANCELED: left behind, touch nothing. */
static int results_flush_all(struct results *r, struct leave *leave, int rc,
                             struct err *err)
{
  for (size_t i = 0; i < r->n_growing; i++) {
    struct err one = { "" };
    int one_rc;

    if (leave && !leave_step(leave))
      break;
    one_rc = outfile_flush(r->growing[i].file, &one);
    if (one_rc == -ECANCELED)
      return one_rc;
    err_prefix(&one, "%s", r->growing[i].reporter->name);
    results_keep_first(&rc, err, one_rc, &one);
  }
  return rc;
}

static int results_on_begin(void *ctx, const struct report_setup *setup,
                            struct err *err)
{
  struct results *r = ctx;
  const int rc = reporters_begin(r->use, r->n, setup, err);

  return results_flush_all(r, NULL, rc, err);
}

static int results_on_start(void *ctx, const struct run_start *start,
                            struct err *err)
{
  struct results *r = ctx;
  int rc;

  r->shared.start = *start;
  r->shared.started = true;
  sampler_start(&r->system, "", r->disk.device, start->start_ns);
  rc = reporters_start(r->use, r->n, start, err);
  return results_flush_all(r, NULL, rc, err);
}

/* These come at the end. */
static bool results_is_conductors(const struct report *report)
{
  return report->partial || report->kind == REPORT_FINAL ||
         report->kind == REPORT_FORCED;
}

/* Since the last interval; a partial interval is the last. */
static void results_next_marks(struct results_shared *s,
                               const struct report *report)
{
  s->marks_from = s->marks_to;
  s->marks_to = marks_until(s->marks,
                            report->partial ? UINT64_MAX : report->end_ns);
}

static int results_on_report(void *ctx, const struct report_setup *setup,
                             const struct report *report, struct err *err)
{
  struct results *r = ctx;
  int rc = 0;

  if (results_is_conductors(report))
    rc = results_take_at_end(r, err);
  else
    (void)results_take_until(r, WAIT_FOREVER);
  if (rc < 0)
    return rc;
  if (!r->ended) {
    if (report->kind == REPORT_INTERVAL) {
      results_next_marks(&r->shared, report);
      sampler_next(&r->system, report->end_ns, &r->shared.sys);
      correlations_add(&r->shared.correlations, report, &r->shared.sys,
                       r->shared.monitor);
    }
    rc = reporters_report(r->use, r->n, setup, report, err);
    /* The first write can last for ever: reporters first. */
    rc = results_flush_all(r, report->leave, rc, err);
  }
  if (rc == -ECANCELED)
    return 0;
  results_release(r);
  return rc;
}

static int results_on_over(void *ctx, const struct run_end *end,
                           struct err *err)
{
  struct results *r = ctx;
  int rc = results_take_at_end(r, err);

  if (rc < 0)
    return rc;
  if (r->event_log) {
    /* For the document, the last one. */
    r->shared.logged = true;
    event_log_tell(r->event_log, &r->shared.log);
  }
  correlations_judge(&r->shared.correlations);
  rc = reporters_over(r->use, r->n, end, err);
  if (r->event_log && event_log_is_left(r->event_log))
    leave_thread(r->leave);
  if (rc == 0 && r->left)
    rc = outfile_tell_left(r->left, err);
  results_release(r);
  return rc;
}

static int results_on_end(void *ctx, struct err *err)
{
  struct results *r = ctx;
  int rc = results_take_at_end(r, err);

  if (rc < 0)
    return rc;
  r->ended = true;
  rc = reporters_end(r->use, r->n, err);
  results_release(r);
  return rc;
}

const struct reporter results_reporter = {
  .name = "results",
  .begin = results_on_begin,
  .start = results_on_start,
  .interval = results_on_report,
  .checkpoint = results_on_report,
  .final = results_on_report,
  .over = results_on_over,
  .end = results_on_end,
};
