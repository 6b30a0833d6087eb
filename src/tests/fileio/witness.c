#include "tests/fileio/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "run/plan.h"
#include "stats/rand/rng.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/sync_log.h"
#include "tests/fileio/validate.h"

struct witness {
  /* Constant while workers exist. */
  struct sync_log_header header;
  uint64_t blocks_per_file;
  enum sync_log_kind written;
  struct sync_log *log; /* owned */
  /* Owned; [files]: after a failed fsync, later ones acknowledge nothing, even
   * if the log lacks the failure. */
  _Atomic bool *failed;

  _Atomic uint64_t last CACHE_ALIGNED;
};

static int witness_refuse(const char *why, struct err *err)
{
  return err_set(err, -EINVAL,
                 "Invalid value for --file-crash-log: 'on' (expected off %s)",
                 why);
}

int witness_check(const struct fileio *fio, struct err *err)
{
  const struct fileio_cfg *cfg = fio->cfg;

  if (!cfg->verify && *cfg->ack_log != '\0')
    return err_set(err, -EINVAL,
                   "--file-ack-log has no effect without --file-crash-log");
  if (!cfg->verify)
    return 0;
  if (*cfg->ack_log == '\0')
    return err_set(err, -EINVAL,
                   "--file-crash-log needs --file-ack-log=FILE, which should "
                   "be on another disk than the files, or tcp:HOST:PORT of "
                   "bench ack-listen");
  if (!file_mode_writes(cfg->mode))
    return witness_refuse("in a --file-test-mode that only reads", err);
  if (fio->plan->cfg.validate)
    return witness_refuse("with --validate, whose blocks have another form",
                          err);
  if (cfg->trim > 0)
    return witness_refuse("with --file-trim", err);
  if (fio->plan->parts > 1)
    return witness_refuse("in a run of several processes", err);
  if (fio->layout.blocks.n > 1)
    return witness_refuse("with several block sizes", err);
  if (fio->layout.block < STAMP_MIN_BLOCK)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-block-size: '%" PRIu64
                   "' (expected a size of at least %d with --file-crash-log)",
                   fio->layout.block, STAMP_MIN_BLOCK);
  return 0;
}

/* A new file needs its folder. */
static int witness_sync_folder(const struct fileio *fio, struct err *err)
{
  const char *path = *fio->folder.path == '\0' ? "." : fio->folder.path;
  int fd, rc;

  if (folder_is_device(&fio->folder))
    return 0;
  fd = openat(fio->folder.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  rc = fd < 0 ? -1 : fsync(fd);
  if (rc < 0)
    rc = err_sys(err, "Failed to fsync folder '%s'", path);
  if (fd >= 0)
    (void)close(fd);
  return rc;
}

static void witness_advise(const struct witness *w, const struct fileio *fio)
{
  struct stat st;

  if (!folder_is_device(&fio->folder) && fstat(fio->files.fd[0], &st) == 0 &&
      sync_log_is_in(w->log, (uint64_t)st.st_dev))
    log_advise("the log of acknowledged writes is in the file system of the "
               "files, so it tells what a crash of this program loses, but it "
               "is lost together with the disk or the machine");
}

int witness_new(struct witness **ret, const struct fileio *fio, struct err *err)
{
  const struct layout *l = &fio->layout;
  struct witness *w = mem_aligned(1, sizeof(*w), CACHE_LINE);
  int rc;

  if (!w)
    return err_set(err, -ENOMEM, "cannot allocate the fileio test");
  *ret = w;
  w->header = (struct sync_log_header){
    .start_ns = clock_read_ns(CLOCK_REALTIME),
    .files = l->files,
    .file_bytes = l->file_bytes,
    .block = l->block,
    .where = folder_is_device(&fio->folder) ? SYNC_LOG_ON_DEVICE : 0,
  };
  w->header.run = rng_mix(
    fio->plan->seed ^
    rng_mix(w->header.start_ns ^ rng_mix((uint64_t)getpid())));
  w->blocks_per_file = sync_log_blocks_per_file(&w->header);
  /* Stores to a mapping are never synchronous. */
  w->written = (fio->flags & (FILE_FLAG_SYNC | FILE_FLAG_DSYNC)) &&
                   fio->cfg->io_mode != FILE_ENGINE_MMAP
                 ? SYNC_LOG_DURABLE
                 : SYNC_LOG_WRITTEN;
  w->failed = calloc(l->files, sizeof(*w->failed));
  rc = w->failed ? witness_sync_folder(fio, err)
                 : err_set(err, -ENOMEM, "cannot allocate the fileio test");
  if (rc == 0)
    rc = sync_log_new(&w->log, fio->cfg->ack_log, &w->header, err);
  if (rc == 0)
    witness_advise(w, fio);
  return rc;
}

int witness_end(struct witness *w, bool ended, struct err *err)
{
  int rc = 0;

  if (w && ended)
    rc = sync_log_add(w->log, (struct sync_log_record){ .kind = SYNC_LOG_END },
                      err);
  return w && rc == 0 ? sync_log_end(w->log, err) : rc;
}

void witness_free(struct witness *w)
{
  if (!w)
    return;
  sync_log_free(w->log);
  free(w->failed);
  free(w);
}

/* Without kind and generation. */
static struct sync_log_record witness_record_of(const struct witness *w,
                                                unsigned tid,
                                                const struct request *r)
{
  const uint64_t block = w->header.block;

  return (struct sync_log_record){
    .writer = tid & 0xffffff,
    .n = (uint32_t)((r->length + block - 1) / block),
    .block = r->file * w->blocks_per_file + r->offset / block,
  };
}

int witness_begin(struct witness *w, unsigned tid, const struct request *r,
                  void *data, uint64_t *ret_generation, struct err *err)
{
  const uint64_t block = w->header.block;
  struct sync_log_record record = witness_record_of(w, tid, r);
  struct stamp s = { .run = w->header.run,
                     .file = r->file,
                     .writer = record.writer };

  record.kind = SYNC_LOG_BEGUN;
  record.generation = atomic_fetch_add_explicit(&w->last, record.n,
                                                memory_order_relaxed) +
                      1;
  for (uint64_t at = 0, i = 0; at < r->length; at += block, i++) {
    const uint64_t left = r->length - at;

    s.generation = record.generation + i;
    s.offset = r->offset + at;
    stamp_fill(&s, (char *)data + at, left < block ? left : block);
  }
  *ret_generation = record.generation;
  return sync_log_add(w->log, record, err);
}

int witness_written(struct witness *w, unsigned tid, const struct request *r,
                    uint64_t generation, struct err *err)
{
  struct sync_log_record record = witness_record_of(w, tid, r);

  record.kind = w->written;
  record.generation = generation;
  return sync_log_add(w->log, record, err);
}

uint64_t witness_syncing(const struct witness *w)
{
  return sync_log_count(w->log);
}

int witness_synced(struct witness *w, unsigned tid, uint32_t file,
                   uint64_t syncing, bool failed, struct err *err)
{
  if (failed)
    atomic_store(&w->failed[file], true);
  else if (atomic_load(&w->failed[file]))
    return 0;
  return sync_log_add(w->log,
                      (struct sync_log_record){
                        .kind = failed ? SYNC_LOG_SYNC_FAILED : SYNC_LOG_SYNCED,
                        .writer = tid & 0xffffff,
                        .generation = syncing,
                        .block = file,
                      },
                      err);
}
