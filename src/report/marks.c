#include "report/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "report/life.h"

struct mark {
  uint64_t at_ns;
  char text[MARK_TEXT];
};

struct marks {
  uint64_t base_ns;
  _Atomic unsigned n; /* publishes marks below */
  _Atomic uint64_t lost;
  struct mark of[MARKS_MAX];
};

struct marks *marks_new(void)
{
  return calloc(1, sizeof(struct marks));
}

void marks_free(struct marks *m)
{
  free(m);
}

void marks_begin(struct marks *m, uint64_t base_ns)
{
  m->base_ns = base_ns;
}

static bool marks_is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static void marks_make_safe(struct strbuf *out, const char *line, size_t len)
{
  struct strbuf text = { 0 }, valid = { 0 };

  strbuf_add(&text, line, len);
  if (utf8_is_valid(strbuf_str(&text))) {
    utf8_add_shown(out, line, strlen(strbuf_str(&text)), "");
  } else {
    for (size_t i = 0; i < len && line[i] != '\0'; i++)
      utf8_add_latin1(&valid, line[i]);
    utf8_add_shown(out, strbuf_str(&valid), valid.len, "");
  }
  out->failed |= text.failed || valid.failed;
  strbuf_done(&text);
  strbuf_done(&valid);
}

bool marks_add(struct marks *m, const char *line, size_t len, uint64_t now_ns)
{
  const unsigned n = atomic_load_explicit(&m->n, memory_order_relaxed);
  struct strbuf text = { 0 };
  size_t kept;

  while (len > 0 && marks_is_blank(line[len - 1]))
    len--;
  for (; len > 0 && marks_is_blank(*line); len--)
    line++;
  if (len == 0)
    return false;
  marks_make_safe(&text, line, len);
  if (n == MARKS_MAX || text.failed) {
    atomic_fetch_add(&m->lost, 1);
    strbuf_done(&text);
    return false;
  }
  kept = utf8_cut(strbuf_str(&text), MARK_TEXT - 1);
  memcpy(m->of[n].text, strbuf_str(&text), kept);
  m->of[n].text[kept] = '\0';
  m->of[n].at_ns = now_ns;
  atomic_store_explicit(&m->n, n + 1, memory_order_release);
  strbuf_done(&text);
  return true;
}

unsigned marks_count(const struct marks *m)
{
  return m ? atomic_load_explicit(&m->n, memory_order_acquire) : 0;
}

const char *mark_text(const struct marks *m, unsigned i)
{
  return m->of[i].text;
}

double mark_at_s(const struct marks *m, unsigned i)
{
  return ((double)m->of[i].at_ns - (double)m->base_ns) / (double)NS_PER_S;
}

unsigned marks_until(const struct marks *m, uint64_t at_ns)
{
  unsigned n = marks_count(m);

  while (n > 0 && m->of[n - 1].at_ns > at_ns)
    n--;
  return n;
}

uint64_t marks_lost(const struct marks *m)
{
  return m ? atomic_load(&m->lost) : 0;
}

void marks_write(struct strbuf *b, const struct marks *m)
{
  strbuf_adds(b, "Marks:\n");
  for (unsigned i = 0; i < marks_count(m); i++)
    strbuf_addf(b, "    at %.3f s: %s\n", mark_at_s(m, i), mark_text(m, i));
  if (marks_lost(m) > 0)
    strbuf_addf(b, "    and %" PRIu64 " more, which were not kept\n",
                marks_lost(m));
  strbuf_adds(b, "\n");
}

/* ---- the fifo ---- */

enum {
  MARK_LINE = 4096,     /* the rest of a line is ignored */
  MARK_REST_MS = 100,   /* wait for the rest */
  MARK_LAST_READS = 32, /* drained at the end */
  MARK_PATIENCE_S = 1   /* wait for the thread */
};

struct mark_fifo {
  char path[PATH_MAX];
  bool made;
  bool print;
  int fd, wake; /* -1: not open */
  struct leave *leave;
  struct marks *marks; /* owned */
  bool running;
  pthread_t thread;
  /* The thread's. */
  char line[MARK_LINE];
  size_t len;
};

