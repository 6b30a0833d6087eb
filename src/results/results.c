/*
 * results.c - the results that machines read, behind one reporter.
 *
 * The report thread and the conductor both come here.  They take turns, except
 * after a forced end, when the report thread may be anywhere: hence the lock,
 * and the end of patience with it.
 */
#include "results/results.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "opt/optset.h"
#include "report/life.h"
#include "results/csv.h"
#include "results/disk.h"
#include "results/document.h"
#include "results/event_log.h"
#include "results/hdr_log.h"
#include "results/prometheus.h"
#include "results/shared.h"
#include "results/stream.h"
#include "stats/report.h"

enum {
  KINDS = 6
};

/* How long to wait for a report thread that is stuck in a file. */
#define PATIENCE_NS (5 * NS_PER_S)

struct results {
  pthread_mutex_t lock; /* protects the rest */
  struct results_shared shared;
  struct disk disk;
  struct system_watch system;
  bool ended; /* nothing may be reported any more */

  struct reporter_use use[KINDS]; /* those that are wanted */
  size_t n;

  struct stream stream;
  struct csv csv;
  struct hdr_log hdr_log;
  struct event_log *event_log;
  struct prometheus *prometheus;
  struct document *document;
};

static void want(struct results *r, const struct reporter *reporter, void *ctx)
{
  r->use[r->n++] = (struct reporter_use){ reporter, ctx };
}

/* The order is that in which they learn of things: the document comes last,
 * because it tells what became of the others. */
static int open_all(struct results *r, const struct results_input *in,
                    struct err *err)
{
  const struct results_cfg *cfg = in->cfg;
  int rc = 0;

  if (rc == 0 && cfg->stream[0] != '\0') {
    rc = outfile_open(&r->stream.file, cfg->stream, err);
    want(r, &stream_reporter, &r->stream);
  }
  if (rc == 0 && cfg->csv[0] != '\0') {
    rc = outfile_open(&r->csv.file, cfg->csv, err);
    want(r, &csv_reporter, &r->csv);
  }
  if (rc == 0 && cfg->hdr_log[0] != '\0') {
    rc = outfile_open(&r->hdr_log.file, cfg->hdr_log, err);
    want(r, &hdr_log_reporter, &r->hdr_log);
  }
  if (rc == 0 && cfg->event_log[0] != '\0') {
    rc = event_log_new(&r->event_log, cfg->event_log, in->threads,
                       in->first_thread, err);
    want(r, &event_log_reporter, r->event_log);
  }
  if (rc == 0 && cfg->prometheus[0] != '\0') {
    rc = prometheus_new(&r->prometheus, cfg->prometheus, &r->shared, err);
    want(r, &prometheus_reporter, r->prometheus);
  }
  if (rc == 0 && cfg->json[0] != '\0') {
    rc = document_new(&r->document, cfg->json, &r->shared, err);
    want(r, &document_reporter, r->document);
  }
  return rc;
}

/* The folder of the test: fileio has an option for it. */
static const char *test_folder(const struct optset *set)
{
  const struct opt_entry *e = optset_find(set, "file-dir");
  const char *folder = e ? opt_get_string(e) : "";

  return folder[0] != '\0' ? folder : ".";
}

int results_new(struct results **ret, const struct results_input *in,
                struct err *err)
{
  struct results *r;
  int rc;

  *ret = NULL;
  if (!results_wanted(in->cfg))
    return 0;
  rc = results_check(in->cfg, err);
  if (rc < 0)
    return rc;
  r = calloc(1, sizeof(*r));
  if (!r)
    return results_no_memory(err);
  (void)pthread_mutex_init(&r->lock, NULL); /* cannot fail */
  disk_find(&r->disk, test_folder(in->set));
  r->shared.name = in->name;
  r->shared.version = in->version;
  r->shared.test = in->test;
  r->shared.set = in->set;
  r->shared.disk = &r->disk;
  r->stream.shared = r->csv.shared = r->hdr_log.shared = &r->shared;
  rc = open_all(r, in, err);
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

  if (!r || results_left(r))
    return;
  /* What was written was told by end(). */
  (void)outfile_close(&r->stream.file, &ignored);
  (void)outfile_close(&r->csv.file, &ignored);
  (void)outfile_close(&r->hdr_log.file, &ignored);
  event_log_free(r->event_log);
  prometheus_free(r->prometheus);
  document_free(r->document);
  (void)pthread_mutex_destroy(&r->lock);
  free(r);
}

bool results_left(const struct results *r)
{
  return r && r->event_log && event_log_is_left(r->event_log);
}

struct event_rings *results_event_rings(struct results *r)
{
  return r && r->event_log ? event_log_rings(r->event_log) : NULL;
}

uint64_t results_dropped(const struct results *r)
{
  return r ? r->shared.log.dropped : 0;
}

bool results_document_written(const struct results *r)
{
  return r && r->document && document_written(r->document);
}

static int take_lock(struct results *r, struct err *err)
{
  const struct timespec pause = { .tv_nsec = (long)(5 * NS_PER_MS) };
  const uint64_t until = clock_now_ns() + PATIENCE_NS;

  while (pthread_mutex_trylock(&r->lock) != 0) {
    if (clock_now_ns() >= until)
      return err_set(err, -EBUSY, "a file does not take what is written to it");
    (void)nanosleep(&pause, NULL); /* interrupted: look again at once */
  }
  return 0;
}

static void release(struct results *r)
{
  (void)pthread_mutex_unlock(&r->lock);
}

static int on_begin(void *ctx, const struct report_setup *setup,
                    struct err *err)
{
  struct results *r = ctx;

  return reporters_begin(r->use, r->n, setup, err);
}

static int on_start(void *ctx, const struct run_start *start, struct err *err)
{
  struct results *r = ctx;

  r->shared.start = *start;
  r->shared.started = true;
  system_start(&r->system, "", r->disk.device, start->start_ns);
  return reporters_start(r->use, r->n, start, err);
}

static int on_report(void *ctx, const struct report_setup *setup,
                     const struct report *report, struct err *err)
{
  struct results *r = ctx;
  int rc = take_lock(r, err);

  if (rc < 0)
    return rc;
  if (!r->ended) {
    if (report->kind == REPORT_INTERVAL)
      system_next(&r->system, report->end_ns, &r->shared.sys);
    rc = reporters_report(r->use, r->n, setup, report, err);
  }
  release(r);
  return rc;
}

static int on_over(void *ctx, const struct run_end *end, struct err *err)
{
  struct results *r = ctx;
  int rc = take_lock(r, err);

  if (rc < 0)
    return rc;
  if (r->event_log) {
    /* The document, which comes last, finds the numbers there. */
    r->shared.logged = true;
    event_log_tell(r->event_log, &r->shared.log);
  }
  rc = reporters_over(r->use, r->n, end, err);
  release(r);
  return rc;
}

static int on_end(void *ctx, struct err *err)
{
  struct results *r = ctx;
  int rc = take_lock(r, err);

  if (rc < 0)
    return rc;
  r->ended = true;
  rc = reporters_end(r->use, r->n, err);
  release(r);
  return rc;
}

const struct reporter results_reporter = {
  .name = "results",
  .begin = on_begin,
  .start = on_start,
  .interval = on_report,
  .checkpoint = on_report,
  .final = on_report,
  .over = on_over,
  .end = on_end,
};
