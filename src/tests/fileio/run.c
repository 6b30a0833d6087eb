/*
 * run.c - the run command of the fileio test.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "opt/help.h"
#include "opt/optset.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "stats/rand/stream.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/files.h"
#include "tests/fileio/form.h"
#include "tests/fileio/wear.h"
#include "tests/fileio/witness.h"
#include "tests/tests.h"

enum mixed_role {
  MIXED_LOG,
  MIXED_CHECKPOINT,
  MIXED_READ,
  MIXED_ROLES,
};

enum {
  MIXED_MIN_THREADS = 3,
  MIXED_MIN_FILES = 2, /* data, log */
};

struct mixed {
  struct pattern of[MIXED_ROLES];
};

struct mixed_thread {
  enum mixed_role role;
  uint64_t period_ns; /* 0: no rate */
  uint64_t due_ns;    /* 0: no request yet */
};

/* ---- mode mixed: readers, a log and a checkpointer ---- */

static int mixed_check(const struct fileio *fio, struct err *err)
{
  const struct plan *plan = fio->plan;

  if (plan->all_threads < MIXED_MIN_THREADS)
    return err_set(err, -EINVAL,
                   "Invalid value for --threads: '%u' (expected at least %d "
                   "with --file-test-mode=mixed: a log, a checkpointer and "
                   "readers)",
                   plan->all_threads, MIXED_MIN_THREADS);
  if (fio->layout.files < MIXED_MIN_FILES)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-num: '%llu' (expected at least %d "
                   "with --file-test-mode=mixed: the last file is the log)",
                   (unsigned long long)fio->layout.files, MIXED_MIN_FILES);
  if (plan->rate > 0.0)
    return err_set(err, -EINVAL,
                   "Invalid value for --rate: '%g' (expected 0 with "
                   "--file-test-mode=mixed, where each kind of thread has its "
                   "own: see --file-mixed-reads)",
                   plan->cfg.rate);
  if (plan_rated_by(plan))
    return err_set(
      err, -EINVAL,
      "--%s makes no sense with --file-test-mode=mixed, where each "
      "kind of thread has its own rate: see --file-mixed-reads",
      plan_rated_by(plan));
  return 0;
}

static int mixed_new(struct fileio *fio, struct err *err)
{
  static const enum file_mode mode[MIXED_ROLES] = {
    [MIXED_LOG] = FILE_MODE_SEQREWR,
    [MIXED_CHECKPOINT] = FILE_MODE_SEQREWR,
    [MIXED_READ] = FILE_MODE_RNDRD,
  };
  struct mixed *m;
  int rc = mixed_check(fio, err);

  if (rc < 0)
    return rc;
  m = mem_aligned(1, sizeof(*m), CACHE_LINE);
  if (!m)
    return err_set(err, -ENOMEM, "cannot allocate the fileio test");
  fio->mixed = m;
  for (unsigned i = 0; i < MIXED_ROLES && rc == 0; i++) {
    struct fileio_cfg cfg = *fio->cfg;
    struct layout layout = fio->layout;

    cfg.mode = mode[i];
    cfg.fsync_freq = 0;
    layout.files = i == MIXED_LOG ? 1 : fio->layout.files - 1;
    layout.places = layout.files * layout.per_file;
    rc = pattern_init(&m->of[i], &layout, &cfg, false, err);
  }
  return rc;
}

static void mixed_free(struct mixed *m)
{
  for (unsigned i = 0; m && i < MIXED_ROLES; i++)
    pattern_done(&m->of[i]);
  free(m);
}

static void mixed_thread_init(struct mixed_thread *t, const struct fileio *fio,
                              unsigned thread)
{
  const struct fileio_cfg *cfg = fio->cfg;
  const double rate[MIXED_ROLES] = {
    [MIXED_LOG] = cfg->mixed_commits,
    [MIXED_CHECKPOINT] = cfg->mixed_checkpoint,
    [MIXED_READ] = cfg->mixed_reads /
                   (double)(fio->plan->all_threads - MIXED_READ),
  };

  t->role = thread < MIXED_READ ? (enum mixed_role)thread : MIXED_READ;
  if (rate[t->role] > 0)
    t->period_ns = (uint64_t)((double)NS_PER_S / rate[t->role]);
}

