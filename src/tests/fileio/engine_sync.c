/*
 * engine_sync.c - I/O mode sync: one system call per request.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "tests/fileio/calls.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/io.h"

struct sync_engine {
  struct io *io;
  const int *fd;
  char *buf; /* owned */
  bool fsync_all;
} CACHE_ALIGNED;

static void sync_close(void *engine)
{
  struct sync_engine *e = engine;

  io_buffers_free(e->io, e->buf, 1);
  free(e);
}

static int sync_open(struct io *io, void **ret, struct err *err)
{
  struct sync_engine *e = mem_aligned(1, sizeof(*e), CACHE_LINE);
  size_t stride;

  if (!e)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  e->io = io;
  e->fd = io->fio->files.fd;
  e->fsync_all = io->fio->cfg->fsync_all;
  e->buf = io_buffers(io, 1, &stride, err);
  if (!e->buf) {
    free(e);
    return -ENOMEM;
  }
  *ret = e;
  return 0;
}

static int sync_sync(void *engine, uint32_t file, struct err *err)
{
  struct sync_engine *e = engine;

  return io_sync(e->io, file, clock_now_ns(), err);
}

static int sync_execute(void *engine, const struct request *r, struct err *err)
{
  struct sync_engine *e = engine;
  uint64_t start_ns = io_start(e->io), end_ns, generation = 0;
  ssize_t n;
  int rc = 0;

  if (r->op == FILE_OP_FSYNC)
    return io_sync(e->io, r->file, start_ns, err);
  if (UNLIKELY(e->io->fio->fills) && r->op == FILE_OP_WRITE) {
    rc = io_fill(e->io, r, e->buf, &generation, err);
    if (rc < 0)
      return rc;
    start_ns = clock_now_ns();
  }
  if (UNLIKELY(r->op == FILE_OP_TRIM)) {
    if (calls_trim(e->fd[r->file], r) < 0)
      return io_failed(e->io, r, 0, errno, err);
    io_done(e->io, r->op, r->length, start_ns, io_now(e->io));
    return 0;
  }
  n = calls_transfer(e->fd[r->file], r, e->buf);
  if (UNLIKELY(n < 0))
    return io_failed(e->io, r, 0, errno, err);
  if (UNLIKELY(n != (ssize_t)r->length))
    return io_short(e->io, r, e->buf, (uint64_t)n, err);
  end_ns = io_now(e->io);
  io_done(e->io, r->op, r->length, start_ns, end_ns);
  if (r->op == FILE_OP_WRITE)
    rc = io_written(e->io, r, generation, err);
  pattern_release(&e->io->fio->pattern, r->place);
  if (r->op == FILE_OP_WRITE)
    return rc == 0 && e->fsync_all ? io_sync(e->io, r->file, end_ns, err) : rc;
  return io_check(e->io, r, e->buf, err);
}

const struct engine_ops engine_sync = {
  .title = "synchronous",
  .open = sync_open,
  .close = sync_close,
  .execute = sync_execute,
  .sync = sync_sync,
};
