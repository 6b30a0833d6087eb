/*
 * post_internal.h - what the thread of a post shares with the other threads.
 */
#ifndef BENCH_CLUSTER_POST_INTERNAL_H
#define BENCH_CLUSTER_POST_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/err.h"
#include "cluster/post.h"

/* Rank 0 and the others write to each other at least this often. */
#define POST_BEAT_NS NS_PER_S

enum post_state {
  POST_JOINING,
  POST_JOINED,
  POST_FAILED,
};

/* The head of a message on the wire, followed by its bytes. */
struct post_header {
  uint32_t kind;
  uint32_t zero;
};

/* A message to be sent, followed by its bytes on the wire. */
struct post_outgoing {
  struct post_outgoing *next;
  unsigned to;
  enum post_kind kind;
  void *request; /* NULL: not passed to the link yet */
  size_t len;
  unsigned char bytes[];
};

/* Messages that arrived, oldest first. */
struct post_box {
  struct post_message *first, **last;
};

/* What the thread knows about another rank. */
struct post_peer {
  _Atomic bool unreachable;
  _Atomic bool silent; /* silent for many beats */
  _Atomic bool leaving;
  unsigned quiet; /* of the thread: beats since its last message */
  bool missed;    /* of the thread: the loss was reported */
};

struct post {
  const struct cluster_link *link;
  void *ctx; /* of the link; used by the thread */
  unsigned rank, size;
  const char *engine;
  struct post_peer *peer; /* owned; [size] */

  pthread_t thread;
  _Atomic uint32_t state;   /* enum post_state; waited for */
  struct err why;           /* written before the state becomes "failed" */
  _Atomic uint32_t pace;    /* enum post_pace */
  _Atomic uint32_t work;    /* something to do; waited for by the thread */
  _Atomic uint32_t news;    /* something arrived; other threads wait for it */
  _Atomic uint32_t closing; /* 1: deliver and leave, 2: leave at once */
  _Atomic uint64_t hurry_ns;

  pthread_mutex_t lock; /* protects the following members */
  struct post_outgoing *out_first, **out_last;
  struct post_box in[POST_KINDS];

  /* Held while the listener is called; protects it. */
  pthread_mutex_t listening;
  const struct post_events *events;

  /* These belong to the thread. */
  struct post_outgoing *way_first, **way_last; /* passed to the link */
  uint64_t beat_ns;
};

/* Make a message that can be passed to the link; NULL: not enough memory. */
struct post_outgoing *post_outgoing_new(unsigned to, enum post_kind kind,
                                        const void *bytes, size_t len);

/* Something has arrived, or will not arrive. */
void post_wake_readers(struct post *p);

/* The steps of its life.  NULL: not enough memory.  `lost` as in
 * post_free(). */
struct post *post_alloc(const struct cluster_link *link);
void post_release(struct post *p, bool lost);

/* On the thread: join; p->why has the reason of a failure. */
int post_join(struct post *p);
/* On the thread: carry what there is, at `now`; was there anything? */
bool post_carry(struct post *p, uint64_t now);

/* The main function of the thread: join, carry messages until p->closing is
 * set, leave.  `arg` is the post. */
void *post_carry_main(void *arg);

#endif
