/*
 * prepare.c - the commands prepare and cleanup, and the header of a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "run/peers.h"
#include "run/plan.h"
#include "stats/rand/rng.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/files.h"

/* ---- the header ---- */

static void prepare_describe_requests(const struct fileio *fio,
                                      struct strbuf *out)
{
  const struct fileio_cfg *cfg = fio->cfg;
  char size[32];

  if (cfg->merged > 0)
    strbuf_addf(
      out, "Merging requests up to %sB for sequential IO.\n",
      layout_size_text(fio->layout.block * cfg->merged, size, sizeof(size)));
  if (file_mode_random(cfg->mode)) {
    const uint64_t events = fio->plan->events == PLAN_NO_LIMIT
                              ? 0
                              : fio->plan->events;

    strbuf_addf(out, "Number of IO requests: %" PRIu64 "\n", events);
    strbuf_addf(out, "Read/Write ratio for combined random IO test: %2.2f\n",
                cfg->rw_ratio);
  }
}

static void prepare_describe_sync(const struct fileio_cfg *cfg,
                                  struct strbuf *out)
{
  if (cfg->mode == FILE_MODE_MIXED)
    return;
  if (cfg->mode == FILE_MODE_WAL) {
    strbuf_adds(out, "Each event is durable when it ends (group commit).\n");
    return;
  }
  if (cfg->fsync_all) {
    strbuf_adds(out, "Calling fsync() after each write operation.\n");
    return;
  }
  if (cfg->fsync_freq > 0)
    strbuf_addf(out,
                "Periodic FSYNC enabled, calling fsync() each %" PRIu64
                " requests.\n",
                cfg->fsync_freq);
  if (cfg->fsync_end)
    strbuf_adds(out, "Calling fsync() at the end of test, Enabled.\n");
}

void fileio_describe(void *run)
{
  static const char *const mode[] = {
    "sequential write (creation)",
    "sequential rewrite",
    "sequential read",
    "random read",
    "random write",
    "random r/w",
    "write-ahead log",
    "mixed (log, checkpointer, random read)",
  };
  const struct fileio *fio = run;
  const struct layout *l = &fio->layout;
  struct strbuf out = { 0 };
  char size[32];

  strbuf_addf(&out, "Extra file open flags: %s\n",
              fileio_flags_text(fio->flags));
  strbuf_addf(&out, "%" PRIu64 " files, %sB each\n", l->files,
              layout_size_text(l->file_bytes, size, sizeof(size)));
  strbuf_addf(&out, "%sB total file size\n",
              layout_size_text(l->file_bytes * l->files, size, sizeof(size)));
  layout_describe_blocks(&l->blocks, &out);
  strbuf_adds(&out, "\n");
  prepare_describe_requests(fio, &out);
  prepare_describe_sync(fio->cfg, &out);
  strbuf_addf(&out, "Using %s I/O mode\n", fio->engine->title);
  if (fio->plan->cfg.validate)
    strbuf_adds(&out, "Using checksums validation.\n");
  strbuf_addf(&out, "Doing %s test\n", mode[fio->cfg->mode]);
  log_msg(LOG_NOTICE, "%s", strbuf_str(&out));
  strbuf_done(&out);
}

/* Removes as many files as possible; the error is the first one. */

int fileio_cleanup(const struct plan *plan, const void *arg, struct err *err)
{
  const struct fileio_cfg *cfg = arg;
  struct folder folder;
  unsigned part, parts;
  int rc;

  plan_divide_folder(plan, cfg->dir, &part, &parts);
  if (*cfg->device != '\0') {
    log_msg(LOG_NOTICE, "Nothing to remove: %s stays as it is.\n", cfg->device);
    return 0;
  }
  rc = folder_open(&folder, cfg->dir, err);
  if (rc < 0)
    return rc;
  (void)parse_size(cfg->block_size, &folder.block); /* 0: several sizes */
  folder.force = plan->cfg.force;
  log_msg(LOG_NOTICE, "Removing test files...\n");
  for (uint64_t i = part; i < cfg->num; i += parts) {
    struct err why;
    const int removed = folder_remove(&folder, i, &why);

    if (removed < 0 && rc == 0) {
      rc = removed;
      *err = why;
    }
  }
  folder_close(&folder);
  return rc;
}

/* ---- prepare ---- */

