/*
 * team.h - texts that the threads of a parallel command give each other.
 *
 * A text has a name, is given once, and stays as it is.
 */
#ifndef BENCH_LUA_ENGINE_TEAM_H
#define BENCH_LUA_ENGINE_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct team_text;

struct team {
  pthread_mutex_t lock;    /* protects what follows */
  pthread_cond_t news;     /* a text was added, or the team was left */
  struct team_text *texts; /* owned; a list */
  bool left;               /* a thread will give no more texts */
};

void team_init(struct team *t);
void team_done(struct team *t);

/* Give a text to all threads.  Returns -ENOMEM, or -EEXIST: another text has
 * this name. */
int team_give(struct team *t, const char *name, const char *text, size_t len);

/*
 * Wait for a text.  It is valid, and zero-terminated, until team_done().  NULL:
 * it is not there, and a thread has left the team.
 */
const char *team_await(struct team *t, const char *name, size_t *ret_len);

/* A thread has failed: nobody waits for it any more. */
void team_leave(struct team *t);

#endif