/* False: the run ends before. */
static bool mixed_wait_until_due(struct mixed_thread *t, struct worker *w)
{
  uint64_t now = clock_now_ns();

  if (t->due_ns == 0) /* one reader after another */
    t->due_ns = now + t->period_ns / (w->plan->threads + 1) * w->tid;
  else
    t->due_ns += t->period_ns;
  while (now < t->due_ns && !worker_is_over(w)) {
    wait_while(worker_stop_word(w), 0, min_u64(t->due_ns, worker_end_ns(w)));
    now = clock_now_ns();
  }
  return now >= t->due_ns;
}

static bool mixed_next(struct mixed_thread *t, struct fileio *fio,
                       struct pattern_thread *pattern, struct worker *w,
                       struct request *ret)
{
  if (t->period_ns > 0 && !mixed_wait_until_due(t, w))
    return false;
  (void)pattern_next(&fio->mixed->of[t->role], pattern, w->rand, ret);
  if (t->role == MIXED_LOG)
    ret->file = (uint32_t)fio->layout.files - 1;
  return true;
}

/* Latency counts from the due time. */
static int mixed_execute(struct mixed_thread *t, struct io *io, void *engine,
                         const struct request *r, struct err *err)
{
  const struct engine_ops *ops = io->fio->engine;
  int rc;

  if (t->period_ns > 0)
    io->w->start_ns = t->due_ns;
  rc = ops->execute(engine, r, err);
  if (rc < 0 || t->role == MIXED_READ ||
      (t->role == MIXED_CHECKPOINT &&
       r->offset + r->length < io->fio->layout.file_bytes))
    return rc;
  rc = ops->sync(engine, r->file, err);
  if (rc == 0 && t->role == MIXED_LOG)
    io_done(io, FILE_OP_COMMIT, 0, io->w->start_ns, io_now(io));
  return rc;
}

struct fileio_thread {
  struct io io;
  struct pattern_thread pattern;
  struct mixed_thread mixed;
  struct request next;
  void *engine;
  bool failed;    /* do nothing more */
  struct err why; /* for run_event() */
} CACHE_ALIGNED;

static int run_refuse_no_mode(struct err *err)
{
  struct fileio_cfg cfg;
  struct strbuf out = { 0 };
  struct optset set;

  optset_init(&set, COMPAT_1_0);
  if (optset_add(&set, OPT_SECTION_TEST, "fileio", fileio_opts, &cfg, err) == 0)
    help_test(&out, "fileio", &set);
  log_msg(LOG_NOTICE, "%s", strbuf_str(&out));
  strbuf_done(&out);
  optset_done(&set);
  return err_set(err, -EINVAL, "Missing required argument: --file-test-mode");
}

static void run_fileio_close(void *run)
{
  struct fileio *fio = run;

  if (fio->engine && fio->engine->end)
    fio->engine->end(fio);
  mixed_free(fio->mixed);
  files_close(&fio->files);
  folder_close(&fio->folder);
  pattern_done(&fio->pattern);
  witness_free(fio->witness);
  free(fio->check);
  free(fio);
}

static int run_make_checksums(struct fileio *fio, struct err *err)
{
  if (!fio->plan->cfg.validate)
    return 0;
  fio->check = malloc(sizeof(*fio->check));
  if (!fio->check)
    return err_set(err, -ENOMEM, "cannot allocate the checksums");
  validate_init(fio->check, fio->layout.block, fio->layout.file_bytes);
  return 0;
}

