#include "tests/fileio/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static size_t io_stride_of(const struct io *io)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);

  return (layout_largest(&io->fio->layout) + page - 1) / page * page;
}

int io_classes(struct io *io, struct err *err)
{
  static const char *const names[FILE_OPS] = { "read", "write", "fsync", "trim",
                                               "commit" };
  const int mode = io->fio->cfg->mode;
  const bool writes = file_mode_writes(mode);
  const bool mixed = mode == FILE_MODE_MIXED;
  const bool wanted[FILE_OPS] = { !writes || mode == FILE_MODE_RNDRW || mixed,
                                  writes, writes, io->fio->cfg->trim > 0,
                                  mode == FILE_MODE_WAL || mixed };

  io->classes = io->w->classes;
  for (unsigned op = 0; io->classes && op < FILE_OPS; op++) {
    const char *name = names[op];

    if (!wanted[op])
      continue;
    io->class_of[op] = class_id(io->classes->set, name, strlen(name));
    if (!class_cell_new(io->classes, io->class_of[op]))
      return err_set(err, -ENOMEM, "cannot allocate statistics");
  }
  return 0;
}

void *io_buffers(const struct io *io, uint64_t n, size_t *ret_stride,
                 struct err *err)
{
  const size_t stride = io_stride_of(io);
  void *p = MAP_FAILED;

  if (n <= SIZE_MAX / stride)
    p = mmap(NULL, n * stride, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    (void)err_set(err, -ENOMEM,
                  "cannot allocate %" PRIu64 " buffers of %zu bytes", n,
                  stride);
    return NULL;
  }
  *ret_stride = stride;
  return p;
}

void io_buffers_free(const struct io *io, void *buffers, uint64_t n)
{
  if (buffers)
    (void)munmap(buffers, n * io_stride_of(io));
}

int io_fill(struct io *io, const struct request *r, void *buf,
            uint64_t *ret_generation, struct err *err)
{
  if (io->fio->witness)
    return witness_begin(io->fio->witness, io->w->tid, r, buf, ret_generation,
                         err);
  if (io->fio->check)
    validate_fill(io->fio->check, &io->random, buf, r->length, r->file,
                  r->offset);
  *ret_generation = 0;
  return 0;
}

int io_check(const struct io *io, const struct request *r, const void *buf,
             struct err *err)
{
  char name[FILES_NAME_MAX];

  if (!io->fio->check)
    return 0;
  (void)folder_name(&io->fio->folder, r->file, name, sizeof(name));
  return validate_check(io->fio->check, buf, r->length, r->file, r->offset,
                        name, err);
}

/* Many file systems and devices have no trim. */
static int io_trim_failed(const struct request *r, const char *name,
                          struct err *err)
{
  const bool never = errno == EOPNOTSUPP || errno == ENOSYS;

  return err_sys(
    err, "Failed to trim file '%s': %" PRIu32 " bytes at offset %" PRIu64 "%s",
    name, r->length, r->offset,
    never ? ", which this file system or device does not support; leave out "
            "--file-trim;"
          : "");
}

int io_failed(const struct io *io, const struct request *r, uint64_t got,
              int why, struct err *err)
{
  static const char *const verb[FILE_OPS] = { "read", "write", "fsync", "trim",
                                              "write" };
  char name[FILES_NAME_MAX];

  (void)folder_name(&io->fio->folder, r->file, name, sizeof(name));
  errno = why;
  if (r->op == FILE_OP_FSYNC)
    return err_sys(err, "Failed to fsync file '%s'", name);
  if (r->op == FILE_OP_TRIM)
    return io_trim_failed(r, name, err);
  if (got == 0 && why != 0)
    return err_sys(
      err, "Failed to %s file '%s': %" PRIu32 " bytes at offset %" PRIu64,
      verb[r->op], name, r->length, r->offset);
  if (why != 0)
    return err_sys(err,
                   "Failed to %s file '%s': only %" PRIu64 " of %" PRIu32
                   " bytes at offset %" PRIu64,
                   verb[r->op], name, got, r->length, r->offset);
  return err_set(err, -EIO,
                 "Failed to %s file '%s': only %" PRIu64 " of %" PRIu32
                 " bytes at offset %" PRIu64 "%s",
                 verb[r->op], name, got, r->length, r->offset,
                 r->op == FILE_OP_READ ? ", the file is shorter" : "");
}

static int io_sync_call(const struct fileio *fio, uint32_t file)
{
  int rc;

  if (!fio->map)
    return calls_sync(fio->files.fd[file], fio->cfg->fsync_mode == 1);
  do {
    rc = msync(fio->map[file], fio->layout.file_bytes, MS_SYNC);
  } while (rc < 0 && errno == EINTR);
  return rc;
}

int io_sync(struct io *io, uint32_t file, uint64_t start_ns, struct err *err)
{
  const struct request r = { .op = FILE_OP_FSYNC, .file = file };
  const uint64_t syncing = io_syncing(io);

  if (io_sync_call(io->fio, file) < 0) {
    const int why = errno;

    (void)io_synced(io, file, syncing, true, err); /* io_failed() explains */
    return io_failed(io, &r, 0, why, err);
  }
  io_done(io, FILE_OP_FSYNC, 0, start_ns, io_now(io));
  return io_synced(io, file, syncing, false, err);
}

int io_short(const struct io *io, const struct request *r, void *buf,
             uint64_t got, struct err *err)
{
  const int fd = io->fio->files.fd[r->file];
  char *rest = (char *)buf + got;
  const off_t at = (off_t)(r->offset + got);
  ssize_t n;

  if (r->op == FILE_OP_READ)
    n = pread(fd, rest, r->length - got, at);
  else
    n = pwrite(fd, rest, r->length - got, at);
  /* The rest may begin where direct I/O must not. */
  if (n < 0 && errno == EINVAL && (io->fio->flags & FILE_FLAG_DIRECT))
    n = 0;
  return io_failed(io, r, got, n < 0 ? errno : 0, err);
}

void io_engine_close(void *engine)
{
  struct io_engine *e = engine;

  io_buffers_free(e->io, e->buf, 1);
  free(e);
}

int io_engine_open(struct io *io, void **ret, struct err *err)
{
  struct io_engine *e = mem_aligned(1, sizeof(*e), CACHE_LINE);
  size_t stride;

  if (!e)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  e->io = io;
  e->fd = io->fio->files.fd;
  e->map = io->fio->map;
  e->fsync_all = io->fio->cfg->fsync_all;
  e->buf = io_buffers(io, 1, &stride, err);
  if (!e->buf) {
    free(e);
    return -ENOMEM;
  }
  *ret = e;
  return 0;
}

int io_engine_sync(void *engine, uint32_t file, struct err *err)
{
  struct io_engine *e = engine;

  return io_sync(e->io, file, clock_now_ns(), err);
}

static int engine_sync_execute(void *engine, const struct request *r,
                               struct err *err)
{
  struct io_engine *e = engine;
  uint64_t start_ns = io_start(e->io), generation = 0;
  ssize_t n;

  if (r->op == FILE_OP_FSYNC)
    return io_sync(e->io, r->file, start_ns, err);
  if (UNLIKELY(e->io->fio->fills) && r->op == FILE_OP_WRITE) {
    const int rc = io_fill(e->io, r, e->buf, &generation, err);

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
  return io_engine_moved(e, r, start_ns, generation, err);
}

const struct engine_ops engine_sync = {
  .title = "synchronous",
  .open = io_engine_open,
  .close = io_engine_close,
  .execute = engine_sync_execute,
  .sync = io_engine_sync,
};
