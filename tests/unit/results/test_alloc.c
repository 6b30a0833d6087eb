/*
 * test_alloc.c - the n-th allocation fails between the recorders of a
 * run and its reports: text, histograms, the JSON document.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/machine/disk.h"
#include "base/strbuf.h"
#include "db/figures/sql_form.h"
#include "opt/optset.h"
#include "report/life.h"
#include "report/text.h"
#include "results/document.h"
#include "results/hdr_log.h"
#include "results/shared.h"
#include "stats/report.h"
#include "tests/unit/tap.h"
#include "tests/unit/torture.h"
#include "tools/hdr_decode.h"

static const double asked[] = { 50, 99.9 };
static const struct report_setup setup = {
  .percentile = 95,
  .n_percentiles = 2,
  .percentiles = asked,
  .histogram = true,
  .details = true,
};

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "the test's own");
}

struct period {
  struct recorders rs;
  struct snapshot before, now;
  struct hist_sum *diff;
  struct report_thread thread[3];
  struct report report;
};

static void period_done(struct period *p)
{
  hist_sum_free(p->diff);
  snapshot_done(&p->now);
  snapshot_done(&p->before);
  recorders_done(&p->rs);
}

/* Three workers with some events each. */
static int period_init(struct period *p, struct err *err)
{
  int rc = recorders_init(&p->rs, 3, true, err);

  if (rc == 0)
    rc = snapshot_init(&p->before, &p->rs, err);
  if (rc == 0)
    rc = snapshot_init(&p->now, &p->rs, err);
  if (rc == 0) {
    p->diff = hist_sum_new();
    rc = p->diff ? 0 : no_memory(err);
  }
  if (rc < 0)
    return rc;
  snapshot_take(&p->before, &p->rs, 0);
  for (uint64_t i = 0; i < 300; i++)
    recorder_event(&p->rs, &p->rs.of[i % 3], 1000 * i + 1);
  snapshot_take(&p->now, &p->rs, 1000000000);
  p->report = (struct report){ .kind = REPORT_FINAL,
                               .form = &sql_form,
                               .elapsed_ns = 1000000000,
                               .threads = 3,
                               .thread = p->thread };
  report_fill(&p->report, &setup, &p->before, &p->now, p->now.min_ns,
              p->now.max_ns, p->diff);
  return 0;
}

static int print(void *ctx, struct err *err)
{
  struct period p = { .diff = NULL };
  struct strbuf out = { 0 };
  int rc = period_init(&p, err);

  (void)ctx;
  if (rc == 0) {
    text_results(&out, &setup, &p.report);
    text_common(&out, &setup, &p.report);
    text_percentiles(&out, &setup, &p.report);
    rc = text_histogram(&out, &p.report);
    if (rc == -ENOMEM || out.failed)
      rc = no_memory(err);
    else if (p.report.events != 300 || out.len < 1000)
      rc = -EIO;
  }
  strbuf_done(&out);
  period_done(&p);
  return rc;
}

static int encode(void *ctx, struct err *err)
{
  struct hist_sum *back = hist_sum_new();
  struct period p = { .diff = NULL };
  struct strbuf text = { 0 };
  int rc = back ? period_init(&p, err) : no_memory(err);

  (void)ctx;
  if (rc == 0) {
    rc = hdr_encode_text(&text, p.diff);
    if (rc == 0)
      rc = hdr_decode_text(back, strbuf_str(&text));
    if (rc == -ENOMEM)
      rc = no_memory(err);
    if (rc == 0 && memcmp(back, p.diff, sizeof(*back)) != 0)
      rc = -EIO;
  }
  strbuf_done(&text);
  hist_sum_free(back);
  period_done(&p);
  return rc;
}

/* ---- the document ---- */

struct place {
  char path[64];
  size_t members; /* members of a whole document; 0: not known yet */
};

/* Counts members at any depth. */
static size_t count_members(const json_t *j)
{
  const json_t *value;
  const char *key;
  size_t n = 0, i;

  json_object_foreach((json_t *)(uintptr_t)j, key, value)
    n += 1 + count_members(value);
  json_array_foreach(j, i, value) n += 1 + count_members(value);
  return n;
}

/* The file that was written is a whole document. */
static int check_document(struct place *place)
{
  json_t *j;
  size_t n;

  torture_pause(true);
  j = json_load_file(place->path, 0, NULL);
  n = j ? count_members(j) : 0;
  json_decref(j);
  torture_pause(false);
  if (place->members == 0)
    place->members = n;
  return n > 0 && n == place->members ? 0 : -EIO;
}

static int report(struct document *d, const struct period *p, struct err *err)
{
  static const struct warnings none = { 0 };
  const struct reporter *r = &document_reporter;
  const struct run_end end = {
    .reason = END_TIME, .started = true, .end_ns = 1000000000, .warnings = &none
  };
  struct report interval = p->report;
  int rc = r->begin(d, &setup, err);

  interval.kind = REPORT_INTERVAL;
  if (rc == 0)
    rc = r->interval(d, &setup, &interval, err);
  if (rc == 0)
    rc = r->final(d, &setup, &p->report, err);
  if (rc == 0)
    rc = r->over(d, &end, err);
  return rc;
}

static int write_document(void *ctx, struct err *err)
{
  struct place *place = ctx;
  struct optset set;
  struct disk disk = { .folder = "/tmp" };
  struct results_shared shared = { .name = "bench",
                                   .version = "1",
                                   .test = "cpu",
                                   .set = &set,
                                   .disk = &disk,
                                   .started = true };
  struct period p = { .diff = NULL };
  struct document *d = NULL;
  int rc;

  optset_init(&set, COMPAT_1_0);
  rc = period_init(&p, err);
  if (rc == 0)
    rc = document_new(&d, place->path, &shared, err);
  if (rc == 0)
    rc = report(d, &p, err);
  if (rc == 0)
    rc = check_document(place);
  document_free(d);
  period_done(&p);
  optset_done(&set);
  return rc;
}

int main(void)
{
  struct place place = { .path = "/tmp/bench-alloc-XXXXXX" };
  struct err err = { "" };
  int fd = mkstemp(place.path);

  if (fd < 0)
    return 1;
  (void)close(fd);
  json_set_alloc_funcs(malloc, free); /* makes it fail, too */
  OK(torture(print, NULL) > 10, "recorders, and reports as text");
  OK(torture(encode, NULL) > 10, "histograms, written and read");
  OK(write_document(&place, &err) == 0 && place.members > 50, "a document");
  OK(torture(write_document, &place) > 100, "the JSON document");
  (void)unlink(place.path);
  return TAP_EXIT();
}