static int run_set_up(struct fileio *fio, struct err *err)
{
  const struct fileio_cfg *cfg = fio->cfg;
  int rc;

  rc = fileio_options_check(cfg, err);
  if (rc == 0)
    rc = engine_choose(&fio->engine, cfg, err);
  if (rc == 0)
    rc = files_device_or_folder(&fio->folder, cfg, file_mode_writes(cfg->mode),
                                err);
  if (rc == 0)
    rc = layout_init(&fio->layout, cfg, fio->folder.device_bytes, cfg->mode,
                     fio->plan->cfg.validate, err);
  if (rc == 0 && (fio->flags & FILE_FLAG_DIRECT))
    rc = layout_check_direct(&fio->layout, files_direct_alignment(&fio->folder),
                             err);
  if (rc == 0)
    rc = witness_check(fio, err);
  if (rc == 0)
    rc = pattern_init(&fio->pattern, &fio->layout, cfg,
                      fio->plan->cfg.validate || cfg->verify, err);
  if (rc == 0 && cfg->mode == FILE_MODE_MIXED)
    rc = mixed_new(fio, err);
  if (rc == 0 && cfg->steady > 0 && fio->plan->parts > 1)
    rc = err_set(err, -EINVAL,
                 "Invalid value for --file-steady: '%g' (expected 0 in a run "
                 "of several processes)",
                 cfg->steady);
  fio->folder.block = fio->layout.block;
  fio->folder.force = fio->plan->cfg.force;
  steady_init(&fio->steady, cfg->steady, cfg->steady_window_s);
  fio->special = fio->mixed || cfg->steady > 0;
  return rc < 0 ? rc : run_make_checksums(fio, err);
}

static int run_fileio_open(const struct plan *plan, const void *arg,
                           void **ret_run, struct err *err)
{
  const struct fileio_cfg *cfg = arg;
  struct fileio *fio;
  int rc;

  if (cfg->mode < 0)
    return run_refuse_no_mode(err);
  fio = mem_aligned(1, sizeof(*fio), CACHE_LINE);
  if (!fio)
    return err_set(err, -ENOMEM, "cannot allocate the fileio test");
  fio->plan = plan;
  fio->cfg = cfg;
  fio->flags = fileio_flags(cfg);
  fio->folder.fd = -1;
  rc = run_set_up(fio, err);
  if (rc < 0) {
    run_fileio_close(fio);
    return rc;
  }
  files_warn_ignored(cfg, true);
  *ret_run = fio;
  return 0;
}

/* The generation of all files is that of the first. */
static int run_learn_generation(struct fileio *fio, bool fresh, struct err *err)
{
  const struct layout *l = &fio->layout;
  const uint64_t block = l->block < l->file_bytes ? l->block : l->file_bytes;
  enum validate_kind kind = VALIDATE_NONE;
  unsigned char tail[VALIDATE_TAIL];
  int fd, rc;

  fio->check->generation = validate_new_generation(fio->plan->seed, 0);
  if (fresh || block < VALIDATE_MARKED)
    return 0;
  /* Without O_DIRECT, which reads whole blocks. */
  rc = folder_open_file(&fio->folder, 0, 0, false, &fd, NULL, err);
  if (rc < 0)
    return rc;
  if (pread(fd, tail, sizeof(tail), (off_t)(block - sizeof(tail))) ==
      (ssize_t)sizeof(tail))
    kind = validate_look(tail, &fio->check->generation);
  (void)close(fd);
  if (kind == VALIDATE_UNMARKED)
    log_msg(
      LOG_WARNING,
      "the checksums of the files have no file numbers, as those of older "
      "versions and of sysbench, so a file in the place of another is "
      "not noticed; prepare --validate adds them");
  return 0;
}

/* ---- writes of the device ---- */

/* Processes do not know the writes of others. */
static bool wear_run_is_wanted(const struct fileio *fio)
{
  return file_mode_writes(fio->cfg->mode) && fio->plan->parts <= 1;
}

/* Is all on the device before the run is over? */
static bool wear_run_is_durable(const struct fileio *fio)
{
  return fio->cfg->fsync_end || fio->cfg->fsync_all || fio->flags != 0 ||
         file_mode_database(fio->cfg->mode);
}