bool mark_fifo_send(const struct mark_fifo *f, const char *text, size_t len)
{
  struct strbuf line = { 0 };
  bool sent;

  for (size_t i = 0; i < len; i++)
    strbuf_add(&line, text[i] == '\n' ? " " : text + i, 1);
  strbuf_adds(&line, "\n");
  sent = !line.failed && line.len < MARK_LINE &&
         write(f->fd, line.text, line.len) == (ssize_t)line.len;
  strbuf_done(&line);
  return sent;
}

bool mark_path(char *ret, size_t size, unsigned which, long pid)
{
  const char *const folders[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"),
                                  "/tmp" };

  for (unsigned i = 0, n = 0; i < ARRAY_SIZE(folders); i++) {
    if (!folders[i] || folders[i][0] != '/' || n++ != which)
      continue;
    return (size_t)snprintf(ret, size, "%s/bench-%ld.mark", folders[i], pid) <
           size;
  }
  return false;
}

/* ---- opening ---- */

/* A dead fifo of an earlier process.  In another container a run can use that
 * process number. */
static bool mark_is_old(const char *path)
{
  struct stat st;
  int fd;

  if (lstat(path, &st) < 0 || !S_ISFIFO(st.st_mode) || st.st_uid != geteuid())
    return false;
  fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return errno == ENXIO;
  (void)close(fd);
  return false;
}

static bool mark_make(const char *path)
{
  if (mkfifo(path, 0600) == 0)
    return true;
  if (errno != EEXIST)
    return false;
  if (mark_is_old(path))
    return unlink(path) == 0 && mkfifo(path, 0600) == 0;
  errno = EEXIST;
  return false;
}

static int mark_make_auto(struct mark_fifo *f, struct err *err)
{
  errno = ENOENT;
  for (unsigned i = 0; mark_path(f->path, sizeof(f->path), i, (long)getpid());
       i++) {
    f->made = mark_make(f->path);
    if (f->made)
      return 0;
  }
  return err_sys(err,
                 "--mark cannot make a fifo in XDG_RUNTIME_DIR, TMPDIR or /tmp;"
                 " name one with --mark=FIFO,");
}

static int mark_make_named(struct mark_fifo *f, const char *path,
                           struct err *err)
{
  struct stat st;

  if ((size_t)snprintf(f->path, sizeof(f->path), "%s", path) >=
      sizeof(f->path)) {
    errno = ENAMETOOLONG;
    return err_sys(err, "cannot make the fifo of --mark,");
  }
  f->made = mkfifo(path, 0600) == 0;
  if (f->made)
    return 0;
  if (errno != EEXIST)
    return err_sys(err, "cannot make the fifo '%s' of --mark,", path);
  if (stat(path, &st) < 0 || !S_ISFIFO(st.st_mode))
    return err_set(err, -EEXIST,
                   "Invalid value for --mark: '%s' (expected a fifo, or a name "
                   "that is free)",
                   path);
  return 0;
}

int mark_fifo_new(struct mark_fifo **ret, const char *where, bool print,
                  struct leave *leave, struct err *err)
{
  struct mark_fifo *f = calloc(1, sizeof(*f));
  int rc;

