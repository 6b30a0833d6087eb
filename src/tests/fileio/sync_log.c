#include "tests/fileio/sync_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ack/link.h"
#include "ack/sender.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"

/* ---- on another machine ---- */

enum {
  MOST_BYTES = 256 << 20, /* waiting for the listener */
  EARLY_CHUNKS = 16384,
};

struct sync_remote {
  struct ack_sender sender;
  struct ack_teller teller;
  struct sync_log_header header;
  struct sync_pieces pieces;
  struct sync_log_record nothing; /* only its address counts */
  _Atomic uint64_t passed;        /* earlier pieces are gone */
  _Atomic uint64_t gaps;

  /* Of the sender's thread. */
  uint64_t at;     /* next record to send */
  uint64_t copied; /* records before it, without gaps */
  bool has_header; /* was sent */
  uint64_t arrived;
};

static uint64_t sync_remote_bytes_of(const struct sync_pieces *p)
{
  return p->records * sizeof(struct sync_log_record);
}

struct sync_log_record *sync_remote_nothing(struct sync_remote *r)
{
  return &r->nothing;
}

int sync_remote_make(struct sync_remote *r, uint64_t i, struct err *err)
{
  const struct sync_pieces *p = &r->pieces;
  struct sync_log_record *piece = &r->nothing;

  if ((i - atomic_load(&r->passed)) * sync_remote_bytes_of(p) < MOST_BYTES) {
    piece = mem_pages(sync_remote_bytes_of(p));
    if (!piece)
      return err_set(err, -ENOMEM, "not enough memory for --file-ack-log");
  } else {
    (void)atomic_fetch_add(&r->gaps, 1);
  }
  /* Pairs with the acquire of threads that add records. */
  atomic_store_explicit(&p->of[i], piece, memory_order_release);
  return 0;
}

static uint64_t sync_remote_copy(struct ack_bytes *b,
                                 const struct sync_log_record *of,
                                 uint64_t first, uint64_t last, uint64_t at)
{
  uint64_t n = 0;

  while (first + n < last && ack_bytes_have_room(b, (n + 1) * sizeof(*of)) &&
         atomic_load_explicit(&of[first + n].check, memory_order_acquire) != 0)
    n++;
  if (n > 0)
    ack_bytes_put(b, SYNC_LOG_HEADER_BYTES + at * sizeof(*of), &of[first],
                  n * sizeof(*of));
  return n;
}

/* Returns how many of n missing records have a place in the file. */
static uint64_t sync_remote_leave_out(struct ack_bytes *b, uint64_t n,
                                      uint64_t at)
{
  const uint64_t each = ACK_WIRE_CHUNK / sizeof(struct sync_log_record);
  const uint64_t from = SYNC_LOG_HEADER_BYTES / ACK_WIRE_CHUNK + at / each;

  return (ack_bytes_begin(b, from, from + n / each) - from) * each;
}

static void sync_remote_free_piece(struct sync_remote *r, uint64_t i,
                                   struct sync_log_record *piece)
{
  atomic_store_explicit(&r->pieces.of[i], &r->nothing, memory_order_release);
  atomic_store(&r->passed, i + 1);
  if (piece != &r->nothing)
    mem_pages_free(piece, sync_remote_bytes_of(&r->pieces));
}

/* False: no complete record follows, or the batch is full. */
static bool sync_remote_copy_piece(struct sync_remote *r, struct ack_bytes *b)
{
  const struct sync_pieces *p = &r->pieces;
  const uint64_t i = r->at / p->records, k = r->at % p->records;
  struct sync_log_record *piece = NULL;
  uint64_t n = p->records - k;

  if (i < p->most && r->at < atomic_load(p->count))
    piece = atomic_load_explicit(&p->of[i], memory_order_acquire);
  if (!piece)
    return false;
  if (piece == &r->nothing) {
    n = sync_remote_leave_out(b, n, r->at);
  } else {
    n = sync_remote_copy(b, piece, k, p->records, r->at);
    r->copied += n;
  }
  r->at += n;
  if (k + n < p->records)
    return false;
  sync_remote_free_piece(r, i, piece);
  return true;
}

static bool sync_remote_fill(void *arg, struct ack_bytes *b, bool beat,
                             bool ending)
{
  struct sync_remote *r = arg;

  if (beat || ending || !r->has_header) /* also in the last batch */
    ack_bytes_put(b, 0, &r->header, sizeof(r->header));
  r->has_header = true;
  while (sync_remote_copy_piece(r, b))
    ;
  if (!ack_bytes_have_room(b, sizeof(struct sync_log_record)))
    return true;
  b->last = ending;
  return false;
}

