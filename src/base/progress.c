#include "base/progress.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/wait.h"

#define EVERY_NS (10 * NS_PER_S)
#define EVERY_TERMINAL_NS (NS_PER_S / 4)
#define STACK_BYTES (256 * 1024)
#define USUAL_COLUMNS 80 /* of a terminal that does not report its width */
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

static const char *progress_unit_name(enum progress_unit unit, uint64_t n)
{
  static const char *const one[] = { "row", "MiB", "table" };
  static const char *const many[] = { "rows", "MiB", "tables" };

  return n == 1 ? one[unit] : many[unit];
}

static double progress_in_unit(const struct progress_point *at, uint64_t n)
{
  return at->unit == PROGRESS_BYTES ? (double)n / MIB : (double)n;
}

static double progress_rate_of(const struct progress_point *at,
                               uint64_t passed_ns)
{
  const uint64_t done = at->done > at->there ? at->done - at->there : 0;

  return passed_ns > 0 ? (double)done * (double)NS_PER_S / (double)passed_ns
                       : 0.0;
}

/* Never "0 s". */
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

static void progress_add_rates(struct strbuf *line,
                               const struct progress_point *at,
                               uint64_t passed_ns, enum form form)
{
  const double rate = progress_rate_of(at, passed_ns);

  if (at->unit == PROGRESS_BYTES)
    strbuf_addf(line, ", %.1f MiB/s", rate / MIB);
  if (at->unit == PROGRESS_ROWS)
    strbuf_addf(line, ", %.0f rows/s", rate);
  if (at->unit == PROGRESS_ROWS && at->bytes > 0 && form <= FORM_BYTES)
    strbuf_addf(line, ", %.1f MiB/s",
                (double)at->bytes / MIB /
                  ((double)passed_ns / (double)NS_PER_S));
}

/* The time left is unknown with tables: one can take as long as all others
 * together. */
static void progress_add_left(struct strbuf *line,
                              const struct progress_point *at,
                              uint64_t passed_ns)
{
  const double rate = progress_rate_of(at, passed_ns);

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

static void progress_add_form(struct strbuf *line,
                              const struct progress_point *at,
                              uint64_t passed_ns, const char *detail,
                              enum form form)
{
  const double percent = at->total > 0
                           ? 100.0 * (double)at->done / (double)at->total
                           : 100.0;

  if (form < FORM_AMOUNT)
    strbuf_addf(line, "%s ", at->verb);
  if (form < FORM_PERCENT)
    strbuf_addf(line, "%.0f of %.0f %s (%.0f%%)",
                progress_in_unit(at, at->done), progress_in_unit(at, at->total),
                progress_unit_name(at->unit, at->total), percent);
  else
    strbuf_addf(line, "%.0f%%", percent);
  if (form <= FORM_RATE && passed_ns > 0)
    progress_add_rates(line, at, passed_ns, form);
  progress_add_left(line, at, passed_ns);
  if (form == FORM_DETAIL && detail[0] != '\0')
    strbuf_addf(line, "; %s", detail);
}

void progress_line(struct strbuf *line, const struct progress_point *at,
                   uint64_t passed_ns, const char *detail, unsigned columns)
{
  for (enum form form = FORM_DETAIL; form < FORMS; form++) {
    strbuf_clear(line);
    progress_add_form(line, at, passed_ns, detail, form);
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

  strbuf_addf(line, "%s %.0f %s in %.1f s", at->verb,
              progress_in_unit(at, done), progress_unit_name(at->unit, done),
              seconds);
  if (passed_ns > 0)
    progress_add_rates(line, at, passed_ns, FORM_RATE);
}

static uint64_t progress_stderr_now_ns(void *ctx)
{
  (void)ctx;
  return clock_now_ns();
}

static unsigned progress_stderr_columns(void *ctx)
{
  struct winsize size = { 0 };

  (void)ctx;
  if (isatty(STDERR_FILENO) != 1)
    return 0;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
    return USUAL_COLUMNS;
  return size.ws_col;
}

static void progress_stderr_show(void *ctx, const char *line, bool stays)
{
  (void)ctx;
  if (stays)
    log_line(line);
  else
    log_status(line);
}

const struct progress_io progress_stderr = {
  .now_ns = progress_stderr_now_ns,
  .columns = progress_stderr_columns,
  .show = progress_stderr_show,
};

static uint64_t progress_period_ns(const struct progress *p)
{
  return p->io->columns(p->io_ctx) > 0 ? EVERY_TERMINAL_NS : EVERY_NS;
}

void progress_init(struct progress *p, const struct progress_io *io,
                   void *io_ctx,
                   void (*look)(void *ctx, struct progress_point *ret,
                                struct strbuf *detail),
                   void *ctx)
{
  memset(p, 0, sizeof(*p));
  p->io = io;
  p->io_ctx = io_ctx;
  p->look = look;
  p->ctx = ctx;
  p->start_ns = io->now_ns(io_ctx);
  p->next_ns = p->start_ns + progress_period_ns(p);
}

uint64_t progress_tick(struct progress *p)
{
  struct progress_point at = { .verb = "" };
  struct strbuf line = { 0 }, detail = { 0 };
  const uint64_t now = p->io->now_ns(p->io_ctx);
  unsigned columns;

  if (now < p->next_ns)
    return p->next_ns;
  columns = p->io->columns(p->io_ctx);
  p->look(p->ctx, &at, &detail);
  progress_line(&line, &at, now - p->start_ns, strbuf_str(&detail), columns);
  p->io->show(p->io_ctx, strbuf_str(&line), columns == 0);
  strbuf_done(&line);
  strbuf_done(&detail);
  p->next_ns = now + progress_period_ns(p);
  return p->next_ns;
}

static void *progress_thread(void *arg)
{
  struct progress *p = arg;

  thread_set_name("progress");
  while (atomic_load(&p->stop) == 0)
    wait_while(&p->stop, 0, progress_tick(p));
  return NULL;
}

void progress_start(struct progress *p)
{
  struct err err;

  p->threaded = thread_start(&p->thread, STACK_BYTES, progress_thread, p,
                             &err) == 0;
}

void progress_stop(struct progress *p)
{
  if (!p->threaded)
    return;
  atomic_store(&p->stop, 1);
  wait_wake_all(&p->stop);
  (void)pthread_join(p->thread, NULL);
  p->threaded = false;
  p->io->show(p->io_ctx, NULL, false);
}

void progress_print_sum(struct progress *p)
{
  struct progress_point at = { .verb = "" };
  struct strbuf line = { 0 }, detail = { 0 };

  p->look(p->ctx, &at, &detail);
  progress_sum(&line, &at, p->io->now_ns(p->io_ctx) - p->start_ns);
  p->io->show(p->io_ctx, strbuf_str(&line), true);
  strbuf_done(&line);
  strbuf_done(&detail);
}