#define PIECE_BYTES (UINT64_C(1) << 20) /* whole blocks */

enum {
  BUFFER_ALIGN = 65536 /* for any device */
};

struct prepare {
  /* Constant while threads exist. */
  const struct plan *plan;
  const struct fileio_cfg *cfg;
  struct layout layout;
  unsigned part, parts;
  struct folder folder;
  struct validate *check; /* owned; NULL without --validate */
  int open_flags;
  size_t piece;
  struct progress progress;

  _Atomic uint64_t written;
  _Atomic bool failed;

  pthread_mutex_t lock; /* of the rest, and of lines printed */
  uint64_t next;
  struct taken taken;
  struct err why;
  int why_code;
};

struct preparer {
  struct prepare *p;
  pthread_t thread;
  void *buf; /* owned */
  uint64_t random;
};

static int prepare_write_failed(const struct prepare *p, uint64_t file,
                                uint64_t offset, int why, struct err *err)
{
  char name[FILES_NAME_MAX];

  (void)folder_name(&p->folder, file, name, sizeof(name));
  if (files_room_is_error(why))
    return err_set(err, -why, "Cannot write file '%s': %s", name,
                   files_room_error_words(why));
  errno = why;
  return err_sys(err, "Failed to write file '%s' at offset %" PRIu64, name,
                 offset);
}