static void wear_run_begin(struct fileio *fio)
{
  struct stat st;
  dev_t number = 0;

  if (!wear_run_is_wanted(fio))
    return;
  if (fstat(fio->files.fd[0], &st) == 0)
    number = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  wear_find(&fio->wear, "", number);
  if (!wear_run_is_durable(fio))
    fio->wear.unknown =
      "without --file-fsync-end a part of it is still in the page cache";
  wear_start(&fio->wear, fio->plan->threads);
}

static void wear_run_worker_ended(struct fileio *fio, const struct worker *w)
{
  if (wear_run_is_wanted(fio))
    wear_add(&fio->wear,
             atomic_load(&w->recorder->counter[COUNTER_BYTES_WRITTEN]));
}

static void wear_run_tell(const struct fileio *fio)
{
  if (wear_run_is_wanted(fio) && fio->plan->identity != IDENTITY_SYSBENCH)
    wear_tell(&fio->wear);
}

static void wear_run_facts(const struct fileio *fio, struct facts *to)
{
  if (wear_run_is_wanted(fio))
    wear_facts(&fio->wear, to);
}

static int run_check_owned(const struct fileio *fio, struct err *err)
{
  int rc = 0;

  if (!file_mode_writes(fio->cfg->mode))
    return 0;
  for (uint64_t i = 0; i < fio->layout.files && rc == 0; i++)
    rc = folder_check_owned(&fio->folder, i, err);
  return rc;
}

static int run_fileio_begin(void *run, struct err *err)
{
  struct fileio *fio = run;
  const struct layout *l = &fio->layout;
  const bool fresh = fio->cfg->mode == FILE_MODE_SEQWR;
  int rc;

  (void)signal(SIGXFSZ, SIG_IGN); /* write() fails instead */
  rc = run_check_owned(fio, err);
  if (rc == 0)
    rc = files_open(&fio->files, &fio->folder, l->files, l->file_bytes,
                    fileio_open_flags(fio->flags), fresh, err);
  if (rc == 0 && fio->check)
    rc = run_learn_generation(fio, fresh, err);
  if (rc == 0 && fio->cfg->verify)
    rc = witness_new(&fio->witness, fio, err);
  fio->fills = fio->check || fio->witness;
  if (rc == 0)
    files_print_advice(&fio->folder, l->files * l->file_bytes,
                       (fio->flags & FILE_FLAG_DIRECT) ||
                         fio->cfg->mode == FILE_MODE_WAL);
  if (rc == 0 && fio->cfg->drop_cache)
    rc = files_drop_cache(&fio->files, err);
  if (rc == 0 && fio->engine->begin)
    rc = fio->engine->begin(fio, err);
  if (rc == 0)
    wear_run_begin(fio);
  return rc;
}

/* Other modes refuse files that seqwr has not filled. */
static void run_warn_if_short(const struct fileio *fio)
{
  const uint64_t all = fio->layout.places;
  const uint64_t done = atomic_load(&fio->pattern.sequence);

  if (fio->cfg->mode == FILE_MODE_SEQWR && fio->folder.device_bytes == 0 &&
      fio->plan->parts <= 1 && done < all)
    log_advise(
      "the run ended after %" PRIu64 " of %" PRIu64
      " writes, so the new files are short; run prepare before another "
      "--file-test-mode",
      done, all);
}

/* Were the files the user's all the time? */
static int run_fileio_end(void *run, struct err *err)
{
  struct fileio *fio = run;
  struct err lost = { "" };
  int rc;

  if (fio->cfg->steady > 0)
    steady_tell(&fio->steady);
  wear_run_tell(fio);
  run_warn_if_short(fio);
  rc = files_check_names(&fio->files, err);
  if (rc == 0)
    return witness_end(fio->witness, true, err);
  if (witness_end(fio->witness, false, &lost) < 0)
    log_msg(LOG_FATAL, "%s", lost.text);
  return rc;
}

/* After a disk hung, verify needs the acknowledgements. */
static int run_fileio_end_forced(void *run, struct err *err)
{
  const struct fileio *fio = run;

  return witness_end(fio->witness, false, err);
}

