/*
 * log.c - the mapped file, its chunks and its records.
 */
#include "ack/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"

enum {
  PIECE = 4 << 20, /* bytes that are mapped at a time */
  PIECE_CHUNKS = PIECE / ACK_CHUNK,
  PIECES_MAX = 1 << 18, /* 1 TiB */
};

/* A client, with cache lines of its own. */
struct place {
  struct ack_client client;
  char unused[CACHE_LINE];
};

struct ack_log {
  int fd;
  char *path;
  struct ack_header *header; /* in the first piece */
  unsigned n_clients;
  struct place *places;  /* owned; of the clients */
  _Atomic uint32_t next; /* chunk that is given out next */
  pthread_mutex_t lock;  /* protects the rest, and growing the file */
  size_t n_pieces;
  char **pieces; /* owned */
};

/* ---- the file ---- */

/* Reserves and maps one more piece; the caller has the lock. */
static int add_piece(struct ack_log *log)
{
  const off_t at = (off_t)log->n_pieces * PIECE;
  void *mem;
  int rc;

  if (log->n_pieces == PIECES_MAX)
    return -EFBIG;
  do {
    rc = posix_fallocate(log->fd, at, PIECE);
  } while (rc == EINTR);
  if (rc != 0)
    return -rc;
  mem = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, log->fd, at);
  if (mem == MAP_FAILED)
    return -errno;
  log->pieces[log->n_pieces++] = mem;
  return 0;
}

/* Returns the chunk; NULL: *ret_rc says why not. */
static char *take_chunk(struct ack_log *log, int *ret_rc)
{
  const uint32_t n = atomic_fetch_add(&log->next, 1);
  char *chunk = NULL;
  int rc = 0;

  (void)pthread_mutex_lock(&log->lock);
  while (rc == 0 && n / PIECE_CHUNKS >= log->n_pieces)
    rc = add_piece(log);
  if (rc == 0)
    chunk = log->pieces[n / PIECE_CHUNKS] +
            (size_t)(n % PIECE_CHUNKS) * ACK_CHUNK;
  (void)pthread_mutex_unlock(&log->lock);
  *ret_rc = rc;
  return chunk;
}

static void fill_header(struct ack_log *log, const char *test)
{
  struct ack_header *h = log->header;
  struct timespec now;

  (void)clock_gettime(CLOCK_REALTIME, &now);
  h->order = ACK_ORDER;
  h->chunk_bytes = ACK_CHUNK;
  h->record_bytes = sizeof(struct ack_record);
  h->start_ns = clock_now_ns();
  h->start_real_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
  h->clients = log->n_clients;
  (void)snprintf(h->test, sizeof(h->test), "%s", test);
  memcpy(h->magic, ACK_MAGIC "\n", sizeof(ACK_MAGIC));
}

