#include "verify/history/scribe.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum {
  FLUSH_BYTES = 1 << 16,
  OUTCOMES = 3
};

static const char *const words[OUTCOMES] = { "ok", "fail", "unknown" };

struct scribe_client {
  struct scribe *r;
  struct scribe_client *next;
  pthread_mutex_t lock; /* against the close */
  bool is_closed;
  uint32_t process;
  bool is_open;
  uint64_t begun_ns;
  struct strbuf ops;                /* owned; of the open transaction */
  struct strbuf lines;              /* owned; not in the file yet */
  _Atomic uint64_t ended[OUTCOMES]; /* by the client's thread */
};

struct scribe {
  char *path;
  int fd;
  enum history_kind kind;
  uint32_t n_clients;
  uint64_t start_ns;
  pthread_mutex_t lock; /* of the members below, and of writes to the file */
  struct scribe_client *clients; /* owned */
  struct err err;                /* the first one */
  int rc;
};

/* ---- the file ---- */

static int scribe_write_all(int fd, const char *text, size_t len)
{
  while (len > 0) {
    const ssize_t n = write(fd, text, len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    text += n;
    len -= (size_t)n;
  }
  return 0;
}

static void scribe_fail(struct scribe *r, int rc, const struct err *err)
{
  (void)pthread_mutex_lock(&r->lock);
  if (r->rc == 0) {
    r->rc = rc;
    r->err = *err;
  }
  (void)pthread_mutex_unlock(&r->lock);
}

/* After a failed write, which can have cut a line, nothing follows. */
static void scribe_put(struct scribe *r, const char *text, size_t len)
{
  (void)pthread_mutex_lock(&r->lock);
  if (r->rc == 0) {
    r->rc = scribe_write_all(r->fd, text, len);
    errno = -r->rc;
    if (r->rc)
      (void)err_sys(&r->err, "cannot write to '%.400s',", r->path);
  }
  (void)pthread_mutex_unlock(&r->lock);
}

/* Replaces only another history. */
static int check_old(const struct scribe *r, struct err *err)
{
  char magic[sizeof(HISTORY_MAGIC)] = "";
  struct stat st;

  if (fstat(r->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
    return 0;
  if (flock(r->fd, LOCK_EX | LOCK_NB) < 0)
    return err_set(err, -EBUSY, "another run writes to '%.400s'", r->path);
  if (pread(r->fd, magic, sizeof(magic) - 1, 0) < 0)
    return err_sys(err, "cannot read '%.400s',", r->path);
  if (strcmp(magic, HISTORY_MAGIC) != 0)
    return err_set(err, -EEXIST,
                   "'%.400s' exists and is not a history; remove it, or choose "
                   "another name",
                   r->path);
  if (ftruncate(r->fd, 0) < 0)
    return err_sys(err, "cannot write to '%.400s',", r->path);
  return 0;
}

static int scribe_put_head(struct scribe *r, struct err *err)
{
  const char *head = r->kind == HISTORY_LISTS ? HISTORY_MAGIC "lists\n"
                                              : HISTORY_MAGIC "registers\n";

  int rc;

  r->fd = open(r->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (r->fd < 0)
    return err_sys(err, "cannot write to '%.400s',", r->path);
  rc = check_old(r, err);
  if (rc < 0)
    return rc;
  scribe_put(r, head, strlen(head));
  if (r->rc)
    *err = r->err;
  return r->rc;
}

int scribe_open(struct scribe **ret, const char *path, enum history_kind kind,
                uint32_t clients, struct err *err)
{
  struct scribe *r = calloc(1, sizeof(*r));
  int rc;

  if (r)
    r->path = mem_strdup(path);
  if (!r || !r->path) {
    free(r);
    return err_set(err, -ENOMEM, "not enough memory for a history");
  }
  (void)pthread_mutex_init(&r->lock, NULL);
  r->kind = kind;
  r->n_clients = clients;
  rc = scribe_put_head(r, err);
  if (rc) {
    scribe_free(r);
    return rc;
  }
  r->start_ns = clock_now_ns();
  *ret = r;
  return 0;
}

void scribe_free(struct scribe *r)
{
  if (!r)
    return;
  while (r->clients) {
    struct scribe_client *c = r->clients;

    r->clients = c->next;
    (void)pthread_mutex_destroy(&c->lock);
    strbuf_done(&c->ops);
    strbuf_done(&c->lines);
    free(c);
  }
  if (r->fd >= 0)
    (void)close(r->fd);
  (void)pthread_mutex_destroy(&r->lock);
  free(r->path);
  free(r);
}

/* ---- clients ---- */

struct scribe_client *scribe_join(struct scribe *r, uint32_t number)
{
  struct scribe_client *c = calloc(1, sizeof(*c));

  if (!c)
    return NULL;
  c->r = r;
  c->process = number;
  (void)pthread_mutex_init(&c->lock, NULL);
  (void)pthread_mutex_lock(&r->lock);
  c->next = r->clients;
  r->clients = c;
  (void)pthread_mutex_unlock(&r->lock);
  return c;
}

static void scribe_add_number(struct strbuf *to, uint64_t n)
{
  char digits[FMT_INT_SIZE];

  strbuf_add(to, digits, fmt_uint(digits, n));
}

static void scribe_flush(struct scribe_client *c)
{
  struct err err;

  if (c->lines.failed) {
    (void)err_set(&err, -ENOMEM, "not enough memory for the history '%.400s'",
                  c->r->path);
    scribe_fail(c->r, -ENOMEM, &err);
  } else if (c->lines.len > 0) {
    scribe_put(c->r, c->lines.text, c->lines.len);
  }
  strbuf_clear(&c->lines);
}

static void end(struct scribe_client *c, enum history_outcome outcome,
                uint64_t now_ns)
{
  if (!c->is_open)
    return;
  c->is_open = false;
  scribe_add_number(&c->lines, c->process);
  strbuf_add(&c->lines, " ", 1);
  scribe_add_number(&c->lines, c->begun_ns);
  strbuf_add(&c->lines, " ", 1);
  if (outcome == HISTORY_UNKNOWN)
    strbuf_add(&c->lines, "-", 1);
  else
    scribe_add_number(&c->lines, now_ns > c->begun_ns ? now_ns : c->begun_ns);
  strbuf_add(&c->lines, " ", 1);
  strbuf_adds(&c->lines, words[outcome]);
  strbuf_add(&c->lines, strbuf_str(&c->ops), c->ops.len);
  strbuf_add(&c->lines, "\n", 1);
  c->lines.failed = c->lines.failed || c->ops.failed;
  if (outcome == HISTORY_UNKNOWN)
    c->process += c->r->n_clients;
  atomic_fetch_add_explicit(&c->ended[outcome], 1, memory_order_relaxed);
  if (c->lines.len >= FLUSH_BYTES || c->lines.failed)
    scribe_flush(c);
}

/* False: closed, and nothing is locked. */
static bool scribe_enter(struct scribe_client *c)
{
  (void)pthread_mutex_lock(&c->lock);
  if (!c->is_closed)
    return true;
  (void)pthread_mutex_unlock(&c->lock);
  return false;
}

void scribe_begin(struct scribe_client *c)
{
  const uint64_t now_ns = clock_now_ns() - c->r->start_ns;

  if (!scribe_enter(c))
    return;
  end(c, HISTORY_UNKNOWN, now_ns); /* its outcome is unknown */
  strbuf_clear(&c->ops);
  c->begun_ns = now_ns;
  c->is_open = true;
  (void)pthread_mutex_unlock(&c->lock);
}

void scribe_write(struct scribe_client *c, uint64_t key, uint64_t value)
{
  if (!scribe_enter(c))
    return;
  strbuf_adds(&c->ops, c->r->kind == HISTORY_LISTS ? " a:" : " w:");
  scribe_add_number(&c->ops, key);
  strbuf_add(&c->ops, "=", 1);
  scribe_add_number(&c->ops, value);
  (void)pthread_mutex_unlock(&c->lock);
}

void scribe_read(struct scribe_client *c, uint64_t key)
{
  if (!scribe_enter(c))
    return;
  strbuf_adds(&c->ops, " r:");
  scribe_add_number(&c->ops, key);
  (void)pthread_mutex_unlock(&c->lock);
}

/* Can the reader take the value? */
static bool scribe_is_value(const struct scribe *r, const char *text,
                            size_t len)
{
  for (size_t i = 0; i < len; i++) {
    if (text[i] == ',' && r->kind == HISTORY_LISTS && i > 0 && i + 1 < len &&
        text[i + 1] != ',')
      continue;
    if (text[i] < '0' || text[i] > '9')
      return false;
  }
  return true;
}

void scribe_answer(struct scribe_client *c, const char *text, size_t len)
{
  struct err err;

  if (!scribe_enter(c))
    return;
  strbuf_add(&c->ops, "=", 1);
  strbuf_add(&c->ops, text, len);
  (void)pthread_mutex_unlock(&c->lock);
  if (!scribe_is_value(c->r, text, len))
    scribe_fail(
      c->r,
      err_set(&err, -EINVAL,
              "the history '%.400s' is cut off: the database has answered "
              "'%.*s', which nobody has written",
              c->r->path, (int)(len < 80 ? len : 80), text),
      &err);
}

void scribe_end(struct scribe_client *c, enum history_outcome outcome)
{
  const uint64_t now_ns = clock_now_ns() - c->r->start_ns;

  if (!scribe_enter(c))
    return;
  end(c, outcome, now_ns);
  (void)pthread_mutex_unlock(&c->lock);
}

uint64_t scribe_count(struct scribe *r, enum history_outcome outcome)
{
  uint64_t n = 0;

  (void)pthread_mutex_lock(&r->lock);
  for (const struct scribe_client *c = r->clients; c; c = c->next)
    n += atomic_load_explicit(&c->ended[outcome], memory_order_relaxed);
  (void)pthread_mutex_unlock(&r->lock);
  return n;
}

int scribe_close(struct scribe *r, struct err *err)
{
  struct strbuf last = { 0 };
  uint64_t n = 0;

  for (struct scribe_client *c = r->clients; c; c = c->next) {
    (void)pthread_mutex_lock(&c->lock);
    end(c, HISTORY_UNKNOWN, 0);
    scribe_flush(c);
    c->is_closed = true;
    (void)pthread_mutex_unlock(&c->lock);
  }
  for (unsigned o = 0; o < OUTCOMES; o++)
    n += scribe_count(r, (enum history_outcome)o);
  strbuf_adds(&last, "end ");
  scribe_add_number(&last, n);
  strbuf_adds(&last, "\n");
  if (last.failed && r->rc == 0)
    r->rc = err_set(&r->err, -ENOMEM, "not enough memory for a history");
  scribe_put(r, last.text, last.len);
  strbuf_done(&last);
  if (r->rc)
    *err = r->err;
  return r->rc;
}