static int run_thread_open(void *run, struct worker *w, void **ret_thr,
                           struct err *err)
{
  struct fileio *fio = run;
  struct fileio_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->io.fio = fio;
  t->io.w = w;
  t->io.random = rng_key(fio->plan->seed, RNG_INTERNAL,
                         fio->plan->first_thread + w->tid);
  t->io.scheduled = plan_rated_by(fio->plan) != NULL;
  if (fio->mixed)
    mixed_thread_init(&t->mixed, fio, fio->plan->first_thread + w->tid);
  rc = io_classes(&t->io, err);
  if (rc == 0)
    rc = fio->engine->open(&t->io, &t->engine, err);
  if (rc < 0)
    free(t);
  else
    *ret_thr = t;
  return rc;
}

static void run_thread_close(void *thr)
{
  struct fileio_thread *t = thr;

  t->io.fio->engine->close(t->engine);
  free(t);
}

/* Completes own requests, because with checksums all places can be taken.
 * run_event() reports errors. */
static bool run_wait_for_place(struct fileio_thread *t, struct worker *w)
{
  struct fileio *fio = t->io.fio;

  do {
    if (worker_is_over(w))
      return false;
    if (fio->engine->settle &&
        fio->engine->settle(t->engine, false, &t->why) < 0) {
      t->failed = true;
      return true;
    }
    (void)sched_yield();
  } while (!pattern_next(&fio->pattern, &t->pattern, w->rand, &t->next));
  return true;
}

static bool run_next(void *thr, struct worker *w)
{
  struct fileio_thread *t = thr;

  if (UNLIKELY(t->io.fio->special)) {
    if (t->io.fio->cfg->steady > 0 && !steady_goes_on(&t->io.fio->steady, w))
      return false;
    if (t->io.fio->mixed)
      return mixed_next(&t->mixed, t->io.fio, &t->pattern, w, &t->next);
  }
  if (LIKELY(pattern_next(&t->io.fio->pattern, &t->pattern, w->rand, &t->next)))
    return true;
  return run_wait_for_place(t, w);
}

/* A request ends when its completion is taken, which also frees its place. */
static bool run_idle(void *thr, struct worker *w, uint64_t until_ns)
{
  struct fileio_thread *t = thr;
  const struct engine_ops *engine = t->io.fio->engine;

  (void)w;
  if (engine->attend && engine->attend(t->engine, until_ns, &t->why) < 0)
    t->failed = true;
  return !t->failed;
}

static int run_tell(struct fileio_thread *t, struct err *err)
{
  *err = t->why;
  t->why.text[0] = '\0';
  return -EIO;
}

static NOINLINE void run_show(const struct request *r)
{
  static const unsigned number[FILE_OPS] = {
    [FILE_OP_READ] = 1, [FILE_OP_WRITE] = 2,  [FILE_OP_FSYNC] = 3,
    [FILE_OP_TRIM] = 4, [FILE_OP_COMMIT] = 5,
  };

  log_msg(LOG_DEBUG,
          "Executing request, operation: %u, file_id: %" PRIu32
          ", pos: %" PRIu64 ", size: %" PRIu32,
          number[r->op], r->file, r->offset, r->length);
}

static int run_event(void *thr, struct worker *w, struct err *err)
{
  struct fileio_thread *t = thr;
  int rc;

  if (UNLIKELY(t->failed))
    return run_tell(t, err);
  if (UNLIKELY(t->io.fio->plan->cfg.debug))
    run_show(&t->next);
  if (t->io.classes)
    w->event_class = (uint16_t)t->io.class_of[t->next.op];
  if (UNLIKELY(t->io.fio->mixed != NULL))
    rc = mixed_execute(&t->mixed, &t->io, t->engine, &t->next, err);
  else
    rc = t->io.fio->engine->execute(t->engine, &t->next, err);
  t->failed = rc < 0;
  return rc;
}

