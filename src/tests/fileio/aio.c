/*
 * aio.c - I/O mode async: native asynchronous I/O of Linux. Not by libaio,
 * whose file has different names in releases of Debian and Ubuntu.
 */
#include <errno.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine/proc.h"
#include "run/plan.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/queue.h"

enum {
  RING_MAGIC = 0x10a10a1, /* low 28 bits */
  EVENTS_AT_ONCE = 64,
};

/* At the address of a context: completions without a system call. */
struct aio_ring {
  unsigned id, slots;
  unsigned head; /* by this thread */
  unsigned tail; /* by the kernel */
  unsigned magic, compat, incompat, header_bytes;
  struct io_event event[];
};

struct aio {
  aio_context_t context; /* 0: none */
  struct aio_ring *ring; /* NULL: another format */
  struct iocb *iocb;     /* owned; one per slot */
  struct iocb **line;    /* owned; to be submitted */
  bool blocking_fsync;   /* no asynchronous fsync here */
};

static void aio_done(struct queue *q)
{
  struct aio *a = q->impl;

  if (a->context)
    (void)syscall(SYS_io_destroy,
                  a->context); /* waits for requests in flight */
  free(a->iocb);
  free(a->line);
  free(a);
  q->impl = NULL;
}

/* The limit is not the cause if a filter refuses the call. */
static int aio_tell_no_context(const struct queue *q, int number,
                               struct err *err)
{
  uint64_t max = 0, used = 0;

  (void)proc_number(&max, "", "/proc/sys/fs/aio-max-nr");
  (void)proc_number(&used, "", "/proc/sys/fs/aio-nr"); /* changes errno */
  errno = number;
  if (number == EPERM || number == ENOSYS || number == EACCES)
    return err_sys(err, "The system does not allow asynchronous I/O: see the "
                        "seccomp filter of the container; "
                        "--file-io-mode=sync does without;");
  return err_sys(err,
                 "Cannot set up %u asynchronous requests for each of %u "
                 "threads: fs.aio-max-nr is %llu and fs.aio-nr %llu;",
                 q->depth, q->io->w->plan->threads, (unsigned long long)max,
                 (unsigned long long)used);
}

static int aio_setup(struct queue *q, struct err *err)
{
  struct aio *a = calloc(1, sizeof(*a));
  struct aio_ring *ring;

  if (!a)
    return err_set(err, -ENOMEM, "cannot allocate a queue");
  q->impl = a;
  a->iocb = calloc(q->depth, sizeof(*a->iocb));
  a->line = calloc(q->depth, sizeof(struct iocb *));
  if (!a->iocb || !a->line)
    return err_set(err, -ENOMEM, "cannot allocate a queue of %u requests",
                   q->depth);
  if (syscall(SYS_io_setup, q->depth, &a->context) < 0)
    return aio_tell_no_context(q, errno, err);
  ring = (struct aio_ring *)a->context;
  if ((ring->magic & 0xfffffff) == RING_MAGIC && ring->incompat == 0 &&
      ring->header_bytes == sizeof(*ring))
    a->ring = ring;
  return 0;
}

static int aio_push(struct queue *q, unsigned slot, struct err *err)
{
  struct aio *a = q->impl;
  struct iocb *cb = &a->iocb[slot];
  const struct request *r = &q->slot[slot].r;

  (void)err;
  *cb = (struct iocb){ .aio_data = slot,
                       .aio_fildes = (uint32_t)q->io->fio->files.fd[r->file] };
  if (r->op == FILE_OP_FSYNC) {
    cb->aio_lio_opcode = q->io->fio->cfg->fsync_mode == 1 ? IOCB_CMD_FDSYNC
                                                          : IOCB_CMD_FSYNC;
  } else {
    cb->aio_lio_opcode = r->op == FILE_OP_READ ? IOCB_CMD_PREAD
                                               : IOCB_CMD_PWRITE;
    cb->aio_buf = (uintptr_t)queue_buffer(q, slot);
    cb->aio_nbytes = r->length;
    cb->aio_offset = (int64_t)r->offset;
  }
  a->line[q->in_line] = cb;
  return 0;
}

static void aio_fsync_now(struct queue *q)
{
  struct aio *a = q->impl;
  const unsigned slot = (unsigned)a->line[0]->aio_data;
  const int fd = (int)a->line[0]->aio_fildes;
  const int rc = calls_sync(fd, q->io->fio->cfg->fsync_mode == 1);
  const int why = errno;

  queue_waited(q);
  q->in_line--;
  memmove(a->line, a->line + 1, q->in_line * sizeof(struct iocb *));
  queue_completed(q, slot, rc < 0 ? -why : 0);
}