/* Another log is replaced, and no other file. */
static int check_old(const struct ack_log *log, off_t size, struct err *err)
{
  char magic[sizeof(ACK_MAGIC)] = "";

  if (size == 0)
    return 0;
  if (pread(log->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
      (magic[0] == '\0' || memcmp(magic, ACK_MAGIC "\n", sizeof(magic)) == 0))
    return 0; /* a log, or the begin of one whose run was killed at once */
  return err_set(err, -EEXIST,
                 "--ack-log: '%.400s' exists and is no acknowledgement log; "
                 "remove it, or choose another name",
                 log->path);
}

static int open_file(struct ack_log *log, const char *test, struct err *err)
{
  struct stat st;
  int rc;

  log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (log->fd < 0)
    return err_sys(err, "cannot open '%.400s' for writing,", log->path);
  if (fstat(log->fd, &st) < 0 || !S_ISREG(st.st_mode))
    return err_set(err, -EINVAL,
                   "--ack-log: '%.400s' is not a regular file (expected the "
                   "name of a file)",
                   log->path);
  if (flock(log->fd, LOCK_EX | LOCK_NB) < 0)
    return err_set(err, -EBUSY, "--ack-log: another run writes to '%.400s'",
                   log->path);
  rc = check_old(log, st.st_size, err);
  if (rc < 0)
    return rc;
  if (ftruncate(log->fd, 0) < 0)
    return err_sys(err, "cannot write to '%.400s',", log->path);
  rc = add_piece(log);
  if (rc < 0) {
    errno = -rc;
    return err_sys(err, "cannot write to '%.400s',", log->path);
  }
  log->header = (struct ack_header *)(void *)log->pieces[0];
  fill_header(log, test);
  return 0;
}

int ack_log_open(struct ack_log **ret, const char *path, unsigned clients,
                 const char *test, struct err *err)
{
  struct ack_log *log = calloc(1, sizeof(*log));
  int rc = 0;

  if (!log)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  log->fd = -1;
  log->n_clients = clients;
  log->next = 1; /* behind the header */
  (void)pthread_mutex_init(&log->lock, NULL);
  log->path = strdup(path);
  log->places = calloc(clients, sizeof(*log->places));
  log->pieces = calloc(PIECES_MAX, sizeof(*log->pieces));
  if (!log->path || !log->places || !log->pieces)
    rc = err_set(err, -ENOMEM, "not enough memory for --ack-log");
  for (unsigned i = 0; rc == 0 && i < clients; i++)
    log->places[i].client = (struct ack_client){ .log = log, .number = i };
  if (rc == 0)
    rc = open_file(log, test, err);
  if (rc < 0) {
    ack_log_free(log);
    return rc;
  }
  *ret = log;
  return 0;
}

int ack_log_describe(struct ack_log *log, enum ack_kind kind, unsigned flags,
                     double before, const char *query, struct err *err)
{
  struct ack_header *h = log->header;

  if (strlen(query) >= sizeof(h->query))
    return err_set(err, -E2BIG,
                   "the query of the acknowledgement log is too long (expected "
                   "less than %zu bytes)",
                   sizeof(h->query));
  if (h->kind != 0 && strcmp(h->query, query) != 0)
    return err_set(err, -EINVAL,
                   "the acknowledgement log has another query already: %.400s",
                   h->query);
  h->kind = kind;
  h->flags |= flags;
  h->before = before;
  memcpy(h->query, query, strlen(query) + 1);
  return 0;
}

/* ---- the end ---- */

static void count_chunk(const char *chunk, struct ack_totals *t)
{
  const struct ack_record *r = (const struct ack_record *)(const void *)chunk +
                               1;

  for (int i = 0; i < ACK_RECORDS; i++, r++) {
    switch (atomic_load_explicit(&r->state, memory_order_acquire)) {
    case ACK_ACKED:
      t->acked++;
      break;
    case ACK_ABORTED:
      t->aborted++;
      break;
    case ACK_INTENT:
    case ACK_UNKNOWN:
      t->unknown++;
      break;
    default:
      break;
    }
  }
}

int ack_log_finish(struct ack_log *log, bool all_ended, struct ack_totals *ret,
                   struct err *err)
{
  struct ack_totals t = { 0 };
  uint32_t n;

  (void)pthread_mutex_lock(&log->lock);
  n = atomic_load(&log->next);
  if (n > log->n_pieces * PIECE_CHUNKS) /* the file could not grow */
    n = (uint32_t)(log->n_pieces * PIECE_CHUNKS);
  for (uint32_t i = 1; i < n; i++)
    count_chunk(log->pieces[i / PIECE_CHUNKS] +
                  (size_t)(i % PIECE_CHUNKS) * ACK_CHUNK,
                &t);
  (void)pthread_mutex_unlock(&log->lock);
  *ret = t;
  if (!all_ended)
    return 0;
  log->header->chunks = n - 1;
  atomic_store(&log->header->end_ns, clock_now_ns());
  if (ftruncate(log->fd, (off_t)n * ACK_CHUNK) < 0)
    return err_sys(err, "cannot write to '%.400s',", log->path);
  return 0;
}

void ack_log_free(struct ack_log *log)
{
  if (!log)
    return;
  for (size_t i = 0; i < log->n_pieces; i++)
    (void)munmap(log->pieces[i], PIECE);
  if (log->fd >= 0)
    (void)close(log->fd);
  (void)pthread_mutex_destroy(&log->lock);
  free(log->pieces);
  free(log->places);
  free(log->path);
  free(log);
}

struct ack_client *ack_log_client(struct ack_log *log, unsigned number)
{
  return number < log->n_clients ? &log->places[number].client : NULL;
}

/* ---- records ---- */

static int next_chunk(struct ack_client *c)
{
  struct ack_chunk *chunk;
  int rc;

  chunk = (struct ack_chunk *)(void *)take_chunk(c->log, &rc);
  if (!chunk)
    return rc;
  chunk->client = c->number;
  chunk->number = c->chunks++;
  chunk->magic = ACK_CHUNK_MAGIC;
  c->at = (struct ack_record *)(void *)chunk + 1;
  c->end = c->at + ACK_RECORDS;
  return 0;
}

static struct ack_record *add(struct ack_client *c, uint64_t id,
                              enum ack_state state)
{
  struct ack_record *r = c->at++;

  r->id = id;
  r->intent_ns = clock_now_ns();
  r->client = c->number;
  r->check = ack_check(r);
  atomic_store_explicit(&r->state, (uint32_t)state, memory_order_release);
  return r;
}

int ack_intent(struct ack_client *c, uint64_t id)
{
  int rc = 0;

  if (UNLIKELY(c->n_pending == ACK_PENDING))
    return -E2BIG;
  if (UNLIKELY(c->at == c->end))
    rc = next_chunk(c);
  if (rc == 0)
    c->pending[c->n_pending++] = add(c, id, ACK_INTENT);
  return rc;
}

void ack_settle(struct ack_client *c, enum ack_state state)
{
  const uint64_t now = clock_now_ns();

  for (unsigned i = 0; i < c->n_pending; i++) {
    struct ack_record *r = c->pending[i];

    r->done_ns = now;
    atomic_store_explicit(&r->state, (uint32_t)state, memory_order_release);
  }
  c->n_pending = 0;
}

void ack_lost(struct ack_client *c)
{
  if (c->at != c->end || next_chunk(c) == 0)
    (void)add(c, 0, ACK_LOST);
}