static void sync_remote_note_arrived(void *arg)
{
  struct sync_remote *r = arg;

  r->arrived = r->copied;
}

static bool sync_remote_has_gaps(void *arg)
{
  struct sync_remote *r = arg;

  return atomic_load(&r->gaps) > 0;
}

/* ---- begin and end ---- */

int sync_remote_new(struct sync_remote **ret, const char *address,
                    const struct sync_log_header *header,
                    const struct sync_pieces *pieces, struct err *err)
{
  struct sync_remote *r = calloc(1, sizeof(*r));
  const struct ack_source source = {
    .arg = r,
    .chunks = EARLY_CHUNKS,
    .fill = sync_remote_fill,
    .delivered = sync_remote_note_arrived,
    .has_gaps = sync_remote_has_gaps,
  };
  struct ack_notices notices;
  int rc;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory for --file-ack-log");
  r->teller = (struct ack_teller){ "--file-ack-log", address };
  r->header = *header;
  r->pieces = *pieces;
  notices = ack_tell(&r->teller);
  rc = ack_sender_init(&r->sender, address, &source, &notices, err);
  if (rc < 0)
    err_prefix(err, "--file-ack-log: no listener at %.200s", address);
  else
    rc = ack_sender_start(&r->sender, err);
  if (rc < 0) {
    sync_remote_free(r);
    return rc;
  }
  *ret = r;
  return 0;
}

int sync_remote_end(struct sync_remote *r, struct err *err)
{
  const uint64_t all = atomic_load(r->pieces.count);
  uint64_t missing;

  ack_sender_end(&r->sender);
  /* A forced run can have added records since. */
  missing = all - min_u64(r->arrived, all);
  if (!r->sender.complete)
    return err_set(err, -EPIPE,
                   "--file-ack-log: the log '%s' at %.200s is not complete, "
                   "%" PRIu64 " of %" PRIu64 " records are not there: %.400s",
                   r->sender.link.file, r->teller.address, missing, all,
                   r->sender.why.text);
  if (sync_remote_has_gaps(r))
    return err_set(err, -ENOBUFS,
                   "--file-ack-log: the log '%s' at %.200s has gaps, %" PRIu64
                   " of %" PRIu64
                   " records are not there: the listener was too slow",
                   r->sender.link.file, r->teller.address, missing, all);
  if (missing > 0)
    return err_set(err, -EPIPE,
                   "--file-ack-log: the log '%s' at %.200s is not complete, "
                   "%" PRIu64 " of %" PRIu64 " records are not there: the run "
                   "ended while they were written",
                   r->sender.link.file, r->teller.address, missing, all);
  log_msg(LOG_NOTICE,
          "\nLog of acknowledged writes '%s' at %s: %" PRIu64 " records\n",
          r->sender.link.file, r->teller.address, all);
  return 0;
}

void sync_remote_free(struct sync_remote *r)
{
  if (!r)
    return;
  ack_sender_done(&r->sender);
  for (uint64_t i = 0; i < r->pieces.most && r->pieces.of[i]; i++) {
    if (r->pieces.of[i] != &r->nothing)
      mem_pages_free(r->pieces.of[i], sync_remote_bytes_of(&r->pieces));
  }
  free(r);
}

/* The file grows by segments, each mapped alone. */
#define SEGMENT_BYTES (UINT64_C(4) << 20)
#define SEGMENT_RECORDS (SEGMENT_BYTES / sizeof(struct sync_log_record))

enum {
  MAX_SEGMENTS = 1 << 20 /* 4 TiB */
};

struct sync_log {
  const char *path;
  int fd;                          /* -1: no file here */
  struct sync_remote *remote;      /* owned; or NULL */
  struct sync_log_record *nothing; /* segment that takes no records, or NULL */
  uint64_t run, start_ns;

  /* [MAX_SEGMENTS]; mapped under the lock when needed. */
  struct sync_log_record *_Atomic *segment;
  pthread_mutex_t grow;

  _Atomic uint64_t count CACHE_ALIGNED; /* records of all threads */
};

