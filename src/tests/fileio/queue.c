#include "tests/fileio/queue.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/minmax.h"

/* ---- poll before sleeping? ---- */

void patience_init(struct patience *p, unsigned cpus)
{
  *p = (struct patience){ .never = cpus < 2 };
}

bool patience_wants(struct patience *p)
{
  if (p->never)
    return false;
  if (p->n == PATIENCE_ROUND)
    *p = (struct patience){ 0 };
  p->timed = p->n < 2 * PATIENCE_TRIAL;
  p->n++;
  return p->timed ? p->n <= PATIENCE_TRIAL : p->looks;
}

void patience_looked(struct patience *p, bool came)
{
  if (came)
    p->failures = 0;
  else if (++p->failures >= PATIENCE_FAILURES)
    p->looks = false;
}

void patience_took(struct patience *p, uint64_t ns)
{
  /* Losing the CPU does not decide the trial. */
  const uint64_t counts = ns < PATIENCE_MAX_NS ? ns : PATIENCE_MAX_NS;

  if (p->n <= PATIENCE_TRIAL)
    p->look_ns += counts;
  else
    p->sleep_ns += counts;
  if (p->n == 2 * PATIENCE_TRIAL) {
    p->looks = 2 * p->look_ns < p->sleep_ns;
    p->failures = 0;
  }
}

/* Between checks whether the run is over. */
#define LOOK_NS (100 * NS_PER_MS)

