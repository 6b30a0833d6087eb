/*
 * store_file.c - a mapped file survives the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ack/store.h"
#include "base/clock.h"
#include "base/err.h"

enum {
  PIECE = 4 << 20, /* mapped at a time */
  PIECE_CHUNKS = PIECE / ACK_CHUNK,
  PIECES_MAX = 1 << 18,
};

struct file {
  struct ack_store store; /* the header is in the first piece */
  int fd;
  char *path;
  _Atomic uint32_t next; /* next free chunk */
  pthread_mutex_t lock;  /* protects the rest, and the file's growth */
  size_t n_pieces;
  char **pieces; /* owned */
};

static struct file *file_of(struct ack_store *store)
{
  return (struct file *)(void *)store;
}

/* The caller holds the lock. */
static int store_file_add_piece(struct file *log)
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

/* Refuses to replace any file but a log. */
static int check_old(const struct file *log, off_t size, struct err *err)
{
  char magic[sizeof(ACK_MAGIC)] = "";

  if (size == 0)
    return 0;
  if (pread(log->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
      (magic[0] == '\0' || memcmp(magic, ACK_MAGIC "\n", sizeof(magic)) == 0))
    return 0; /* a log, or its zeros if the run was killed at once */
  return err_set(
    err, -EEXIST,
    "--ack-log: '%.400s' exists and is not an acknowledgement log; "
    "remove it, or choose another name",
    log->path);
}

static int store_file_open_file(struct file *log, struct err *err)
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
  rc = store_file_add_piece(log);
  if (rc < 0) {
    errno = -rc;
    return err_sys(err, "cannot write to '%.400s',", log->path);
  }
  log->store.header = (struct ack_header *)(void *)log->pieces[0];
  log->store.name = log->path;
  return 0;
}

static int store_file_take(struct ack_store *store, uint32_t client, char **ret)
{
  struct file *log = file_of(store);
  const uint32_t n = atomic_fetch_add(&log->next, 1);
  int rc = 0;

  (void)client;
  (void)pthread_mutex_lock(&log->lock);
  while (rc == 0 && n / PIECE_CHUNKS >= log->n_pieces)
    rc = store_file_add_piece(log);
  if (rc == 0)
    *ret = log->pieces[n / PIECE_CHUNKS] +
           (size_t)(n % PIECE_CHUNKS) * ACK_CHUNK;
  (void)pthread_mutex_unlock(&log->lock);
  return rc;
}

static void store_file_count_chunk(const char *chunk, struct ack_totals *t)
{
  const struct ack_record *r = (const struct ack_record *)(const void *)chunk +
                               1;

  for (int i = 0; i < ACK_RECORDS; i++, r++)
    ack_totals_add(t, atomic_load_explicit(&r->state, memory_order_acquire));
}

static int store_file_finish(struct ack_store *store, bool all_ended,
                             struct ack_totals *ret, struct err *err)
{
  struct file *log = file_of(store);
  struct ack_totals t = { 0 };
  uint32_t n;

  (void)pthread_mutex_lock(&log->lock);
  n = atomic_load(&log->next);
  if (n > log->n_pieces * PIECE_CHUNKS) /* the file could not grow */
    n = (uint32_t)(log->n_pieces * PIECE_CHUNKS);
  for (uint32_t i = 1; i < n; i++)
    store_file_count_chunk(log->pieces[i / PIECE_CHUNKS] +
                             (size_t)(i % PIECE_CHUNKS) * ACK_CHUNK,
                           &t);
  (void)pthread_mutex_unlock(&log->lock);
  *ret = t;
  if (!all_ended)
    return 0;
  store->header->chunks = n - 1;
  atomic_store(&store->header->end_ns, clock_now_ns());
  if (ftruncate(log->fd, (off_t)n * ACK_CHUNK) < 0)
    return err_sys(err, "cannot write to '%.400s',", log->path);
  return 0;
}

static void store_file_free_file(struct ack_store *store)
{
  struct file *log = file_of(store);

  for (size_t i = 0; i < log->n_pieces; i++)
    (void)munmap(log->pieces[i], PIECE);
  if (log->fd >= 0)
    (void)close(log->fd);
  (void)pthread_mutex_destroy(&log->lock);
  free(log->pieces);
  free(log->path);
  free(log);
}

static const struct ack_store_ops ops = {
  .take = store_file_take,
  .finish = store_file_finish,
  .free = store_file_free_file,
};

int ack_store_file(struct ack_store **ret, const char *path, struct err *err)
{
  struct file *log = calloc(1, sizeof(*log));
  int rc = 0;

  if (!log)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  log->store.ops = &ops;
  log->fd = -1;
  log->next = 1;
  (void)pthread_mutex_init(&log->lock, NULL);
  log->path = strdup(path);
  log->pieces = calloc(PIECES_MAX, sizeof(*log->pieces));
  if (!log->path || !log->pieces)
    rc = err_set(err, -ENOMEM, "not enough memory for --ack-log");
  if (rc == 0)
    rc = store_file_open_file(log, err);
  if (rc < 0) {
    store_file_free_file(&log->store);
    return rc;
  }
  *ret = &log->store;
  return 0;
}