static bool aio_front_is_fsync(const struct queue *q)
{
  const struct aio *a = q->impl;

  return q->slot[a->line[0]->aio_data].r.op == FILE_OP_FSYNC;
}

static unsigned aio_take_from_ring(struct queue *q)
{
  struct aio *a = q->impl;
  unsigned n = 0;

  queue_waited(q);
  if (!a->ring)
    return 0;
  for (;;) {
    const unsigned head = a->ring->head;
    struct io_event event;

    /* Pairs with the kernel: the event is written. */
    if (head == __atomic_load_n(&a->ring->tail, __ATOMIC_ACQUIRE))
      return n;
    event = a->ring->event[head];
    /* The kernel reuses the entry of an older head. */
    __atomic_store_n(&a->ring->head, head + 1 == a->ring->slots ? 0 : head + 1,
                     __ATOMIC_RELEASE);
    queue_completed(q, (unsigned)event.data, event.res);
    n++;
  }
}

/* Waits for the first completion (`limit` NULL: for ever). Returns the number
 * of completions, 0 after an interruption, or a negative errno value. */
static int aio_take_from_kernel(struct queue *q, struct timespec *limit,
                                struct err *err)
{
  struct aio *a = q->impl;
  struct io_event event[EVENTS_AT_ONCE];
  const long n = syscall(SYS_io_getevents, a->context, 1L, (long)EVENTS_AT_ONCE,
                         event, limit);

  if (n < 0 && errno != EINTR)
    return err_sys(err, "Cannot wait for asynchronous requests");
  queue_waited(q);
  for (long i = 0; i < n; i++)
    queue_completed(q, (unsigned)event[i].data, event[i].res);
  return n < 0 ? 0 : (int)n;
}

static int aio_reap(struct queue *q, unsigned min, struct err *err)
{
  const struct aio *a = q->impl;
  unsigned taken = aio_take_from_ring(q);

  while (taken < min || !a->ring) {
    struct timespec no_time = { 0, 0 };
    const bool wait = taken < min;
    const int n = aio_take_from_kernel(q, wait ? NULL : &no_time, err);

    if (n < 0)
      return n;
    if (n == 0 && !wait)
      break;
    taken += (unsigned)n;
  }
  return 0;
}

static int aio_refused(struct queue *q, int why, struct err *err)
{
  struct aio *a = q->impl;
  const unsigned slot = (unsigned)a->line[0]->aio_data;
  int rc;

  if (why == EAGAIN && q->in_flight > q->in_line)
    return aio_reap(q, 1, err);
  rc = io_failed(q->io, &q->slot[slot].r, 0, why, err);
  err_prefix(err, "io_submit");
  return rc;
}

static int aio_submit(struct queue *q, struct err *err)
{
  struct aio *a = q->impl;
  int rc = 0;

  while (rc == 0 && q->in_line > 0) {
    long n;

    if (a->blocking_fsync && aio_front_is_fsync(q)) {
      aio_fsync_now(q);
      continue;
    }
    n = syscall(SYS_io_submit, a->context, (long)q->in_line, a->line);
    if (n > 0) {
      q->in_line -= (unsigned)n;
      memmove(a->line, a->line + n, q->in_line * sizeof(struct iocb *));
    } else if (n < 0 && errno == EINVAL && aio_front_is_fsync(q)) {
      a->blocking_fsync = true;
    } else if (n == 0 || errno != EINTR) {
      rc = aio_refused(q, n < 0 ? errno : EIO, err);
    }
  }
  return rc;
}

static int aio_kick(struct queue *q, unsigned min, struct err *err)
{
  int rc = aio_submit(q, err);

  if (rc == 0 && min > q->in_flight)
    min = q->in_flight; /* aio_submit() has completed some */
  return rc < 0 ? rc : aio_reap(q, min, err);
}

static int aio_wait(struct queue *q, uint64_t for_ns, struct err *err)
{
  struct timespec limit = clock_timespec(for_ns);
  int rc = aio_submit(q, err);

  /* Completions were in the ring, or taken by aio_submit(). */
  if (rc < 0 || aio_take_from_ring(q) > 0 || q->in_flight == 0)
    return rc;
  rc = aio_take_from_kernel(q, &limit, err);
  return rc < 0 ? rc : 0;
}

static const struct queue_ops aio_ops = {
  .setup = aio_setup,
  .done = aio_done,
  .push = aio_push,
  .kick = aio_kick,
  .wait = aio_wait,
};

static int aio_open(struct io *io, void **ret, struct err *err)
{
  return queue_open(io, &aio_ops, ret, err);
}

const struct engine_ops engine_aio = {
  .title = "asynchronous",
  .open = aio_open,
  .close = queue_close,
  .execute = queue_execute,
  .sync = queue_sync,
  .settle = queue_settle,
  .attend = queue_attend,
};
