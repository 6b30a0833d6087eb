/*
 * uring.c - I/O mode io_uring: a ring per thread, with registered files and
 * buffers.
 */
#include <ck_pr.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "base/log.h"
#include "base/machine/cgroup.h"
#include "run/plan.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/queue.h"

enum {
  MAX_LINE = 256,          /* submission entries */
  MAX_COMPLETIONS = 65536, /* the kernel keeps more */
};

#define SQPOLL_IDLE_MS 1000 /* then the kernel's thread sleeps */

#define MAX_REGION (UINT64_C(1) << 30)

struct uring {
  struct io_uring ring;
  bool ring_made;
  bool fixed_files;
  bool sqpoll;         /* no system call to submit */
  uint64_t per_region; /* slots per registered buffer; 0: none */
  struct patience patience;
};

static unsigned uring_power_of_two(unsigned n, unsigned max)
{
  unsigned p = 1;

  while (p < n && p < max)
    p *= 2;
  return p;
}

/* Closing a ring does not wait for requests in flight, which use the
 * buffers. */
static void uring_await_all(struct queue *q)
{
  struct uring *u = q->impl;

  while (q->in_flight > q->in_line) {
    struct io_uring_cqe *cqe;
    const int rc = io_uring_wait_cqe(&u->ring, &cqe);

    if (rc == -EINTR)
      continue;
    if (rc < 0)
      return;
    io_uring_cqe_seen(&u->ring, cqe);
    q->in_flight--;
  }
}

static void uring_done(struct queue *q)
{
  struct uring *u = q->impl;

  if (u->ring_made)
    uring_await_all(q);
  /* The kernel closes rings in the background: deleted files would keep their
   * space meanwhile. */
  if (u->fixed_files)
    (void)io_uring_unregister_files(&u->ring);
  if (u->ring_made)
    io_uring_queue_exit(&u->ring);
  free(u);
  q->impl = NULL;
}

static uint64_t uring_raise_memlock(void)
{
  struct rlimit limit = { 0, 0 };

  (void)getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_MEMLOCK, &limit);
    (void)getrlimit(RLIMIT_MEMLOCK, &limit);
  }
  return limit.rlim_cur;
}

/* By a filter, as in containers. */
static bool uring_is_refused(int number)
{
  return number == EPERM || number == ENOSYS || number == EACCES;
}

static int uring_tell_no_ring(int number, struct err *err)
{
  const uint64_t memlock = uring_raise_memlock(); /* changes errno */

  errno = number;
  if (uring_is_refused(number))
    return err_sys(err,
                   "The system does not allow io_uring: see "
                   "kernel.io_uring_disabled and the seccomp filter of the "
                   "container; --file-io-mode=async or sync does without;");
  return err_sys(err,
                 "Cannot set up an io_uring (RLIMIT_MEMLOCK is %" PRIu64
                 " bytes, see ulimit -l)",
                 memlock);
}

static int uring_make_ring(struct queue *q, struct err *err)
{
  /* Completions need not interrupt the thread: a flag announces them. Kernels
   * before 6.0 lack flags. */
  static const unsigned flags[2][2] = {
    { IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN |
        IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SINGLE_ISSUER,
      IORING_SETUP_CQSIZE },
    { IORING_SETUP_CQSIZE | IORING_SETUP_SQPOLL | IORING_SETUP_SINGLE_ISSUER,
      IORING_SETUP_CQSIZE | IORING_SETUP_SQPOLL },
  };
  struct uring *u = q->impl;
  int rc = -EINVAL;

  u->sqpoll = q->io->fio->cfg->sqpoll;
  for (unsigned i = 0; i < 2; i++) {
    struct io_uring_params p = {
      .flags = flags[u->sqpoll][i],
      .sq_thread_idle = SQPOLL_IDLE_MS,
      .cq_entries = uring_power_of_two(
        q->depth < MAX_LINE ? MAX_LINE : q->depth, MAX_COMPLETIONS),
    };

    rc = io_uring_queue_init_params(uring_power_of_two(q->depth, MAX_LINE),
                                    &u->ring, &p);
    if (rc != -EINVAL)
      break;
  }
  if (rc < 0)
    return uring_tell_no_ring(-rc, err);
  u->ring_made = true;
  return 0;
}