static int sync_log_check_old(const struct sync_log *log, struct err *err)
{
  char magic[sizeof(SYNC_LOG_MAGIC)];
  struct stat st;

  if (fstat(log->fd, &st) < 0)
    return err_sys(err, "Cannot look at file '%s'", log->path);
  if (!S_ISREG(st.st_mode))
    return err_set(err, -EINVAL,
                   "Invalid value for --file-ack-log: '%s' (expected a file)",
                   log->path);
  if (st.st_size == 0 ||
      (pread(log->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
       memcmp(magic, SYNC_LOG_MAGIC, sizeof(magic)) == 0))
    return 0;
  return err_set(err, -EEXIST,
                 "Invalid value for --file-ack-log: '%s' (expected a new file, "
                 "or the log of another run; this file is something else)",
                 log->path);
}

/* Room comes first: a full disk is an error, and no signal. */
static int sync_log_map_segment(struct sync_log *log, uint64_t i,
                                struct err *err)
{
  const off_t at = (off_t)(SYNC_LOG_HEADER_BYTES + i * SEGMENT_BYTES);
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
  /* Pairs with the acquire in sync_log_add(). */
  atomic_store_explicit(&log->segment[i], p, memory_order_release);
  return 0;
}

static int sync_log_open_file(struct sync_log *log,
                              const struct sync_log_header *header,
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
  rc = sync_log_check_old(log, err);
  if (rc < 0)
    return rc;
  if (ftruncate(log->fd, 0) < 0 ||
      ftruncate(log->fd, SYNC_LOG_HEADER_BYTES) < 0 ||
      pwrite(log->fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
    return err_sys(err, "Cannot write file '%s'", log->path);
  return sync_log_map_segment(log, 0, err);
}

static int sync_log_open_remote(struct sync_log *log, const char *address,
                                const struct sync_log_header *header,
                                struct err *err)
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

static int sync_log_open(struct sync_log *log,
                         const struct sync_log_header *header, struct err *err)
{
  const char *address = ack_link_address(log->path);
  struct sync_log_header h = *header;

  memcpy(h.magic, SYNC_LOG_MAGIC, sizeof(SYNC_LOG_MAGIC));
  if (address)
    h.where |= SYNC_LOG_SENT;
  h.check = sync_log_header_check(&h);
  return address ? sync_log_open_remote(log, address, &h, err)
                 : sync_log_open_file(log, &h, err);
}

int sync_log_new(struct sync_log **ret, const char *path,
                 const struct sync_log_header *header, struct err *err)
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
  rc = log->segment ? sync_log_open(log, header, err)
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

static void sync_log_close_file(const struct sync_log *log)
{
  for (uint64_t i = 0; log->segment && i < MAX_SEGMENTS && log->segment[i]; i++)
    (void)munmap(log->segment[i], SEGMENT_BYTES);
  if (log->segment && log->segment[0])
    (void)!ftruncate(log->fd,
                     (off_t)(SYNC_LOG_HEADER_BYTES +
                             log->count * sizeof(struct sync_log_record)));
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
    sync_log_close_file(log);
  mem_pages_free((void *)log->segment, MAX_SEGMENTS * sizeof(void *));
  (void)pthread_mutex_destroy(&log->grow);
  free(log);
}

static COLD int sync_log_grow(struct sync_log *log, uint64_t i, struct err *err)
{
  int rc = 0;

  (void)pthread_mutex_lock(&log->grow);
  if (i >= MAX_SEGMENTS)
    rc = err_set(err, -EFBIG, "The log '%s' of acknowledged writes is full",
                 log->path);
  else if (!atomic_load_explicit(&log->segment[i], memory_order_relaxed))
    rc = log->remote ? sync_remote_make(log->remote, i, err)
                     : sync_log_map_segment(log, i, err);
  (void)pthread_mutex_unlock(&log->grow);
  return rc;
}

int sync_log_add(struct sync_log *log, struct sync_log_record r,
                 struct err *err)
{
  /* The write or fsync came before: threads that see the count by acquire are
   * behind it. */
  const uint64_t index = atomic_fetch_add_explicit(&log->count, 1,
                                                   memory_order_acq_rel);
  const uint64_t i = index / SEGMENT_RECORDS;
  struct sync_log_record *segment = NULL;
  struct sync_log_record *to;
  uint32_t check;

  if (LIKELY(i < MAX_SEGMENTS))
    segment = atomic_load_explicit(&log->segment[i], memory_order_acquire);
  if (UNLIKELY(!segment)) {
    const int rc = sync_log_grow(log, i, err);

    if (rc < 0)
      return rc;
    segment = atomic_load_explicit(&log->segment[i], memory_order_acquire);
  }
  if (UNLIKELY(segment == log->nothing))
    return 0;
  r.ms = (uint32_t)((clock_now_ns() - log->start_ns) / NS_PER_MS);
  check = sync_log_check(&r, log->run, index);
  /* Others can look at the check word. */
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
