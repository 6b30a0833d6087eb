/*
 * fake_link.h - the engine of a run whose ranks are in one program: what a rank
 * sends reaches the box of the other after a delay.
 */
#ifndef TESTS_UNIT_FAKE_LINK_H
#define TESTS_UNIT_FAKE_LINK_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "nodes/link.h"

enum {
  FAKE_MAX = 8
};

struct fake_letter {
  struct fake_letter *next;
  unsigned from;
  uint64_t due_ns;
  size_t len;
  unsigned char bytes[];
};

struct fake_process {
  unsigned rank;
  struct fake_letter *first, **last;
  bool silent; /* what it sends is lost */
  bool dead;   /* nothing can be sent to it */
};

static struct {
  pthread_mutex_t lock;
  unsigned size, joined, left;
  /* Delays from the lower number to the higher one, and back. */
  uint64_t delay_there_ns, delay_back_ns;
  struct fake_process of[FAKE_MAX];
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void fake_start(unsigned size, uint64_t there_ns, uint64_t back_ns)
{
  fake.size = size;
  fake.joined = fake.left = 0;
  fake.delay_there_ns = there_ns;
  fake.delay_back_ns = back_ns;
  for (unsigned i = 0; i < FAKE_MAX; i++) {
    while (fake.of[i].first) {
      struct fake_letter *l = fake.of[i].first;

      fake.of[i].first = l->next;
      free(l);
    }
    fake.of[i] = (struct fake_process){ .rank = i };
    fake.of[i].last = &fake.of[i].first;
  }
}

static int fake_open(void **ret_ctx, unsigned *ret_rank, unsigned *ret_size,
                     char *why, size_t why_size)
{
  if (fake.size == 0) {
    (void)snprintf(why, why_size, "there is no job");
    return -ENOENT;
  }
  (void)pthread_mutex_lock(&fake.lock);
  *ret_rank = fake.joined;
  *ret_ctx = &fake.of[fake.joined++];
  *ret_size = fake.size;
  (void)pthread_mutex_unlock(&fake.lock);
  return 0;
}

static const char *fake_describe(void *ctx)
{
  (void)ctx;
  return "fake engine";
}

static int fake_send(void *ctx, unsigned to, const void *bytes, size_t len,
                     void **ret_request)
{
  struct fake_process *self = ctx;
  struct fake_letter *l;
  bool dead;

  (void)pthread_mutex_lock(&fake.lock);
  dead = fake.of[to].dead;
  (void)pthread_mutex_unlock(&fake.lock);
  if (dead)
    return -EIO;
  l = malloc(sizeof(*l) + len);
  if (!l)
    return -ENOMEM;
  l->next = NULL;
  l->from = self->rank;
  l->due_ns = clock_now_ns() +
              (self->rank < to ? fake.delay_there_ns : fake.delay_back_ns);
  l->len = len;
  memcpy(l->bytes, bytes, len);
  (void)pthread_mutex_lock(&fake.lock);
  if (self->silent) {
    free(l);
  } else {
    *fake.of[to].last = l;
    fake.of[to].last = &l->next;
  }
  (void)pthread_mutex_unlock(&fake.lock);
  *ret_request = self;
  return 0;
}

static int fake_sent(void *ctx, void *request)
{
  return ctx == request ? 1 : -EINVAL;
}

static int fake_receive(void *ctx, unsigned *ret_from, void **ret_bytes,
                        size_t *ret_len)
{
  struct fake_process *self = ctx;
  struct fake_letter *l;
  int rc = 0;

  (void)pthread_mutex_lock(&fake.lock);
  l = self->first;
  if (l && l->due_ns <= clock_now_ns()) {
    self->first = l->next;
    if (!l->next)
      self->last = &self->first;
    *ret_bytes = malloc(l->len + 1);
    if (*ret_bytes)
      memcpy(*ret_bytes, l->bytes, l->len);
    *ret_from = l->from;
    *ret_len = l->len;
    rc = *ret_bytes ? 1 : -ENOMEM;
    free(l);
  }
  (void)pthread_mutex_unlock(&fake.lock);
  return rc;
}

static void fake_close(void *ctx)
{
  (void)ctx;
  (void)pthread_mutex_lock(&fake.lock);
  fake.left++;
  (void)pthread_mutex_unlock(&fake.lock);
}

static const struct cluster_link fake_link = {
  .version = CLUSTER_LINK_VERSION,
  .open = fake_open,
  .describe = fake_describe,
  .send = fake_send,
  .sent = fake_sent,
  .receive = fake_receive,
  .close = fake_close,
};

#endif