/* Too little locked memory, or a filter: requests work, a bit slower. */
static void uring_warn_unregistered(const struct queue *q, int number)
{
  if (atomic_flag_test_and_set(&q->io->fio->warned))
    return;
  if (uring_is_refused(number)) {
    log_advise("the system does not allow to register buffers with io_uring, "
               "which makes requests slower: see the seccomp filter of the "
               "container");
    return;
  }
  log_advise("the limit of locked memory is too low to register the buffers of "
             "all threads with io_uring, which makes requests slower, %u times "
             "%" PRIu64 " bytes, and RLIMIT_MEMLOCK is %" PRIu64
             " (see ulimit -l)",
             q->io->w->plan->threads, (uint64_t)q->depth * q->stride,
             uring_raise_memlock());
}

/* In as few pieces as the kernel allows. */
static int uring_register_buffers(struct queue *q, struct err *err)
{
  struct uring *u = q->impl;
  const uint64_t per = MAX_REGION / q->stride;
  struct iovec *piece;
  unsigned n;
  int rc;

  if (per == 0)
    return 0;
  n = (unsigned)((q->depth + per - 1) / per);
  piece = calloc(n, sizeof(*piece));
  if (!piece)
    return err_set(err, -ENOMEM, "cannot allocate %u buffers", n);
  for (unsigned i = 0; i < n; i++) {
    const uint64_t left = q->depth - i * per;

    piece[i].iov_base = q->buf + i * per * q->stride;
    piece[i].iov_len = (left < per ? left : per) * q->stride;
  }
  rc = io_uring_register_buffers(&u->ring, piece, n);
  free(piece);
  if (rc == -ENOMEM || uring_is_refused(-rc)) {
    uring_warn_unregistered(q, -rc);
    return 0;
  }
  if (rc < 0) {
    errno = -rc;
    return err_sys(err, "Cannot register %" PRIu64 " bytes of buffers",
                   (uint64_t)q->depth * q->stride);
  }
  u->per_region = per;
  return 0;
}

static int uring_setup(struct queue *q, struct err *err)
{
  const struct files *files = &q->io->fio->files;
  struct uring *u = calloc(1, sizeof(*u));
  int rc;

  if (!u)
    return err_set(err, -ENOMEM, "cannot allocate a queue");
  q->impl = u;
  patience_init(&u->patience, cgroup_cpus_allowed());
  (void)uring_raise_memlock();
  rc = uring_make_ring(q, err);
  if (rc == 0)
    rc = uring_register_buffers(q, err);
  /* The kernel limits registered files; descriptors work, too. */
  if (rc == 0 && files->n <= UINT32_MAX)
    u->fixed_files = io_uring_register_files(&u->ring, files->fd,
                                             (unsigned)files->n) == 0;
  return rc;
}

static void uring_prepare(struct queue *q, struct io_uring_sqe *sqe,
                          unsigned slot)
{
  const struct uring *u = q->impl;
  const struct request *r = &q->slot[slot].r;
  const int file = u->fixed_files ? (int)r->file
                                  : q->io->fio->files.fd[r->file];
  char *buf = queue_buffer(q, slot);
  const bool fixed = u->per_region > 0;
  const int region = fixed ? (int)(slot / u->per_region) : 0;

  if (r->op == FILE_OP_FSYNC)
    io_uring_prep_fsync(
      sqe, file, q->io->fio->cfg->fsync_mode == 1 ? IORING_FSYNC_DATASYNC : 0);
  else if (r->op == FILE_OP_TRIM)
    io_uring_prep_fallocate(sqe, file,
                            FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            (off_t)r->offset, (off_t)r->length);
  else if (r->op == FILE_OP_READ && fixed)
    io_uring_prep_read_fixed(sqe, file, buf, r->length, r->offset, region);
  else if (r->op == FILE_OP_READ)
    io_uring_prep_read(sqe, file, buf, r->length, r->offset);
  else if (fixed)
    io_uring_prep_write_fixed(sqe, file, buf, r->length, r->offset, region);
  else
    io_uring_prep_write(sqe, file, buf, r->length, r->offset);
  if (u->fixed_files)
    sqe->flags |= IOSQE_FIXED_FILE;
  sqe->user_data = slot;
}

static unsigned uring_take_completions(struct queue *q)
{
  struct uring *u = q->impl;
  struct io_uring_cqe *cqe;
  unsigned taken = 0;

  queue_waited(q);
  while (io_uring_peek_cqe(&u->ring, &cqe) == 0) {
    const unsigned slot = (unsigned)cqe->user_data;
    const int result = cqe->res;

    io_uring_cqe_seen(&u->ring, cqe);
    queue_completed(q, slot, result);
    taken++;
  }
  return taken;
}