static int run_drain(void *thr, struct worker *w, struct err *err)
{
  struct fileio_thread *t = thr;
  const struct engine_ops *engine = t->io.fio->engine;
  int rc = 0;

  (void)w;
  if (t->failed && t->why.text[0] != '\0')
    return run_tell(t, err);
  if (engine->settle && !t->failed)
    rc = engine->settle(t->engine, true, err);
  t->failed |= rc < 0;
  return rc;
}

static bool run_syncs_at_end(const struct fileio *fio)
{
  return fio->cfg->fsync_end && !fio->cfg->fsync_all &&
         file_mode_writes(fio->cfg->mode) &&
         !file_mode_database(fio->cfg->mode);
}

static int run_sync_all(struct fileio_thread *t, const struct worker *w,
                        struct err *err)
{
  struct fileio *fio = t->io.fio;
  const uint64_t start_ns = clock_now_ns();
  int rc = 0;

  for (uint64_t f = w->tid; f < fio->layout.files && rc == 0;
       f += fio->plan->threads)
    rc = fio->engine->sync(t->engine, (uint32_t)f, err);
  if (rc == 0 && fio->engine->settle)
    rc = fio->engine->settle(t->engine, true, err);
  max_atomic_u64(&fio->sync_ns, clock_now_ns() - start_ns);
  return rc;
}

static int run_finish(void *thr, struct worker *w, struct err *err)
{
  struct fileio_thread *t = thr;
  struct fileio *fio = t->io.fio;
  int rc = 0;

  if (!t->failed && run_syncs_at_end(fio))
    rc = run_sync_all(t, w, err);
  if (!t->failed && rc == 0)
    wear_run_worker_ended(fio, w);
  return rc;
}

static void run_details(void *run, struct test_details *ret)
{
  const struct fileio *fio = run;
  const uint64_t n = atomic_load(&fio->depth_count);

  if (fio->cfg->steady > 0)
    steady_facts(&fio->steady, &ret->test);
  if (n > 0) {
    facts_real(&ret->test, "queue_depth_mean",
               (double)atomic_load(&fio->depth_sum) / (double)n);
    facts_int(&ret->test, "queue_depth_max",
              (int64_t)atomic_load(&fio->depth_max));
  }
  wear_run_facts(fio, &ret->test);
  if (run_syncs_at_end(fio))
    facts_real(&ret->test, "final_sync_s",
               (double)atomic_load(&fio->sync_ns) / (double)NS_PER_S);
}

static void run_setup(void *run, struct report_setup *ret)
{
  const struct fileio *fio = run;

  /* The latencies of kinds of requests are the result. */
  ret->class_table |= file_mode_database(fio->cfg->mode);
}

static const struct test_ops fileio_ops = {
  .prepare = fileio_prepare,
  .cleanup = fileio_cleanup,
  .verify = fileio_verify,
  .open = run_fileio_open,
  .describe = fileio_describe,
  .begin = run_fileio_begin,
  .close = run_fileio_close,
  .end = run_fileio_end,
  .end_forced = run_fileio_end_forced,
  .thread_open = run_thread_open,
  .thread_close = run_thread_close,
  .next = run_next,
  .idle = run_idle,
  .event = run_event,
  .drain = run_drain,
  .finish = run_finish,
  .details = run_details,
  .setup = run_setup,
};

static const struct test test_with_table = {
  .name = "fileio",
  .ops = &fileio_ops,
  .form = &fileio_form,
  .has_classes = true,
};

static int run_variant(const void *arg, const struct test **ret,
                       struct err *err)
{
  const struct fileio_cfg *cfg = arg;

  (void)err;
  if (file_mode_database(cfg->mode))
    *ret = &test_with_table;
  return 0;
}

const struct test test_fileio = {
  .name = "fileio",
  .summary = "File I/O test",
  .about = "The threads read and write files, or a block device. Use prepare "
           "to create the files.",
  .example = "--file-total-size=8G --file-test-mode=rndrw --time=60 run",
  .opts = fileio_opts,
  .cfg_size = sizeof(struct fileio_cfg),
  .variant = run_variant,
  .ops = &fileio_ops,
  .form = &fileio_form,
};