static void queue_add(_Atomic uint64_t *to, uint64_t n)
{
  (void)atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

void queue_close(void *engine)
{
  struct queue *q = engine;
  struct fileio *fio = q->io->fio;

  if (q->impl)
    q->ops->done(q);
  queue_add(&fio->depth_sum, q->depth_sum);
  queue_add(&fio->depth_count, q->depth_count);
  max_atomic_u64(&fio->depth_max, q->depth_max);
  io_buffers_free(q->io, q->buf, q->depth);
  free(q->free_slot);
  free(q->slot);
  free(q);
}

int queue_open(struct io *io, const struct queue_ops *ops, void **ret,
               struct err *err)
{
  struct queue *q = mem_aligned(1, sizeof(*q), CACHE_LINE);
  int rc = -ENOMEM;

  if (!q)
    return err_set(err, -ENOMEM, "cannot allocate a queue");
  q->io = io;
  q->ops = ops;
  q->depth = (unsigned)io->fio->cfg->backlog;
  q->batch = (unsigned)min_u64(io->fio->cfg->batch, q->depth);
  q->slot = calloc(q->depth, sizeof(*q->slot));
  q->free_slot = calloc(q->depth, sizeof(*q->free_slot));
  if (!q->slot || !q->free_slot) {
    (void)err_set(err, -ENOMEM, "cannot allocate a queue of %u requests",
                  q->depth);
    goto out;
  }
  for (unsigned i = 0; i < q->depth; i++)
    q->free_slot[i] = q->depth - 1 - i;
  q->n_free = q->depth;
  q->buf = io_buffers(io, q->depth, &q->stride, err);
  if (q->buf)
    rc = ops->setup(q, err);
out:
  if (rc < 0)
    queue_close(q);
  else
    *ret = q;
  return rc;
}

static int queue_push(struct queue *q, unsigned slot, uint64_t start_ns,
                      struct err *err)
{
  int rc;

  q->slot[slot].start_ns = start_ns;
  q->slot[slot].busy = true;
  if (q->slot[slot].r.op == FILE_OP_FSYNC)
    q->slot[slot].note = io_syncing(q->io);
  rc = q->ops->push(q, slot, err);
  if (rc < 0)
    return rc;
  q->in_flight++;
  q->in_line++;
  return 0;
}

/* When the current completions were seen; 0: not needed. */
static uint64_t queue_seen_ns(struct queue *q)
{
  if (q->now_ns == 0)
    q->now_ns = io_now(q->io);
  return q->now_ns;
}

static void queue_fail(struct queue *q, unsigned slot, int64_t result)
{
  const struct request *r = &q->slot[slot].r;

  if (r->op == FILE_OP_FSYNC)
    (void)io_synced(q->io, r->file, q->slot[slot].note, true, &q->why);
  if (q->failed != 0)
    return;
  if (result < 0)
    q->failed = io_failed(q->io, r, 0, (int)-result, &q->why);
  else
    q->failed = io_short(q->io, r, queue_buffer(q, slot), (uint64_t)result,
                         &q->why);
}

static void queue_witness(struct queue *q, const struct slot *s)
{
  int rc = 0;

  if (s->r.op == FILE_OP_WRITE)
    rc = io_written(q->io, &s->r, s->note, &q->why);
  else if (s->r.op == FILE_OP_FSYNC)
    rc = io_synced(q->io, s->r.file, s->note, false, &q->why);
  if (rc < 0 && q->failed == 0)
    q->failed = rc;
}

/* The fsync after a write. True: not needed, or a failure. */
static bool queue_follow_up(struct queue *q, unsigned slot)
{
  struct slot *s = &q->slot[slot];

  if (!q->io->fio->cfg->fsync_all || s->r.op != FILE_OP_WRITE)
    return true;
  s->r.op = FILE_OP_FSYNC;
  if (queue_push(q, slot, queue_seen_ns(q), &q->why) == 0)
    return false;
  q->failed = q->failed ? q->failed : -EIO;
  return true;
}

void queue_completed(struct queue *q, unsigned slot, int64_t result)
{
  struct slot *s = &q->slot[slot];
  const bool transfer = file_op_moves(s->r.op);

  q->in_flight--;
  s->busy = false;
  if (UNLIKELY(result == -EINTR || result == -EAGAIN)) {
    if (queue_push(q, slot, s->start_ns, &q->why) < 0 && q->failed == 0)
      q->failed = -EIO;
    return;
  }
  if (UNLIKELY(q->io->fio->witness != NULL) &&
      result == (transfer ? (int64_t)s->r.length : 0))
    queue_witness(q, s);
  if (transfer)
    pattern_release(&q->io->fio->pattern, s->r.place);
  if (q->awaiting && s->r.op == FILE_OP_WRITE && s->r.file == q->awaited_file)
    q->awaited--;

  if (UNLIKELY(result != (transfer ? (int64_t)s->r.length : 0))) {
    queue_fail(q, slot, result);
  } else {
    io_done(q->io, s->r.op, s->r.length, s->start_ns, queue_seen_ns(q));
    if (UNLIKELY(q->io->fio->check != NULL) && s->r.op == FILE_OP_READ &&
        q->failed == 0)
      q->failed = io_check(q->io, &s->r, queue_buffer(q, slot), &q->why);
    if (!queue_follow_up(q, slot))
      return;
  }
  q->free_slot[q->n_free++] = slot;
}

static int queue_outcome(const struct queue *q, int rc, struct err *err)
{
  if (rc == 0 && UNLIKELY(q->failed != 0)) {
    *err = q->why;
    rc = q->failed;
  }
  return rc;
}

static int queue_kick(struct queue *q, unsigned min, struct err *err)
{
  q->now_ns = 0;
  return queue_outcome(q, q->ops->kick(q, min, err), err);
}

static int queue_make_room(struct queue *q, struct err *err)
{
  int rc = 0;

  while (rc == 0 && (q->in_line >= q->batch || q->n_free == 0))
    rc = queue_kick(q, q->n_free == 0 ? q->batch : 0, err);
  return rc;
}

static int queue_submit_all(struct queue *q, struct err *err)
{
  int rc = queue_make_room(q, err);

  while (rc == 0 && q->in_line > 0)
    rc = queue_kick(q, 0, err);
  return rc;
}

static int queue_await_writes(struct queue *q, uint32_t file, struct err *err)
{
  int rc = 0;

  if (q->in_flight == 0)
    return 0;
  q->awaited = 0;
  for (unsigned i = 0; i < q->depth; i++) {
    const struct slot *s = &q->slot[i];

    q->awaited += s->busy && s->r.op == FILE_OP_WRITE && s->r.file == file;
  }
  q->awaited_file = file;
  q->awaiting = true;
  while (rc == 0 && q->awaited > 0)
    rc = queue_kick(q, 1, err);
  q->awaiting = false;
  return rc;
}

static void queue_count_depth(struct queue *q)
{
  q->depth_sum += q->in_flight;
  q->depth_count++;
  if (q->in_flight > q->depth_max)
    q->depth_max = q->in_flight;
}

int queue_sync(void *engine, uint32_t file, struct err *err)
{
  struct queue *q = engine;
  const struct request r = { .op = FILE_OP_FSYNC, .file = file };
  unsigned slot;
  int rc = queue_await_writes(q, file, err);

  if (rc == 0)
    rc = queue_make_room(q, err);
  if (rc < 0)
    return rc;
  slot = q->free_slot[--q->n_free];
  q->slot[slot].r = r;
  rc = queue_push(q, slot, clock_now_ns(), err);
  if (rc == 0)
    rc = queue_submit_all(q, err);
  return rc;
}

int queue_execute(void *engine, const struct request *r, struct err *err)
{
  struct queue *q = engine;
  uint64_t start_ns;
  unsigned slot;
  int rc = 0;

  if (r->op == FILE_OP_FSYNC)
    return queue_sync(q, r->file, err);
  start_ns = io_start(q->io);
  slot = q->free_slot[--q->n_free];
  q->slot[slot].r = *r;
  if (UNLIKELY(q->io->fio->fills) && r->op == FILE_OP_WRITE) {
    rc = io_fill(q->io, r, queue_buffer(q, slot), &q->slot[slot].note, err);
    if (rc < 0)
      return rc;
    start_ns = clock_now_ns();
  }
  rc = queue_push(q, slot, start_ns, err);
  if (rc < 0)
    return rc;
  queue_count_depth(q);
  return queue_make_room(q, err);
}

int queue_settle(void *engine, bool all, struct err *err)
{
  struct queue *q = engine;
  int rc = 0;

  if (q->in_flight == 0)
    return 0;
  do {
    rc = queue_kick(q, 1, err);
  } while (rc == 0 && all && q->in_flight > 0);
  return rc;
}

int queue_attend(void *engine, uint64_t until_ns, struct err *err)
{
  struct queue *q = engine;
  int rc = 0;

  while (rc == 0 && q->in_flight > 0 && !worker_is_over(q->io->w)) {
    const uint64_t now = clock_now_ns();

    if (now >= until_ns)
      break;
    q->now_ns = 0;
    rc = q->ops->wait(q, until_ns - now < LOOK_NS ? until_ns - now : LOOK_NS,
                      err);
    rc = queue_outcome(q, rc, err);
  }
  return rc;
}
