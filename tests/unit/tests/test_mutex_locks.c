/*
 * test_mutex_locks.c - each kind of lock admits one thread at a time.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wait.h"
#include "run/test.h"
#include "tests/mutex_locks.h"
#include "tests/tests.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 4,
  TIMES = 20000,
};

struct user {
  const struct mutex_kind *kind;
  struct mutex_lock *lock;
  _Atomic uint32_t *start; /* 1: all threads are there */
  pthread_t thread;
  struct mutex_waiter waiter;
};

static void *use_lock(void *arg)
{
  struct user *u = arg;

  while (atomic_load(u->start) == 0)
    wait_while(u->start, 0, WAIT_FOREVER);
  for (int i = 0; i < TIMES; i++)
    u->kind->use(u->lock, &u->waiter, i % 2 == 0);
  return NULL;
}

/* Four threads add as fast as they can, and each addition counts. */
static void test_kind(const struct mutex_kind *kind)
{
  struct mutex_lock *lock = mem_aligned(1, sizeof(*lock), CACHE_LINE);
  struct user *users = mem_aligned(THREADS, sizeof(*users), CACHE_LINE);
  const bool all = strcmp(kind->name, "atomic") == 0;
  const uint64_t due = (uint64_t)THREADS * TIMES / (all ? 1 : 2);
  _Atomic uint32_t start = 0;
  char what[64];
  int rc;

  MUST(lock && users);
  rc = kind->init(lock);
  if (rc < 0) {
    (void)snprintf(what, sizeof(what), "%s: this C library has none",
                   kind->name);
    OK(rc == -ENOTSUP && strcmp(kind->name, "adaptive") == 0, what);
    free(users);
    free(lock);
    return;
  }
  for (int i = 0; i < THREADS; i++) {
    users[i].kind = kind;
    users[i].lock = lock;
    users[i].start = &start;
    MUST(pthread_create(&users[i].thread, NULL, use_lock, &users[i]) == 0);
  }
  atomic_store(&start, 1);
  wait_wake_all(&start);
  for (int i = 0; i < THREADS; i++)
    MUST(pthread_join(users[i].thread, NULL) == 0);
  (void)snprintf(what, sizeof(what), "%s loses no addition", kind->name);
  OK(lock->count + atomic_load(&lock->shared_count) == due, what);
  if (kind->done)
    kind->done(lock);
  free(users);
  free(lock);
}

static void test_words(void)
{
  const struct opt *row = test_mutex.opts;
  size_t n = 0;

  while (strcmp(row->name, "mutex-kind") != 0)
    row++;
  while (row->words[n] && n < MUTEX_KINDS &&
         strcmp(row->words[n], mutex_kinds[n].name) == 0)
    n++;
  OK(n == MUTEX_KINDS && !row->words[n], "the option has a word for each kind");
}

int main(void)
{
  for (size_t i = 0; i < MUTEX_KINDS; i++)
    test_kind(&mutex_kinds[i]);
  test_words();
  return TAP_EXIT();
}
