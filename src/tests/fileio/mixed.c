/*
 * mixed.c - the mode mixed: readers, a log and a checkpointer at once.
 */
#include "tests/fileio/mixed.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/wait.h"
#include "run/plan.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/io.h"

static int check(const struct fileio *fio, struct err *err)
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
                   plan->all_rate);
  if (plan_rated_by(plan))
    return err_set(
      err, -EINVAL,
      "--%s makes no sense with --file-test-mode=mixed, where each "
      "kind of thread has its own rate: see --file-mixed-reads",
      plan_rated_by(plan));
  return 0;
}

int mixed_new(struct fileio *fio, struct err *err)
{
  static const enum file_mode mode[MIXED_ROLES] = {
    [MIXED_LOG] = FILE_MODE_SEQREWR,
    [MIXED_CHECKPOINT] = FILE_MODE_SEQREWR,
    [MIXED_READ] = FILE_MODE_RNDRD,
  };
  struct mixed *m;
  int rc = check(fio, err);

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
    cfg.fsync_freq = 0; /* each role decides when to synchronise */
    layout.files = i == MIXED_LOG ? 1 : fio->layout.files - 1;
    layout.places = layout.files * layout.per_file;
    rc = pattern_init(&m->of[i], &layout, &cfg, false, err);
  }
  return rc;
}

void mixed_free(struct mixed *m)
{
  for (unsigned i = 0; m && i < MIXED_ROLES; i++)
    pattern_done(&m->of[i]);
  free(m);
}

void mixed_thread_init(struct mixed_thread *t, const struct fileio *fio,
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

/* Returns false if the run is over before that. */
static bool wait_until_due(struct mixed_thread *t, struct worker *w)
{
  uint64_t now = clock_now_ns();

  if (t->due_ns == 0) /* readers start one after another */
    t->due_ns = now + t->period_ns / (w->plan->threads + 1) * w->tid;
  else
    t->due_ns += t->period_ns;
  while (now < t->due_ns && !worker_is_over(w)) {
    wait_while(worker_stop_word(w), 0, min_u64(t->due_ns, worker_end_ns(w)));
    now = clock_now_ns();
  }
  return now >= t->due_ns;
}

bool mixed_next(struct mixed_thread *t, struct fileio *fio,
                struct pattern_thread *pattern, struct worker *w,
                struct request *ret)
{
  if (t->period_ns > 0 && !wait_until_due(t, w))
    return false;
  (void)pattern_next(&fio->mixed->of[t->role], pattern, w->rand, ret);
  if (t->role == MIXED_LOG)
    ret->file = (uint32_t)fio->layout.files - 1;
  return true;
}

int mixed_execute(struct mixed_thread *t, struct io *io, void *engine,
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
