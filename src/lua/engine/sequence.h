/*
 * sequence.h - named numbers that the states of a script take turns in: each
 * number is given out once.
 */
#ifndef BENCH_LUA_ENGINE_SEQUENCE_H
#define BENCH_LUA_ENGINE_SEQUENCE_H

#include <pthread.h>
#include <stddef.h>

enum {
  SEQUENCES_MAX = 8,
  SEQUENCE_NAME_BYTES = 32, /* with the terminator */
};

struct sequences {
  pthread_mutex_t lock; /* protects everything */
  size_t n;
  struct {
    char name[SEQUENCE_NAME_BYTES];
    double next;
  } of[SEQUENCES_MAX];
};

void sequences_init(struct sequences *s);
void sequences_done(struct sequences *s);

/* Give out `next` next.  Returns -ENOSPC if there are too many names. */
int sequences_set(struct sequences *s, const char *name, double next);

/* Take `n` numbers, but none above `limit`: *ret is the first.  Returns -ENOENT
 * for an unknown name, -ERANGE at the limit. */
int sequences_take(struct sequences *s, const char *name, double n,
                   double limit, double *ret);

#endif
