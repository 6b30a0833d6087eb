/*
 * parallel.c - calls one function in several threads, and waits for all.
 */
#include "run/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/thread.h"
#include "loop/overflow.h"

struct job {
  pthread_mutex_t lock; /* of calls of ops->failed() */
  _Atomic int n_failed;
  const struct parallel_ops *ops;
  void *arg;
};

struct job_thread {
  pthread_t id;
  unsigned tid;
  struct job *job;
};

static void tell(struct job *job, unsigned tid, const struct err *why)
{
  (void)pthread_mutex_lock(&job->lock);
  job->ops->failed(job->arg, tid, why);
  (void)pthread_mutex_unlock(&job->lock);
}

static void *job_main(void *arg)
{
  struct job_thread *t = arg;
  struct job *job = t->job;
  struct err err = { "" };

  overflow_watch();
  if (job->ops->fn(job->arg, t->tid, &err) < 0) {
    (void)atomic_fetch_add(&job->n_failed, 1);
    tell(job, t->tid, &err);
  }
  return NULL;
}

int parallel_run(unsigned n, size_t stack_bytes, const struct parallel_ops *ops,
                 void *arg, struct err *err)
{
  struct job job = { .ops = ops, .arg = arg };
  struct job_thread *threads = calloc(n, sizeof(*threads));
  unsigned started = 0;
  int rc = 0;

  if (!threads)
    return err_set(err, -ENOMEM, "cannot allocate %u threads", n);
  (void)pthread_mutex_init(&job.lock, NULL);
  for (; started < n && !ops->is_over(arg); started++) {
    threads[started].tid = started;
    threads[started].job = &job;
    rc = thread_start(&threads[started].id, stack_bytes, job_main,
                      &threads[started], err);
    if (rc < 0)
      break;
  }
  if (started < n)
    tell(&job, started, &(struct err){ "" });
  for (unsigned i = 0; i < started; i++)
    (void)pthread_join(threads[i].id, NULL);
  (void)pthread_mutex_destroy(&job.lock);
  free(threads);
  return rc < 0 ? rc : atomic_load(&job.n_failed);
}
