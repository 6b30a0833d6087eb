/*
 * progress_text.c - the words of a line of progress.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/progress.h"

#define MIB 1048576.0

/* From the longest form of a line to the shortest. */
enum form {
  FORM_DETAIL, /* all parts */
  FORM_BYTES,  /* without the detail */
  FORM_RATE,   /* with one rate */
  FORM_LEFT,   /* without a rate */
  FORM_AMOUNT, /* without the verb */
  FORM_PERCENT,
  FORMS,
};

static const char *unit_name(enum progress_unit unit, uint64_t n)
{
  static const char *const one[] = { "row", "MiB", "table" };
  static const char *const many[] = { "rows", "MiB", "tables" };

  return n == 1 ? one[unit] : many[unit];
}

static double in_unit(const struct progress_point *at, uint64_t n)
{
  return at->unit == PROGRESS_BYTES ? (double)n / MIB : (double)n;
}

/* Per second; the part that was there before the clock started does not
 * count. */
static double rate_of(const struct progress_point *at, uint64_t passed_ns)
{
  const uint64_t done = at->done > at->there ? at->done - at->there : 0;

  return passed_ns > 0 ? (double)done * (double)NS_PER_S / (double)passed_ns
                       : 0.0;
}

/* The time left is never shown as "0 s". */
void progress_add_time(struct strbuf *line, double seconds)
{
  const uint64_t s = seconds > 1.0 ? (uint64_t)(seconds + 0.5) : 1;

  if (s >= 3600)
    strbuf_addf(line, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s / 60 % 60);
  else if (s >= 60)
    strbuf_addf(line, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
  else
    strbuf_addf(line, "%" PRIu64 " s", s);
}

static void add_rates(struct strbuf *line, const struct progress_point *at,
                      uint64_t passed_ns, enum form form)
{
  const double rate = rate_of(at, passed_ns);

  if (at->unit == PROGRESS_BYTES)
    strbuf_addf(line, ", %.1f MiB/s", rate / MIB);
  if (at->unit == PROGRESS_ROWS)
    strbuf_addf(line, ", %.0f rows/s", rate);
  if (at->unit == PROGRESS_ROWS && at->bytes > 0 && form <= FORM_BYTES)
    strbuf_addf(line, ", %.1f MiB/s",
                (double)at->bytes / MIB /
                  ((double)passed_ns / (double)NS_PER_S));
}

/* One table may take as long as all others together, so the time left is
 * unknown with tables. */
static void add_left(struct strbuf *line, const struct progress_point *at,
                     uint64_t passed_ns)
{
  const double rate = rate_of(at, passed_ns);

  if (at->unit == PROGRESS_TABLES) {
    strbuf_adds(line, ", ");
    progress_add_time(line, (double)passed_ns / (double)NS_PER_S);
    strbuf_adds(line, " so far");
  } else if (rate > 0.0 && at->done < at->total) {
    strbuf_adds(line, ", ");
    progress_add_time(line, (double)(at->total - at->done) / rate);
    strbuf_adds(line, " left");
  }
}

static void add_form(struct strbuf *line, const struct progress_point *at,
                     uint64_t passed_ns, const char *detail, enum form form)
{
  const double percent = at->total > 0
                           ? 100.0 * (double)at->done / (double)at->total
                           : 100.0;

  if (form < FORM_AMOUNT)
    strbuf_addf(line, "%s ", at->verb);
  if (form < FORM_PERCENT)
    strbuf_addf(line, "%.0f of %.0f %s (%.0f%%)", in_unit(at, at->done),
                in_unit(at, at->total), unit_name(at->unit, at->total),
                percent);
  else
    strbuf_addf(line, "%.0f%%", percent);
  if (form <= FORM_RATE && passed_ns > 0)
    add_rates(line, at, passed_ns, form);
  add_left(line, at, passed_ns);
  if (form == FORM_DETAIL && detail[0] != '\0')
    strbuf_addf(line, "; %s", detail);
}

void progress_line(struct strbuf *line, const struct progress_point *at,
                   uint64_t passed_ns, const char *detail, unsigned columns)
{
  for (enum form form = FORM_DETAIL; form < FORMS; form++) {
    strbuf_clear(line);
    add_form(line, at, passed_ns, detail, form);
    if (columns == 0 || line->len < columns)
      return;
  }
  /* The last column stays free: some terminals wrap when it is written. */
  if (line->text && columns > 0 && line->len >= columns) {
    line->len = columns - 1;
    line->text[line->len] = '\0';
  }
}

void progress_sum(struct strbuf *line, const struct progress_point *at,
                  uint64_t passed_ns)
{
  const double seconds = (double)passed_ns / (double)NS_PER_S;
  const uint64_t done = at->done > at->there ? at->done - at->there : 0;

  strbuf_addf(line, "%s %.0f %s in %.1f s", at->verb, in_unit(at, done),
              unit_name(at->unit, done), seconds);
  if (passed_ns > 0)
    add_rates(line, at, passed_ns, FORM_RATE);
}
