/*
 * jobs.c - a queue of jobs that some clients of a script leave to others.
 */
#include "lua/engine/jobs.h"

#include <errno.h>
#include <stdlib.h>

enum {
  JOBS_FIRST = 64, /* places at first */
};

void jobs_init(struct jobs *j)
{
  (void)pthread_mutex_init(&j->lock, NULL);
}

void jobs_done(struct jobs *j)
{
  free(j->of);
  j->of = NULL;
  (void)pthread_mutex_destroy(&j->lock);
}

/* Double the places; the ring begins at the first one again. */
static int grow(struct jobs *j)
{
  const size_t size = j->size ? 2 * j->size : JOBS_FIRST;
  struct job *of;

  if (size > JOBS_MAX)
    return -ENOSPC;
  of = malloc(size * sizeof(*of));
  if (!of)
    return -ENOMEM;
  for (size_t i = 0; i < j->n; i++)
    of[i] = j->of[(j->first + i) % j->size];
  free(j->of);
  j->of = of;
  j->size = size;
  j->first = 0;
  return 0;
}

int jobs_put(struct jobs *j, const struct job *job)
{
  int rc = 0;

  (void)pthread_mutex_lock(&j->lock);
  if (j->n == j->size)
    rc = grow(j);
  if (rc == 0)
    j->of[(j->first + j->n++) % j->size] = *job;
  (void)pthread_mutex_unlock(&j->lock);
  return rc;
}

bool jobs_take(struct jobs *j, struct job *ret)
{
  bool any;

  (void)pthread_mutex_lock(&j->lock);
  any = j->n > 0;
  if (any) {
    *ret = j->of[j->first];
    j->first = (j->first + 1) % j->size;
    j->n--;
  }
  (void)pthread_mutex_unlock(&j->lock);
  return any;
}

size_t jobs_waiting(struct jobs *j)
{
  size_t n;

  (void)pthread_mutex_lock(&j->lock);
  n = j->n;
  (void)pthread_mutex_unlock(&j->lock);
  return n;
}
