/*
 * sync_log.c - writes the log of acknowledged writes.
 */
#include "tests/fileio/sync_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ack/link.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "tests/fileio/sync_remote.h"

/* The file grows by this much, and each piece is mapped for itself. */
#define SEGMENT_BYTES (UINT64_C(4) << 20)
#define SEGMENT_RECORDS (SEGMENT_BYTES / sizeof(struct ack_record))

enum {
  MAX_SEGMENTS = 1 << 20 /* 4 TiB */
};

struct sync_log {
  /* Constant. */
  const char *path;
  int fd;                     /* -1: there is no file here... */
  struct sync_remote *remote; /* ...but on another machine; owned */
  struct ack_record *nothing; /* a segment that takes no records; NULL: none */
  uint64_t run, start_ns;

  /* [MAX_SEGMENTS] mapped when they are needed, under the lock. */
  struct ack_record *_Atomic *segment;
  pthread_mutex_t grow;

  _Atomic uint64_t count CACHE_ALIGNED; /* records, of all threads */
};

/* Finds out whether the file may be replaced. */
static int check_old(const struct sync_log *log, struct err *err)
{
  char magic[sizeof(ACK_MAGIC)];
  struct stat st;

  if (fstat(log->fd, &st) < 0)
    return err_sys(err, "Cannot look at file '%s'", log->path);
  if (!S_ISREG(st.st_mode))
    return err_set(err, -EINVAL,
                   "Invalid value for --file-ack-log: '%s' (expected a file)",
                   log->path);
  if (st.st_size == 0 ||
      (pread(log->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
       memcmp(magic, ACK_MAGIC, sizeof(magic)) == 0))
    return 0;
  return err_set(err, -EEXIST,
                 "Invalid value for --file-ack-log: '%s' (expected a new file, "
                 "or the log of another run; this file is something else)",
                 log->path);
}

/* Makes room in the file first: a full disk is an error here, and no signal. */
static int map_segment(struct sync_log *log, uint64_t i, struct err *err)
{
  const off_t at = (off_t)(ACK_HEADER_BYTES + i * SEGMENT_BYTES);
  void *p;
  int rc;

  do {
    rc = posix_fallocate(log->fd, at, (off_t)SEGMENT_BYTES);
  } while (rc == EINTR);
  if (rc != 0) {
    errno = rc;
    return err_sys(err, "Cannot extend the log '%s' of acknowledged writes",
                   log->path);
  }
  p = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, log->fd,
           at);
  if (p == MAP_FAILED)
    return err_sys(err, "Cannot map the log '%s' of acknowledged writes",
                   log->path);
  /* Release: pairs with the acquire in sync_log_add(). */
  atomic_store_explicit(&log->segment[i], p, memory_order_release);
  return 0;
}

static int open_file(struct sync_log *log, const struct ack_header *header,
                     struct err *err)
{
  int rc;

