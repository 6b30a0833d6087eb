/*
 * hdr_log.c - an HdrHistogram interval log.
 */
#include "results/hdr_log.h"

#include <ctype.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "results/hdr_encode.h"
#include "results/jobj.h"
#include "results/outfile.h"
#include "results/shared.h"
#include "stats/report.h"

/* The largest value in ms, as HdrHistogram writes. */
#define NS_PER_SHOWN 1e6

static int hdr_log_put(struct hdr_log *l, struct strbuf *b, struct err *err)
{
  int rc = b->failed ? results_no_memory(err)
                     : outfile_put(&l->file, b->text, b->len, err);

  strbuf_done(b);
  return rc;
}

static int hdr_log_on_start(void *ctx, const struct run_start *start,
                            struct err *err)
{
  struct strbuf b = { 0 };
  const double wall_s = jobj_seconds(start->wall_ns);
  const time_t s = (time_t)(start->wall_ns / NS_PER_S);
  char date[64] = "";
  struct tm tm;

  if (gmtime_r(&s, &tm))
    (void)strftime(date, sizeof(date), "%a %b %d %H:%M:%S UTC %Y", &tm);
  strbuf_addf(&b,
              "#[Histogram log format version 1.3]\n"
              "#[StartTime: %.3f (seconds since epoch), %s]\n"
              "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
              "\"Interval_Compressed_Histogram\"\n",
              wall_s, date);
  return hdr_log_put(ctx, &b, err);
}

/* Other characters become `_`. */
static void hdr_log_tag(struct strbuf *out, const char *name)
{
  for (; *name; name++) {
    const char c = isspace((unsigned char)*name) || *name == ',' ? '_' : *name;

    strbuf_add(out, &c, 1);
  }
}

static int hdr_log_add_line(struct strbuf *b, const char *tag, double start_s,
                            double length_s, uint64_t max_ns,
                            const struct hist_sum *hist)
{
  if (tag) {
    strbuf_adds(b, "Tag=");
    hdr_log_tag(b, tag);
    strbuf_adds(b, ",");
  }
  strbuf_addf(b, "%.3f,%.3f,%.6f,", start_s, length_s,
              (double)max_ns / NS_PER_SHOWN);
  if (hdr_encode_text(b, hist) < 0)
    return -1;
  strbuf_adds(b, "\n");
  return 0;
}

static int hdr_log_on_interval(void *ctx, const struct report_setup *setup,
                               const struct report *r, struct err *err)
{
  struct hdr_log *l = ctx;
  const uint64_t begin_ns = r->end_ns - r->period_ns;
  const uint64_t zero_ns = l->shared->start.start_ns;
  const double start_s = begin_ns > zero_ns ? jobj_seconds(begin_ns - zero_ns)
                                            : 0.0;
  const double length_s = jobj_seconds(r->period_ns);
  struct strbuf b = { 0 };
  int rc = 0;

  (void)setup;
  if (r->hist)
    rc = hdr_log_add_line(&b, NULL, start_s, length_s, r->max_ns, r->hist);
  for (unsigned i = 0; rc == 0 && i < r->classes.n; i++) {
    const struct class_report *c = &r->classes.of[i];

    if (c->count > 0)
      rc = hdr_log_add_line(&b, c->name, start_s, length_s, c->max_ns, c->hist);
  }
  if (rc < 0)
    b.failed = true;
  return hdr_log_put(l, &b, err);
}

static int hdr_log_on_end(void *ctx, struct err *err)
{
  return outfile_close(&((struct hdr_log *)ctx)->file, err);
}

const struct reporter hdr_log_reporter = {
  .name = "hdr-log",
  .start = hdr_log_on_start,
  .interval = hdr_log_on_interval,
  .end = hdr_log_on_end,
};