static int enter(struct queue *q, unsigned min, struct err *err)
{
  struct uring *u = q->impl;
  const int rc = io_uring_submit_and_wait(&u->ring, min);

  /* SQPOLL: the kernel submits. */
  q->in_line = u->sqpoll ? 0 : io_uring_sq_ready(&u->ring);
  /* Busy: after completions are taken, the caller tries again. */
  if (rc >= 0 || rc == -EINTR ||
      ((rc == -EAGAIN || rc == -EBUSY) && q->in_flight > q->in_line))
    return 0;
  errno = -rc;
  return err_sys(err, "Cannot submit %u requests to an io_uring", q->in_line);
}

static int uring_push(struct queue *q, unsigned slot, struct err *err)
{
  struct uring *u = q->impl;
  struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);
  int rc;

  while (UNLIKELY(!sqe)) {
    rc = enter(q, 0, err);
    if (rc == 0 && u->sqpoll && io_uring_sqring_wait(&u->ring) < 0)
      rc = err_set(err, -EIO, "Cannot wait for room in an io_uring");
    if (rc < 0)
      return rc;
    sqe = io_uring_get_sqe(&u->ring);
  }
  uring_prepare(q, sqe, slot);
  return 0;
}

static bool look(struct uring *u, unsigned min)
{
  uint64_t until = 0;

  for (;;) {
    if (io_uring_cq_ready(&u->ring) >= min)
      return true;
    /* Completions appear when the thread enters the kernel. */
    if (IO_URING_READ_ONCE(*u->ring.sq.kflags) & IORING_SQ_TASKRUN)
      return true;
    if (until == 0)
      until = clock_now_ns() + PATIENCE_NS;
    else if (clock_now_ns() >= until)
      return false;
    ck_pr_stall();
  }
}

static int uring_enter_and_look(struct queue *q, unsigned min, struct err *err)
{
  struct uring *u = q->impl;
  int rc = 0;

  if (q->in_line > 0)
    rc = enter(q, 0, err);
  if (rc < 0)
    return rc;
  patience_looked(&u->patience, look(u, min));
  return io_uring_cq_ready(&u->ring) >= min ? 0 : enter(q, min, err);
}

/* `min` > 0. */
static int await(struct queue *q, unsigned min, struct err *err)
{
  struct uring *u = q->impl;
  const bool looks = patience_wants(&u->patience);
  const bool timed = u->patience.timed;
  const uint64_t start_ns = timed ? clock_now_ns() : 0;
  const int rc = looks ? uring_enter_and_look(q, min, err) : enter(q, min, err);

  if (timed)
    patience_took(&u->patience, clock_now_ns() - start_ns);
  return rc;
}

static int uring_kick(struct queue *q, unsigned min, struct err *err)
{
  unsigned taken = 0;
  int rc = 0;

  do {
    if (taken < min)
      rc = await(q, min - taken, err);
    else if (q->in_line > 0)
      rc = enter(q, 0, err);
    taken += uring_take_completions(q);
  } while (rc == 0 && taken < min);
  return rc;
}

static int uring_wait(struct queue *q, uint64_t for_ns, struct err *err)
{
  struct uring *u = q->impl;
  struct __kernel_timespec limit = {
    .tv_sec = (int64_t)(for_ns / NS_PER_S),
    .tv_nsec = (long long)(for_ns % NS_PER_S),
  };
  struct io_uring_cqe *cqe;
  int rc = q->in_line > 0 ? enter(q, 0, err) : 0;

  if (rc < 0 || uring_take_completions(q) > 0)
    return rc;
  rc = io_uring_wait_cqe_timeout(&u->ring, &cqe, &limit);
  if (rc < 0 && rc != -ETIME && rc != -EINTR) {
    errno = -rc;
    return err_sys(err, "Cannot wait for an io_uring");
  }
  (void)uring_take_completions(q);
  return 0;
}

static const struct queue_ops uring_ops = {
  .setup = uring_setup,
  .done = uring_done,
  .push = uring_push,
  .kick = uring_kick,
  .wait = uring_wait,
};

static int uring_open(struct io *io, void **ret, struct err *err)
{
  return queue_open(io, &uring_ops, ret, err);
}

const struct engine_ops engine_uring = {
  .title = "io_uring",
  .open = uring_open,
  .close = queue_close,
  .execute = queue_execute,
  .sync = queue_sync,
  .settle = queue_settle,
  .attend = queue_attend,
};
