/*
 * document.c - see document.h.
 *
 * Intervals wait in a spool; the other members are written at the end.
 */
#include "results/document.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/facts.h"
#include "base/machine/disk.h"
#include "base/machine/env.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "monitor/monitor.h"
#include "report/marks.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/kept.h"
#include "results/outfile.h"
#include "results/shared.h"
#include "stats/report.h"

/*
 * Writes use the descriptor: a stream does not show how much of a failed write
 * was written.
 */

/* Moves *at. */
static int spool_put(int fd, const char *text, uint64_t *at)
{
  size_t left = strlen(text);

  while (left > 0) {
    const ssize_t n = pwrite(fd, text, left, (off_t)*at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    text += n;
    left -= (size_t)n;
    *at += (uint64_t)n;
  }
  return 0;
}

/* Without a name, close-on-exec; -1: see errno. */
static int spool_open_in(const char *folder)
{
  char name[PATH_MAX];
  int fd = -1;

#ifdef O_TMPFILE
  fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd >= 0)
    return fd;
#endif
  if (snprintf(name, sizeof(name), "%s/bench-XXXXXX", folder) >=
      (int)sizeof(name)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0)
    (void)unlink(name);
  return fd;
}

static int spool_open_beside(const char *path)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const size_t len = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);

  if (len >= sizeof(folder)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(folder, path, len);
  folder[len] = '\0';
  return spool_open_in(len > 0 ? folder : ".");
}

int spool_open(struct spool *s, const char *beside, struct err *err)
{
  const char *own = getenv("TMPDIR");
  int fd = own && own[0] != '\0' ? spool_open_in(own) : -1;

  if (fd < 0)
    fd = spool_open_in("/tmp");
  if (fd < 0 && beside)
    fd = spool_open_beside(beside);
#ifdef MFD_CLOEXEC
  if (fd < 0) {
    const int why = errno; /* an error of a folder, which can be mended */

    fd = memfd_create("bench", MFD_CLOEXEC);
    s->in_memory = fd >= 0;
    errno = why;
  }
#endif
  if (fd < 0)
    return err_sys(err, "cannot make a temporary file,");
  s->file = fdopen(fd, "w+");
  if (!s->file) {
    (void)close(fd);
    return err_set(err, -ENOMEM, "not enough memory for a temporary file");
  }
  return 0;
}

int spool_add(struct spool *s, const char *text, struct err *err)
{
  uint64_t at = s->len;
  int fd, rc = s->file ? 0 : spool_open(s, NULL, err);

  if (rc < 0)
    return rc;
  fd = fileno(s->file);
  rc = spool_put(fd, s->len > 0 ? ",\n" : "\n", &at);
  if (rc == 0)
    rc = spool_put(fd, text, &at);
  if (rc < 0) {
    if (ftruncate(fd, (off_t)s->len) < 0) {
      /* overwritten by the next item */
    }
    errno = -rc;
    return err_sys(err, "cannot write to a temporary file,");
  }
  s->len = at;
  return 0;
}

