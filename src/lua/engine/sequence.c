/*
 * sequence.c - named numbers that the states of a script take turns in.
 */
#include "lua/engine/sequence.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void sequences_init(struct sequences *s)
{
  (void)pthread_mutex_init(&s->lock, NULL);
}

void sequences_done(struct sequences *s)
{
  (void)pthread_mutex_destroy(&s->lock);
}

/* Call it under the lock.  Returns n for an unknown name. */
static size_t find(const struct sequences *s, const char *name)
{
  size_t i = 0;

  while (i < s->n && strcmp(s->of[i].name, name) != 0)
    i++;
  return i;
}

int sequences_set(struct sequences *s, const char *name, double next)
{
  int rc = -ENOSPC;
  size_t i;

  (void)pthread_mutex_lock(&s->lock);
  i = find(s, name);
  if (i < SEQUENCES_MAX) {
    (void)snprintf(s->of[i].name, SEQUENCE_NAME_BYTES, "%s", name);
    s->of[i].next = next;
    if (i == s->n)
      s->n++;
    rc = 0;
  }
  (void)pthread_mutex_unlock(&s->lock);
  return rc;
}

int sequences_take(struct sequences *s, const char *name, double n,
                   double limit, double *ret)
{
  int rc = -ENOENT;
  size_t i;

  (void)pthread_mutex_lock(&s->lock);
  i = find(s, name);
  if (i < s->n) {
    rc = -ERANGE;
    if (s->of[i].next + n - 1 <= limit) {
      *ret = s->of[i].next;
      s->of[i].next += n;
      rc = 0;
    }
  }
  (void)pthread_mutex_unlock(&s->lock);
  return rc;
}
