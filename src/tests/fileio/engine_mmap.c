/*
 * engine_mmap.c - I/O mode mmap: copies from and to a mapping of each file.
 *
 * If the file has no page (it was truncated, or the disk is full), the system
 * sends SIGBUS instead of returning an error.  The handler maps a page of
 * memory there and notes it, so that the copy completes and the request fails
 * like any other.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "tests/fileio/engine.h"

struct mmap_engine {
  struct io *io;
  char *const *map;
  char *buf; /* owned */
  bool fsync_all;
} CACHE_ALIGNED;

/*
 * The copy that this thread is executing.  A handler gets no context argument,
 * so it is thread-local, like the current worker.
 */
static _Thread_local struct {
  char *volatile from, *volatile to; /* bounds of the mapping */
  volatile sig_atomic_t missing;     /* set by the handler */
  size_t page;
} copy;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
  char *at = info->si_addr;
  char *page = (char *)((uintptr_t)at & ~(uintptr_t)(copy.page - 1));

  (void)context;
  if (copy.page != 0 && at >= copy.from && at < copy.to &&
      mmap(page, copy.page, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)page) {
    copy.missing = 1;
    return;
  }
  (void)signal(sig, SIG_DFL); /* not ours: it happens again, and kills */
}

static void mmap_end(struct fileio *fio)
{
  for (uint64_t i = 0; fio->map && i < fio->files.n; i++) {
    if (fio->map[i])
      (void)munmap(fio->map[i], fio->layout.file_bytes);
  }
  free(fio->map);
  fio->map = NULL;
  (void)signal(SIGBUS, SIG_DFL);
}

static int map_file(struct fileio *fio, uint64_t i, struct err *err)
{
  const uint64_t bytes = fio->layout.file_bytes;
  char name[FILES_NAME_MAX];
  void *p;

  (void)folder_name(&fio->folder, i, name, sizeof(name));
  if (fio->cfg->mode == FILE_MODE_SEQWR &&
      ftruncate(fio->files.fd[i], (off_t)bytes) < 0)
    return err_sys(err, "Cannot extend file '%s' to %" PRIu64 " bytes", name,
                   bytes);
  p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fio->files.fd[i],
           0);
  if (p == MAP_FAILED)
    return err_sys(err,
                   "Cannot map file '%s' (%" PRIu64
                   " bytes; see vm.max_map_count and ulimit -v)",
                   name, bytes);
  fio->map[i] = p;
  return 0;
}

static int mmap_begin(struct fileio *fio, struct err *err)
{
  struct sigaction action = { .sa_sigaction = on_sigbus,
                              .sa_flags = SA_SIGINFO };
  int rc = 0;

  fio->map = calloc(fio->files.n, sizeof(*fio->map));
  if (!fio->map)
    return err_set(err, -ENOMEM, "cannot allocate %" PRIu64 " mappings",
                   fio->files.n);
  if (sigaction(SIGBUS, &action, NULL) < 0)
    return err_sys(err, "Cannot set a signal handler");
  for (uint64_t i = 0; i < fio->files.n && rc == 0; i++)
    rc = map_file(fio, i, err);
  return rc;
}

static void mmap_close(void *engine)
{
  struct mmap_engine *e = engine;

  io_buffers_free(e->io, e->buf, 1);
  free(e);
}

static int mmap_open(struct io *io, void **ret, struct err *err)
{
  struct mmap_engine *e = mem_aligned(1, sizeof(*e), CACHE_LINE);
  size_t stride;

  if (!e)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  e->io = io;
  e->map = io->fio->map;
  e->fsync_all = io->fio->cfg->fsync_all;
  e->buf = io_buffers(io, 1, &stride, err);
  if (!e->buf) {
    free(e);
    return -ENOMEM;
  }
  copy.page = (size_t)sysconf(_SC_PAGESIZE);
  *ret = e;
  return 0;
}

static int flush(struct mmap_engine *e, uint32_t file, uint64_t start_ns,
                 struct err *err)
{
  const struct request r = { .op = FILE_OP_FSYNC, .file = file };
  const uint64_t syncing = io_syncing(e->io);
  int rc;

  do {
    rc = msync(e->map[file], e->io->fio->layout.file_bytes, MS_SYNC);
  } while (rc < 0 && errno == EINTR);
  if (rc < 0) {
    const int why = errno;

    (void)io_synced(e->io, file, syncing, true,
                    err); /* io_failed() says more */
    return io_failed(e->io, &r, 0, why, err);
  }
  io_done(e->io, FILE_OP_FSYNC, 0, start_ns, io_now(e->io));
  return io_synced(e->io, file, syncing, false, err);
}

static int mmap_sync(void *engine, uint32_t file, struct err *err)
{
  return flush(engine, file, clock_now_ns(), err);
}

/*
 * Returns false if there was no page for a part of it.  Without --validate two
 * threads may use one place at the same time, as in the other I/O modes.
 */
static bool copy_bytes(const struct mmap_engine *e, const struct request *r)
{
  char *place = e->map[r->file] + r->offset;

  copy.from = place;
  copy.to = place + r->length;
  if (r->op == FILE_OP_READ)
    memcpy(e->buf, place, r->length);
  else
    memcpy(place, e->buf, r->length);
  /* The copy must end before the handler's note is read. */
  __asm__ volatile("" ::: "memory");
  return LIKELY(!copy.missing);
}

static int mmap_execute(void *engine, const struct request *r, struct err *err)
{
  struct mmap_engine *e = engine;
  uint64_t start_ns = io_start(e->io), end_ns, generation = 0;
  int rc = 0;

  if (r->op == FILE_OP_FSYNC)
    return flush(e, r->file, start_ns, err);
  if (UNLIKELY(e->io->fio->fills) && r->op == FILE_OP_WRITE) {
    rc = io_fill(e->io, r, e->buf, &generation, err);
    if (rc < 0)
      return rc;
    start_ns = clock_now_ns();
  }
  if (!copy_bytes(e, r)) {
    rc = io_failed(e->io, r, 0, r->op == FILE_OP_READ ? EIO : ENOSPC, err);
    err_prefix(err, "SIGBUS (file cut off, disk full or I/O error)");
    return rc;
  }
  end_ns = io_now(e->io);
  io_done(e->io, r->op, r->length, start_ns, end_ns);
  if (r->op == FILE_OP_WRITE)
    rc = io_written(e->io, r, generation, err);
  pattern_release(&e->io->fio->pattern, r->place);
  if (r->op == FILE_OP_WRITE)
    return rc == 0 && e->fsync_all ? flush(e, r->file, end_ns, err) : rc;
  return io_check(e->io, r, e->buf, err);
}

const struct engine_ops engine_mmap = {
  .title = "fast mmaped",
  .begin = mmap_begin,
  .end = mmap_end,
  .open = mmap_open,
  .close = mmap_close,
  .execute = mmap_execute,
  .sync = mmap_sync,
};