  log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (log->fd < 0)
    return err_sys(err, "Cannot open file '%s'", log->path);
  if (flock(log->fd, LOCK_EX | LOCK_NB) < 0)
    return err_set(err, -EBUSY,
                   "Invalid value for --file-ack-log: another run writes to "
                   "'%s'",
                   log->path);
  rc = check_old(log, err);
  if (rc < 0)
    return rc;
  if (ftruncate(log->fd, 0) < 0 || ftruncate(log->fd, ACK_HEADER_BYTES) < 0 ||
      pwrite(log->fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
    return err_sys(err, "Cannot write file '%s'", log->path);
  return map_segment(log, 0, err);
}

static int open_remote(struct sync_log *log, const char *address,
                       const struct ack_header *header, struct err *err)
{
  const struct sync_pieces pieces = { .of = log->segment,
                                      .most = MAX_SEGMENTS,
                                      .records = SEGMENT_RECORDS,
                                      .count = &log->count };
  const int rc = sync_remote_new(&log->remote, address, header, &pieces, err);

  if (rc == 0)
    log->nothing = sync_remote_nothing(log->remote);
  return rc;
}

/* The header is complete but for what this file knows. */
static int open_log(struct sync_log *log, const struct ack_header *header,
                    struct err *err)
{
  const char *address = ack_link_address(log->path);
  struct ack_header h = *header;

  memcpy(h.magic, ACK_MAGIC, sizeof(ACK_MAGIC));
  if (address)
    h.where |= ACK_SENT;
  h.check = ack_header_check(&h);
  return address ? open_remote(log, address, &h, err) : open_file(log, &h, err);
}

int sync_log_new(struct sync_log **ret, const char *path,
                 const struct ack_header *header, struct err *err)
{
  struct sync_log *log = mem_aligned(1, sizeof(*log), CACHE_LINE);
  int rc;

  if (!log)
    return err_set(err, -ENOMEM, "cannot allocate a log");
  log->path = path;
  log->fd = -1;
  log->run = header->run;
  log->start_ns = clock_now_ns();
  (void)pthread_mutex_init(&log->grow, NULL);
  log->segment = mem_pages(MAX_SEGMENTS * sizeof(void *));
  rc = log->segment ? open_log(log, header, err)
                    : err_set(err, -ENOMEM, "cannot allocate a log");
  if (rc < 0)
    sync_log_free(log);
  else
    *ret = log;
  return rc;
}

bool sync_log_is_in(const struct sync_log *log, uint64_t device)
{
  struct stat st;

  return log->fd >= 0 && fstat(log->fd, &st) == 0 &&
         (uint64_t)st.st_dev == device;
}

static void close_file(const struct sync_log *log)
{
  for (uint64_t i = 0; log->segment && i < MAX_SEGMENTS && log->segment[i]; i++)
    (void)munmap(log->segment[i], SEGMENT_BYTES);
  if (log->segment && log->segment[0])
    (void)!ftruncate(log->fd, (off_t)(ACK_HEADER_BYTES +
                                      log->count * sizeof(struct ack_record)));
  (void)close(log->fd);
}

int sync_log_end(struct sync_log *log, struct err *err)
{
  return log->remote ? sync_remote_end(log->remote, err) : 0;
}

void sync_log_free(struct sync_log *log)
{
  if (!log)
    return;
  sync_remote_free(log->remote);
  if (log->fd >= 0)
    close_file(log);
  mem_pages_free((void *)log->segment, MAX_SEGMENTS * sizeof(void *));
  (void)pthread_mutex_destroy(&log->grow);
  free(log);
}

static COLD int grow(struct sync_log *log, uint64_t i, struct err *err)
{
  int rc = 0;

  (void)pthread_mutex_lock(&log->grow);
  if (i >= MAX_SEGMENTS)
    rc = err_set(err, -EFBIG, "The log '%s' of acknowledged writes is full",
                 log->path);
  else if (!atomic_load_explicit(&log->segment[i], memory_order_relaxed))
    rc = log->remote ? sync_remote_make(log->remote, i, err)
                     : map_segment(log, i, err);
  (void)pthread_mutex_unlock(&log->grow);
  return rc;
}

int sync_log_add(struct sync_log *log, struct ack_record r, struct err *err)
{
  /*
   * Release: the write or the fsync of which the record tells came before, so
   * who sees the count with acquire is behind it.
   */
  const uint64_t index = atomic_fetch_add_explicit(&log->count, 1,
                                                   memory_order_acq_rel);
  const uint64_t i = index / SEGMENT_RECORDS;
  struct ack_record *segment = NULL;
  struct ack_record *to;
  uint32_t check;

  if (LIKELY(i < MAX_SEGMENTS))
    segment = atomic_load_explicit(&log->segment[i], memory_order_acquire);
  if (UNLIKELY(!segment)) {
    const int rc = grow(log, i, err);

    if (rc < 0)
      return rc;
    segment = atomic_load_explicit(&log->segment[i], memory_order_acquire);
  }
  if (UNLIKELY(segment == log->nothing))
    return 0;
  r.ms = (uint32_t)((clock_now_ns() - log->start_ns) / NS_PER_MS);
  check = ack_check(&r, log->run, index);
  /* Others may look at the check word meanwhile. */
  to = &segment[index % SEGMENT_RECORDS];
  memcpy((char *)to + sizeof(to->check), (char *)&r + sizeof(r.check),
         sizeof(r) - sizeof(r.check));
  atomic_store_explicit(&to->check, check, memory_order_release);
  return 0;
}

uint64_t sync_log_count(const struct sync_log *log)
{
  return atomic_load_explicit(&log->count, memory_order_acquire);
}