int spool_copy(struct spool *s, FILE *to)
{
  char block[65536];
  uint64_t at = 0;

  while (at < s->len) {
    const uint64_t left = s->len - at;
    const ssize_t n = pread(fileno(s->file), block,
                            left < sizeof(block) ? left : sizeof(block),
                            (off_t)at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? -errno : -EIO;
    if (fwrite(block, 1, (size_t)n, to) != (size_t)n)
      return -errno;
    at += (uint64_t)n;
  }
  return 0;
}

void spool_done(struct spool *s)
{
  if (s->file)
    (void)fclose(s->file); /* content is dropped */
  memset(s, 0, sizeof(*s));
}

struct document {
  char *name; /* owned; NULL: none */
  bool keep, copy;
  bool lacks; /* no room for the kept copy */
  char *text; /* owned; open_memstream(), NULL until the end */
  size_t len;
  /* Open early unless a regular file. */
  struct whole_file file;
  const struct results_shared *shared;
  const struct report_setup *setup; /* borrowed from begin() */
  struct facts environment;
  struct spool intervals, checkpoints;

  /* NULL until the final report. */
  json_t *totals, *classes, *members, *threads, *rate, *slo, *outages, *storms;
  bool missed;
  uint64_t events;
  bool written;
};

int document_new(struct document **ret, const char *name,
                 const struct results_shared *shared, struct err *err)
{
  struct document *d = calloc(1, sizeof(*d));
  int rc;

  if (!d)
    return results_no_memory(err);
  d->name = name ? mem_strdup(name) : NULL;
  rc = name && !d->name ? results_no_memory(err) : 0;
  if (rc == 0 && name)
    rc = whole_file_probe(&d->file, d->name, err);
  if (rc == 0 && name)
    rc = spool_open(&d->intervals, name, err);
  if (rc == 0 && name)
    rc = spool_open(&d->checkpoints, name, err);
  if (rc < 0) {
    document_free(d);
    return rc;
  }
  d->shared = shared;
  *ret = d;
  return 0;
}

void document_keep(struct document *d)
{
  d->keep = true;
}

void document_keep_copy(struct document *d)
{
  d->copy = true;
}

const char *document_text(const struct document *d, size_t *ret_len)
{
  *ret_len = d->len;
  return d->text;
}

bool document_written(const struct document *d)
{
  return d->written;
}

bool document_in_memory(const struct document *d)
{
  return d->intervals.in_memory || d->checkpoints.in_memory;
}

void document_free(struct document *d)
{
  if (!d)
    return;
  facts_done(&d->environment);
  json_decref(d->totals);
  json_decref(d->classes);
  json_decref(d->members);
  json_decref(d->threads);
  json_decref(d->rate);
  json_decref(d->slo);
  json_decref(d->outages);
  json_decref(d->storms);
  spool_done(&d->intervals);
  spool_done(&d->checkpoints);
  whole_file_abort(&d->file);
  free(d->name);
  free(d->text);
  free(d);
}

static bool document_is_spare(const struct document *d)
{
  return !d->name && !d->keep;
}

static int document_read_environment(struct document *d, struct err *err)
{
  struct facts *f = &d->environment;

  env_host(f, "");
  env_cpu(f, "");
  env_limits(f, "");
  env_disk(f, d->shared->disk);
  return f->failed ? results_no_memory(err) : 0;
}

/* Before the load, unless only a copy is wanted. */
static int document_on_begin(void *ctx, const struct report_setup *setup,
                             struct err *err)
{
  struct document *d = ctx;

  d->setup = setup;
  return document_is_spare(d) ? 0 : document_read_environment(d, err);
}

static int document_spool(struct document *d, struct spool *s, json_t *value,
                          struct err *err)
{
  char *text = value ? jobj_line(value) : NULL;
  int rc = text ? spool_add(s, text, err) : results_no_memory(err);

  free(text);
  json_decref(value);
  if (rc == 0 || !document_is_spare(d))
    return rc;
  d->lacks = true;
  return 0;
}

static int document_on_interval(void *ctx, const struct report_setup *setup,
                                const struct report *r, struct err *err)
{
  struct document *d = ctx;
  const bool brief = r->classes.n > JSON_CLASSES_WHOLE;

  if (document_is_spare(d) && r->partial && r->elapsed_ns < NS_PER_S)
    return 0; /* no copy follows */
  return document_spool(d, &d->intervals,
                        json_interval(r, setup, d->shared, brief), err);
}

static int document_on_checkpoint(void *ctx, const struct report_setup *setup,
                                  const struct report *r, struct err *err)
{
  struct document *d = ctx;

  return document_spool(d, &d->checkpoints, json_report(r, setup, NULL, false),
                        err);
}

static int document_keep_verdict(struct document *d,
                                 const struct report_setup *setup,
                                 const struct report *r)
{
  struct slo_verdict verdict;

  report_judge(r, setup, &verdict);
  d->missed = verdict.state != SLO_HELD;
  d->slo = json_slo(&verdict);
  return d->slo ? 0 : -ENOMEM;
}

static int document_on_final(void *ctx, const struct report_setup *setup,
                             const struct report *r, struct err *err)
{
  const struct report *total = r->total ? r->total : r;
  struct document *d = ctx;

  d->totals = json_report(total, setup, NULL, false);
  d->classes = json_classes(total, setup, false);
  d->threads = json_threads(total);
  if (total->members.n > 0) {
    d->members = json_members(total, setup, false);
    if (!d->members)
      return results_no_memory(err);
  }
  d->events = total->events;
  if (setup->slo.n > 0 && document_keep_verdict(d, setup, r) < 0)
    return results_no_memory(err);
  if (r->outages) {
    d->outages = json_outages(r->outages);
    if (!d->outages)
      return results_no_memory(err);
  }
  if (r->n_storms > 0) {
    d->storms = json_storms(r->storms, r->n_storms);
    if (!d->storms)
      return results_no_memory(err);
  }
  if (setup->rate && total->rated.n > 0) {
    d->rate = json_rate(total, setup);
    if (!d->rate)
      return results_no_memory(err);
  }
  return d->totals && d->classes && d->threads ? 0 : results_no_memory(err);
}

/* Takes `text` and `value` over. */
static int document_put_text(FILE *to, const char *key, char *text,
                             json_t *value)
{
  int rc = text ? 0 : -ENOMEM;

  if (text && fprintf(to, ",\n\"%s\": %s", key, text) < 0)
    rc = -errno;
  free(text);
  json_decref(value);
  return rc;
}

static int document_put_member(FILE *to, const char *key, json_t *value)
{
  return document_put_text(to, key, value ? jobj_pretty(value) : NULL, value);
}

/* On one line: lists of numbers. */
static int document_put_line(FILE *to, const char *key, json_t *value)
{
  return document_put_text(to, key, value ? jobj_line(value) : NULL, value);
}

static int document_put_spool(FILE *to, const char *key, struct spool *s)
{
  int rc;

  if (fprintf(to, ",\n\"%s\": [", key) < 0)
    return -errno;
  rc = spool_copy(s, to);
  if (rc == 0 && fputs(s->len > 0 ? "\n]" : "]", to) < 0)
    rc = -errno;
  return rc;
}

/* A new reference, or null. */
static json_t *document_or_null(json_t *value)
{
  return value ? json_incref(value) : json_null();
}

static json_t *document_database(const struct run_end *end)
{
  if (!end->details || !end->details->has_database)
    return json_null();
  return json_facts(&end->details->database);
}

/* Arrivals are known now. */
static json_t *document_rate(struct document *d, const struct run_end *end)
{
  if (!d->rate)
    return json_null();
  if (json_object_set_new(d->rate, "arrivals",
                          json_integer((json_int_t)end->arrivals)) < 0 ||
      json_object_set_new(d->rate, "backlog",
                          json_integer((json_int_t)end->backlog)) < 0 ||
      json_object_set_new(
        d->rate, "offered_s",
        json_real((double)end->offered_ns / (double)NS_PER_S)) < 0)
    return NULL;
  if (end->member_arrivals > 0 &&
      json_object_set_new(d->rate, "member_arrivals",
                          json_integer((json_int_t)end->member_arrivals)) < 0)
    return NULL;
  return json_incref(d->rate);
}

static json_t *document_event_log(const struct results_shared *s)
{
  struct jobj o;

  if (!s->logged)
    return json_null();
  o = jobj_new();
  jobj_int(&o, "written", s->log.written);
  jobj_int(&o, "dropped", s->log.dropped);
  return jobj_take(&o);
}

static int document_put_members(struct document *d, const struct run_end *end,
                                FILE *to)
{
  const struct results_shared *s = d->shared;
  const struct facts none = { 0 };
  int rc = 0;

#define MEMBER(key, value)                      \
  do {                                          \
    if (rc == 0)                                \
      rc = document_put_member(to, key, value); \
  } while (0)

  MEMBER("tool", json_tool(s->name, s->version));
  MEMBER("environment", json_facts(&d->environment));
  MEMBER("database", document_database(end));
  MEMBER("options", json_options(s->set));
  MEMBER("run", json_run(&s->start, end, s->test));
  MEMBER("totals", document_or_null(d->totals));
  MEMBER("classes", d->classes ? json_incref(d->classes) : json_array());
  if (d->members)
    MEMBER("members", json_incref(d->members));
  MEMBER("rate", document_rate(d, end));
  if (d->slo)
    MEMBER("slo", json_incref(d->slo));
  if (d->outages)
    MEMBER("outages", json_incref(d->outages));
  if (d->storms)
    MEMBER("storms", json_incref(d->storms));
  if (s->marks) {
    MEMBER("marks", json_marks(s->marks, 0, marks_count(s->marks)));
    MEMBER("marks_lost", json_integer((json_int_t)marks_lost(s->marks)));
  }
  if (end->decision)
    MEMBER("decision", json_decision(end->decision));
  MEMBER("test", json_facts(end->details ? &end->details->test : &none));
  MEMBER("errors",
         json_error_counts(end->details ? end->details->error : NULL,
                           end->details ? end->details->n_errors : 0, true));
  MEMBER("threads", document_or_null(d->threads));
  MEMBER("client",
         end->started ? json_client(&end->client, d->events) : json_null());
  if (end->n_ranks > 0)
    MEMBER("ranks", json_ranks(end, d->setup));
  if (monitor_servers(s->monitor) > 0)
    MEMBER("servers", json_servers(s->monitor));
  if (s->correlations.judged)
    MEMBER("coincidences", json_correlations(&s->correlations));
  MEMBER("event_log", document_event_log(s));
  MEMBER("warnings", json_warnings(end->warnings));
#undef MEMBER
  if (rc == 0 && end->slices)
    rc = document_put_line(to, "slices", json_slices(end->slices));
  if (rc == 0)
    rc = document_put_spool(to, "intervals", &d->intervals);
  if (rc == 0)
    rc = document_put_spool(to, "checkpoints", &d->checkpoints);
  return rc;
}

/* The run fails if the event log, which ended before, failed. */
static struct run_end document_with_log(const struct document *d,
                                        const struct run_end *end)
{
  struct run_end all = *end;

  if (d->shared->log.failed && all.status == EXIT_SUCCESS)
    all.status = EXIT_FAILURE;
  if (d->missed && all.status == EXIT_SUCCESS)
    all.status = SLO_EXIT_STATUS;
  return all;
}

static int document_put_all(struct document *d, const struct run_end *end,
                            FILE *to)
{
  int rc = 0;

  if (fputs("{\n\"schema\": \"" DOCUMENT_SCHEMA "\"", to) < 0)
    rc = -errno;
  if (rc == 0)
    rc = document_put_members(d, end, to);
  if (rc == 0 && fputs("\n}\n", to) < 0)
    rc = -errno;
  return rc;
}

/* Only the live page needs the text. */
static void document_keep_text(struct document *d, const struct run_end *end)
{
  char *text = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&text, &len);
  int rc = to ? document_put_all(d, end, to) : -errno;

  if (to && fclose(to) != 0)
    rc = -errno;
  if (rc < 0) {
    free(text);
    return;
  }
  d->text = text;
  d->len = len;
}

