/*
 * post_internal.h - what the thread of a post and those who use it share.
 */
#ifndef BENCH_CLUSTER_POST_INTERNAL_H
#define BENCH_CLUSTER_POST_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/err.h"
#include "cluster/post.h"

/* Process 0 and the others write to each other so often, at least. */
#define POST_BEAT_NS NS_PER_S

enum post_state {
  POST_JOINING,
  POST_JOINED,
  POST_FAILED,
};

/* On the wire: this, then the bytes. */
struct post_header {
  uint32_t kind;
  uint32_t zero;
};

/* A message on its way out; the wire's bytes follow. */
struct post_outgoing {
  struct post_outgoing *next;
  unsigned to;
  enum post_kind kind;
  void *request; /* NULL: not given to the link yet */
  size_t len;
  unsigned char bytes[];
};

/* Messages that arrived, oldest first. */
struct post_box {
  struct post_message *first, **last;
};

/* What the thread knows about another process. */
struct post_peer {
  _Atomic bool unreachable;
  _Atomic bool silent; /* not heard of for many beats */
  _Atomic bool leaving;
  unsigned quiet; /* the thread's: beats since it was heard of */
  bool missed;    /* the thread's: it has told of the loss */
};

struct post {
  const struct cluster_link *link;
  void *ctx; /* the link's; the thread's */
  unsigned rank, size;
  const char *engine;
  struct post_peer *peer; /* owned; [size] */

  pthread_t thread;
  _Atomic uint32_t state;   /* enum post_state; waited for */
  struct err why;           /* written before the state says failed */
  _Atomic uint32_t pace;    /* enum post_pace */
  _Atomic uint32_t work;    /* something to do; waited for by the thread */
  _Atomic uint32_t news;    /* something arrived; waited for by others */
  _Atomic uint32_t closing; /* 1: deliver and leave, 2: leave at once */
  _Atomic uint64_t hurry_ns;

  pthread_mutex_t lock; /* protects what follows */
  struct post_outgoing *out_first, **out_last;
  struct post_box in[POST_KINDS];

  pthread_mutex_t listening; /* held while somebody is told; protects this */
  const struct post_events *events;

  /* The thread's own. */
  struct post_outgoing *way_first, **way_last; /* given to the link */
  uint64_t beat_ns;
};

/* A message, ready to be given to the link; NULL: not enough memory. */
struct post_outgoing *post_outgoing_new(unsigned to, enum post_kind kind,
                                        const void *bytes, size_t len);

/* Something has arrived, or will not. */
void post_wake_readers(struct post *p);

/* The steps of its life; NULL: not enough memory.  `lost` as in post_free(). */
struct post *post_alloc(const struct cluster_link *link);
void post_release(struct post *p, bool lost);

/* The thread: join; p->why says what is wrong. */
int post_join(struct post *p);
/* The thread: carry what there is, at `now`; was there anything? */
bool post_carry(struct post *p, uint64_t now);

/* The thread: join, carry messages until p->closing says otherwise, leave.
 * `arg` is the post. */
void *post_carry_main(void *arg);

#endif