  *ret = NULL;
  if (!f)
    return err_set(err, -ENOMEM, "not enough memory for marks");
  f->fd = f->wake = -1;
  f->print = print;
  f->leave = leave;
  f->marks = marks_new();
  rc = f->marks ? 0 : err_set(err, -ENOMEM, "not enough memory for marks");
  if (rc == 0)
    rc = strcmp(where, MARK_AUTO) == 0 ? mark_make_auto(f, err)
                                       : mark_make_named(f, where, err);
  if (rc == 0) {
    /* As a writer, too: the fifo has no end when other writers leave. */
    f->fd = open(f->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (f->fd < 0)
      rc = err_sys(err, "cannot open the fifo '%s' of --mark,", f->path);
  }
  if (rc == 0) {
    f->wake = eventfd(0, EFD_CLOEXEC);
    if (f->wake < 0)
      rc = err_sys(err, "cannot wait for marks,");
  }
  if (rc < 0) {
    mark_fifo_free(f);
    return rc;
  }
  *ret = f;
  return 0;
}

const char *mark_fifo_path(const struct mark_fifo *f)
{
  return f->path;
}

const struct marks *mark_fifo_marks(const struct mark_fifo *f)
{
  return f ? f->marks : NULL;
}

/* ---- the thread ---- */

static void mark_print(const struct marks *m, unsigned i)
{
  struct strbuf b = { 0 };

  strbuf_addf(&b, "[ %.3fs ] mark: %s\n", mark_at_s(m, i), mark_text(m, i));
  if (!b.failed)
    log_msg(LOG_NOTICE, "%s", strbuf_str(&b));
  strbuf_done(&b);
}

static void mark_end_line(struct mark_fifo *f, uint64_t now_ns)
{
  const size_t len = f->len < MARK_LINE ? f->len : utf8_whole(f->line, f->len);

  if (marks_add(f->marks, f->line, len, now_ns) && f->print)
    mark_print(f->marks, marks_count(f->marks) - 1);
  f->len = 0;
}

/* False: nothing. */
static bool mark_take(struct mark_fifo *f)
{
  char bytes[MARK_LINE];
  const ssize_t n = read(f->fd, bytes, sizeof(bytes));
  const uint64_t now_ns = clock_now_ns();

  for (ssize_t i = 0; i < n; i++) {
    if (bytes[i] == '\n')
      mark_end_line(f, now_ns);
    else if (f->len < MARK_LINE)
      f->line[f->len++] = bytes[i];
  }
  return n > 0;
}

static void *mark_read_marks(void *arg)
{
  struct mark_fifo *f = arg;
  struct pollfd of[] = { { .fd = f->fd, .events = POLLIN },
                         { .fd = f->wake, .events = POLLIN } };

  thread_set_name("marks");
  for (;;) {
    const int n = poll(of, ARRAY_SIZE(of), f->len > 0 ? MARK_REST_MS : -1);

    if (n == 0 || (n > 0 && of[1].revents == 0 && !mark_take(f)))
      mark_end_line(f, clock_now_ns());
    if (n > 0 && of[1].revents != 0)
      break;
  }
  for (int i = 0; i < MARK_LAST_READS && mark_take(f); i++)
    continue;
  mark_end_line(f, clock_now_ns());
  return NULL;
}

/* Leaves a thread behind that is stuck in a terminal. */
static void mark_stop(struct mark_fifo *f)
{
  const uint64_t one = 1;
  struct timespec until;

  if (!f->running)
    return;
  f->running = false;
  while (write(f->wake, &one, sizeof(one)) < 0 && errno == EINTR)
    continue;
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MARK_PATIENCE_S;
  if (pthread_timedjoin_np(f->thread, NULL, &until) != 0)
    leave_thread(f->leave);
}

/* Is the fifo still ours? */
static bool mark_is_there(const struct mark_fifo *f)
{
  struct stat there, here;

  return f->fd < 0 ||
         (lstat(f->path, &there) == 0 && fstat(f->fd, &here) == 0 &&
          there.st_dev == here.st_dev && there.st_ino == here.st_ino);
}

static void mark_remove_fifo(struct mark_fifo *f)
{
  if (f->made && mark_is_there(f))
    (void)unlink(f->path);
  f->made = false;
}

void mark_fifo_free(struct mark_fifo *f)
{
  if (!f)
    return;
  mark_stop(f);
  mark_remove_fifo(f);
  if (f->fd >= 0)
    (void)close(f->fd);
  if (f->wake >= 0)
    (void)close(f->wake);
  marks_free(f->marks);
  free(f);
}

/* ---- the reporter ---- */

static int mark_on_start(void *ctx, const struct run_start *start,
                         struct err *err)
{
  struct mark_fifo *f = ctx;
  int rc;

  marks_begin(f->marks, start->measured_ns);
  rc = thread_start_masked(&f->thread, mark_read_marks, f, err);
  f->running = rc == 0;
  return rc;
}

static int mark_on_final(void *ctx, const struct report_setup *setup,
                         const struct report *r, struct err *err)
{
  (void)setup, (void)r, (void)err;
  mark_stop(ctx);
  return 0;
}

static int mark_on_end(void *ctx, struct err *err)
{
  (void)err;
  mark_stop(ctx);
  mark_remove_fifo(ctx);
  return 0;
}

const struct reporter mark_reporter = {
  .name = "marks",
  .start = mark_on_start,
  .final = mark_on_final,
  .end = mark_on_end,
};