static int document_put_file(struct document *d, const struct run_end *end,
                             struct err *err)
{
  struct whole_file *f = &d->file;
  struct outfile_hold hold;
  int rc = 0;

  if (!f->stream)
    rc = whole_file_open(f, d->name, err);
  if (rc < 0)
    return rc;
  whole_file_hold(f, &hold);
  rc = document_put_all(d, end, f->stream);
  outfile_release(&hold);
  if (rc < 0) {
    whole_file_abort(f);
    if (rc == -ENOMEM)
      return results_no_memory(err);
    errno = -rc;
    return err_sys(err, "cannot write to '%s',", d->name);
  }
  rc = whole_file_commit(f, err);
  d->written = rc == 0;
  return rc;
}

static void document_put_copy(struct document *d, const struct run_end *end)
{
  struct kept_file f;
  struct outfile_hold hold;
  bool whole;

  if (kept_open(&f) < 0)
    return;
  outfile_hold(&hold, false);
  whole = document_put_all(d, end, f.stream) == 0;
  kept_close(&f, whole);
  outfile_release(&hold);
}

static int document_on_over(void *ctx, const struct run_end *end,
                            struct err *err)
{
  struct document *d = ctx;
  const struct run_end all = document_with_log(d, end);
  const bool copy = d->copy && !d->lacks && end->started &&
                    grown_u64(end->end_ns, end->measured_ns) >= NS_PER_S;
  int rc = 0;

  if (document_is_spare(d))
    rc = copy ? document_read_environment(d, err) : 0;
  if (rc < 0 || (document_is_spare(d) && !copy))
    return rc;
  env_clock(&d->environment, "");
  if (d->environment.failed)
    return results_no_memory(err);
  if (d->keep)
    document_keep_text(d, &all);
  if (copy)
    document_put_copy(d, &all);
  return d->name ? document_put_file(d, &all, err) : 0;
}

const struct reporter document_reporter = {
  .name = "json",
  .begin = document_on_begin,
  .interval = document_on_interval,
  .checkpoint = document_on_checkpoint,
  .final = document_on_final,
  .over = document_on_over,
};
