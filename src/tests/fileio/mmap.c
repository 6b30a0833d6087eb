/*
 * mmap.c - I/O mode mmap: copies from and to a mapping of each file.
 *
 * SIGBUS means that the file has no page (truncated, disk full). The handler
 * maps memory there, so that the copy completes and the request fails.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "tests/fileio/engine.h"

/* The copy of this thread: a handler gets no context argument. */
static _Thread_local struct {
  char *volatile from, *volatile to; /* of the mapping */
  volatile sig_atomic_t missing;     /* set by the handler */
  size_t page;
} copy;

static void mmap_on_sigbus(int sig, siginfo_t *info, void *context)
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
  (void)signal(sig, SIG_DFL); /* a foreign signal kills when it comes again */
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

static int mmap_map_file(struct fileio *fio, uint64_t i, struct err *err)
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
  struct sigaction action = { .sa_sigaction = mmap_on_sigbus,
                              .sa_flags = SA_SIGINFO };
  int rc = 0;

  fio->map = calloc(fio->files.n, sizeof(*fio->map));
  if (!fio->map)
    return err_set(err, -ENOMEM, "cannot allocate %" PRIu64 " mappings",
                   fio->files.n);
  if (sigaction(SIGBUS, &action, NULL) < 0)
    return err_sys(err, "Cannot set a signal handler");
  for (uint64_t i = 0; i < fio->files.n && rc == 0; i++)
    rc = mmap_map_file(fio, i, err);
  return rc;
}

static int mmap_open(struct io *io, void **ret, struct err *err)
{
  copy.page = (size_t)sysconf(_SC_PAGESIZE);
  return io_engine_open(io, ret, err);
}

/* False: a page was missing. Without --validate, threads can use one place at
 * once, as in other I/O modes. */
static bool copy_bytes(const struct io_engine *e, const struct request *r)
{
  char *place = e->map[r->file] + r->offset;

  copy.from = place;
  copy.to = place + r->length;
  if (r->op == FILE_OP_READ)
    memcpy(e->buf, place, r->length);
  else
    memcpy(place, e->buf, r->length);
  /* The copy ends before the handler's note is read. */
  __asm__ volatile("" ::: "memory");
  return LIKELY(!copy.missing);
}

static int mmap_execute(void *engine, const struct request *r, struct err *err)
{
  struct io_engine *e = engine;
  uint64_t start_ns = io_start(e->io), generation = 0;
  int rc;

  if (r->op == FILE_OP_FSYNC)
    return io_sync(e->io, r->file, start_ns, err);
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
  return io_engine_moved(e, r, start_ns, generation, err);
}

const struct engine_ops engine_mmap = {
  .title = "fast mmaped",
  .begin = mmap_begin,
  .end = mmap_end,
  .open = mmap_open,
  .close = io_engine_close,
  .execute = mmap_execute,
  .sync = io_engine_sync,
};