/* From the block boundary at or below `from` to the end. */
static int prepare_write_blocks(struct preparer *t, uint64_t file, int fd,
                                uint64_t from, struct err *err)
{
  struct prepare *p = t->p;
  const uint64_t block = p->layout.block;
  const uint64_t end = p->layout.per_file * block;
  uint64_t at = from / block * block;

  while (at < end && !atomic_load(&p->failed)) {
    const size_t len = end - at < p->piece ? end - at : p->piece;
    size_t done = 0;

    if (p->check)
      validate_fill(p->check, &t->random, t->buf, len, file, at);
    while (done < len) {
      const ssize_t n = pwrite(fd, (char *)t->buf + done, len - done,
                               (off_t)(at + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return prepare_write_failed(p, file, at + done, n < 0 ? errno : ENOSPC,
                                    err);
      done += (size_t)n;
      (void)atomic_fetch_add(&p->written, (uint64_t)n);
    }
    at += len;
  }
  return 0;
}

static int prepare_close_file(const struct prepare *p, uint64_t file, int fd,
                              int rc, struct err *err)
{
  char name[FILES_NAME_MAX];
  int why = 0;

  (void)folder_name(&p->folder, file, name, sizeof(name));
  if (rc == 0 && fsync(fd) < 0) {
    why = errno;
    rc = err_sys(err, "Failed to fsync file '%s'", name);
  }
  if (close(fd) < 0 && rc == 0) {
    why = errno;
    rc = err_sys(err, "Failed to close file '%s'", name);
  }
  /* Some file systems look for room only now. */
  if (files_room_is_error(why))
    rc = prepare_write_failed(p, file, 0, why, err);
  return rc;
}

/* Up to the first hole, which interrupted runs of mmap leave; the disk is not
 * read. */
static uint64_t prepare_bytes_filled(int fd, uint64_t bytes)
{
#ifdef SEEK_HOLE
  const off_t hole = lseek(fd, 0, SEEK_HOLE);

  if (hole >= 0 && (uint64_t)hole < bytes)
    return (uint64_t)hole;
#else
  (void)fd;
#endif
  return bytes;
}

/* A folder's name must not control the terminal. */
static void prepare_tell_file(const char *what, const char *kind,
                              const char *name)
{
  struct strbuf line = { 0 };

  strbuf_addf(&line, "%s %s ", what, kind);
  utf8_add_shown(&line, name, strlen(name), "");
  log_msg(LOG_NOTICE, "%s\n", strbuf_str(&line));
  strbuf_done(&line);
}

/* Opens the next file, and prints the planned work, in order. Not 0: no more
 * files (without text), or a failure. */
static int prepare_take_file(struct prepare *p, uint64_t *ret_file, int *ret_fd,
                             uint64_t *ret_from, struct err *err)
{
  char name[FILES_NAME_MAX];
  const char *what = "Creating";
  const bool device = folder_is_device(&p->folder);
  uint64_t has = 0;
  int rc;

  (void)pthread_mutex_lock(&p->lock);
  *ret_file = p->next;
  rc = p->next >= p->layout.files || atomic_load(&p->failed)
         ? -ENOENT
         : taken_add(&p->taken, &p->folder, err);
  if (rc == 0)
    rc = folder_open_file(&p->folder, p->next,
                          p->open_flags | (device ? O_EXCL : 0), true, ret_fd,
                          &has, err);
  if (rc == 0) {
    p->next += p->parts;
    has = p->check || device ? 0 : prepare_bytes_filled(*ret_fd, has);
    if (device)
      what = "Writing";
    else if (has >= p->layout.file_bytes)
      what = "Reusing existing";
    else if (has > 0)
      what = "Extending existing";
    prepare_tell_file(what, device ? "device" : "file",
                      folder_name(&p->folder, *ret_file, name, sizeof(name)));
    *ret_from = has;
  }
  (void)pthread_mutex_unlock(&p->lock);
  return rc;
}

static int prepare_files(struct preparer *t, struct err *err)
{
  struct prepare *p = t->p;
  uint64_t file, from = 0;
  int fd, rc = 0;

  while (rc == 0) {
    err->text[0] = '\0';
    rc = prepare_take_file(p, &file, &fd, &from, err);
    if (rc < 0)
      return err->text[0] == '\0' ? 0 : rc;
    if (from < p->layout.file_bytes)
      rc = prepare_write_blocks(t, file, fd, from, err);
    rc = prepare_close_file(p, file, fd, rc, err);
  }
  return rc;
}

static void *prepare_thread(void *arg)
{
  struct preparer *t = arg;
  struct prepare *p = t->p;
  struct err err = { "" };
  const int rc = prepare_files(t, &err);

  (void)pthread_mutex_lock(&p->lock);
  if (rc < 0 && p->why.text[0] == '\0') {
    p->why = err;
    p->why_code = -rc;
  }
  if (rc < 0)
    atomic_store(&p->failed, true);
  (void)pthread_mutex_unlock(&p->lock);
  return NULL;
}

static int prepare_start_threads(struct prepare *p, struct preparer *t,
                                 unsigned n, unsigned *ret_started,
                                 struct err *err)
{
  int rc = 0;

  for (*ret_started = 0; *ret_started < n && rc == 0; ++*ret_started) {
    struct preparer *one = &t[*ret_started];

    one->p = p;
    one->random = rng_key(p->plan->seed, RNG_INTERNAL, *ret_started);
    one->buf = mem_aligned(1, p->piece, BUFFER_ALIGN);
    if (!one->buf) {
      rc = err_set(err, -ENOMEM, "cannot allocate %zu bytes", p->piece);
      break;
    }
    rc = thread_start(&one->thread, p->plan->stack_bytes, prepare_thread, one,
                      err);
    if (rc < 0)
      break;
  }
  if (rc < 0)
    atomic_store(&p->failed, true);
  return rc;
}

static uint64_t prepare_own_files(const struct prepare *p)
{
  return (p->layout.files + p->parts - 1 - p->part) / p->parts;
}

/* A full disk stops other programs. */
static void prepare_take_back(struct prepare *p, struct err *err)
{
  const size_t len = strlen(err->text);
  bool cut;
  const char *what = "; run the cleanup command to remove the files";

  if (taken_undo(&p->taken, &p->folder, &cut))
    what = cut ? "; new files were removed, the others have their old length"
               : "; the files that were created have been removed";
  (void)snprintf(err->text + len, sizeof(err->text) - len, "%s", what);
}

static void prepare_look(void *ctx, struct progress_point *ret,
                         struct strbuf *detail)
{
  struct prepare *p = ctx;

  (void)detail;
  *ret = (struct progress_point){
    .verb = "Wrote",
    .unit = PROGRESS_BYTES,
    .total = prepare_own_files(p) * p->layout.per_file * p->layout.block,
    .done = atomic_load(&p->written),
  };
}

static int prepare_work(struct prepare *p, struct err *err)
{
  const uint64_t files = prepare_own_files(p);
  const unsigned n = p->plan->threads < files ? p->plan->threads
                                              : (unsigned)files;
  struct preparer *t = calloc(n > 0 ? n : 1, sizeof(*t));
  unsigned started;
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate %u threads", n);
  if (log_get_level() >= LOG_NOTICE)
    progress_start(&p->progress);
  rc = prepare_start_threads(p, t, n, &started, err);
  for (unsigned i = 0; i < started; i++)
    (void)pthread_join(t[i].thread, NULL);
  progress_stop(&p->progress);
  for (unsigned i = 0; i < n; i++)
    free(t[i].buf);
  free(t);
  if (rc == 0 && atomic_load(&p->failed)) {
    *err = p->why;
    rc = -EIO;
    if (files_room_is_error(p->why_code))
      prepare_take_back(p, err);
  }
  return rc;
}

static void prepare_print_sum(const struct prepare *p)
{
  const uint64_t bytes = atomic_load(&p->written);
  const double seconds = (double)(clock_now_ns() - p->progress.start_ns) /
                         (double)NS_PER_S;

  if (bytes == 0)
    log_msg(LOG_NOTICE, "No bytes written.\n");
  else
    log_msg(LOG_NOTICE,
            "%" PRIu64 " bytes written in %.2f seconds (%.2f MiB/sec).\n",
            bytes, seconds, (double)bytes / 1048576.0 / seconds);
}

static uint64_t prepare_this_moment(void)
{
  return clock_read_ns(CLOCK_REALTIME);
}

static int prepare_set_up(struct prepare *p, struct err *err)
{
  const unsigned flags = fileio_flags(p->cfg);
  uint64_t block;
  int rc = files_device_or_folder(&p->folder, p->cfg, true, err);

  if (rc == 0)
    rc = layout_init(&p->layout, p->cfg, p->folder.device_bytes, -1,
                     p->plan->cfg.validate, err);
  if (rc == 0 && (flags & FILE_FLAG_DIRECT))
    rc = layout_check_direct(&p->layout, files_direct_alignment(&p->folder),
                             err);
  if (rc == 0 && !p->plan->cfg.force && !folder_is_device(&p->folder))
    rc = files_check_room(&p->folder, &p->layout, err);
  p->folder.block = p->layout.block;
  p->folder.force = p->plan->cfg.force;
  for (uint64_t i = p->part; i < p->layout.files && rc == 0; i += p->parts)
    rc = folder_check_owned(&p->folder, i, err);
  if (rc < 0)
    return rc;
  block = p->layout.block;
  p->open_flags = fileio_open_flags(flags);
  p->piece = block < PIECE_BYTES ? PIECE_BYTES / block * block : block;
  if (p->plan->cfg.validate) {
    p->check = malloc(sizeof(*p->check));
    if (!p->check)
      return err_set(err, -ENOMEM, "cannot allocate the checksums");
    validate_init(p->check, block, p->layout.file_bytes);
    /* Processes that share files must agree. */
    p->check->generation = validate_new_generation(
      p->plan->seed, p->parts == 1 ? prepare_this_moment() : 0);
  }
  return 0;
}

int fileio_prepare(const struct plan *plan, const void *cfg, struct err *err)
{
  struct prepare p = { .plan = plan, .cfg = cfg, .folder.fd = -1 };
  int rc;

  plan_divide_folder(plan, p.cfg->dir, &p.part, &p.parts);
  p.next = p.taken.first = p.part;
  p.taken.step = p.parts;
  rc = prepare_set_up(&p, err);
  if (rc == 0) {
    files_warn_ignored(p.cfg, false);
    (void)signal(SIGXFSZ, SIG_IGN); /* write() fails instead */
    (void)pthread_mutex_init(&p.lock, NULL);
    log_msg(
      LOG_NOTICE,
      "%" PRIu64 " files, %" PRIu64 "Kb each, %" PRIu64 "Mb total\n"
      "Creating files for the test...\n"
      "Extra file open flags: %s\n",
      p.layout.files, p.layout.file_bytes / 1024,
      (folder_is_device(&p.folder) ? p.layout.file_bytes : p.cfg->total_size) /
        1048576,
      fileio_flags_text(fileio_flags(p.cfg)));
    progress_init(&p.progress, &progress_stderr, NULL, prepare_look, &p);
    rc = prepare_work(&p, err);
    if (rc == 0)
      prepare_print_sum(&p);
    (void)pthread_mutex_destroy(&p.lock);
  }
  taken_done(&p.taken);
  folder_close(&p.folder);
  free(p.check);
  return rc;
}
