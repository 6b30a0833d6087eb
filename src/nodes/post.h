/*
 * post.h - messages between the ranks of a run, carried by a thread. During the
 * load it polls every few milliseconds, for well below one percent of a CPU.
 * Messages from one rank to another arrive in order. Any thread can send and
 * receive, but only one waits for each kind.
 */
#ifndef BENCH_NODES_POST_H
#define BENCH_NODES_POST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

struct cluster_link;
struct post;

enum post_kind {
  POST_PING, /* answered by the thread, like the next two */
  POST_BEAT,
  POST_PACE,
  POST_PONG,
  POST_HELLO,
  POST_PLAN,
  POST_MEET,
  POST_READY,
  POST_START,
  POST_STARTED,
  POST_STOP, /* for the listener, not kept */
  POST_IDLE,
  POST_ALL_IDLE,
  POST_REPORT,
  POST_OVER,
  POST_VERDICT,
  POST_LEAVING, /* of rank 0: only POST_BYE follows */
  POST_STATUS,
  POST_BYE,
  POST_KINDS,
};

#define POST_ANYBODY UINT32_MAX

struct post_message {
  struct post_message *next;
  enum post_kind kind;
  unsigned peer;      /* sender or receiver */
  uint64_t moment_ns; /* of arrival */
  size_t len;
  unsigned char bytes[];
};

enum post_pace {
  PACE_NORMAL,
  PACE_CALM,
  PACE_EAGER,
};

struct post_events {
  void *arg;
  /* A POST_STOP. On the thread of the post, or in post_listen(). Must not
   * block; can send. */
  void (*stop)(void *arg, const struct post_message *l);
};

/* Joins; WAITS. The link must outlive the post. */
int post_new(struct post **ret, const struct cluster_link *link,
             struct err *err);
/* Delivers, leaves, and frees. `lost`: without the engine's end, which would
 * wait for a dead rank for ever. */
void post_free(struct post *p, bool lost);

unsigned post_rank(const struct post *p);
unsigned post_size(const struct post *p);
const char *post_engine(const struct post *p);

/* After NULL, no call is in progress. Stops without a listener are kept. */
void post_listen(struct post *p, const struct post_events *events);

void post_set_pace(struct post *p, enum post_pace pace);

/* Copies the bytes. 0 or -ENOMEM. */
int post_send(struct post *p, unsigned to, enum post_kind kind,
              const void *bytes, size_t len);
int post_send_all(struct post *p, enum post_kind kind, const void *bytes,
                  size_t len);

/*
 * The oldest of this kind from `from`, or POST_ANYBODY; the caller frees it.
 * WAITS until `until_ns`, unless 0. NULL: too late, or `from` is lost or
 * leaving.
 */
struct post_message *post_receive(struct post *p, enum post_kind kind,
                                  unsigned from, uint64_t until_ns);

/* For a message that has to come. Counts *left_s, in seconds, one by one, so
 * that a standstill of this process, or of all ranks, is not silence. */
struct post_message *post_await(struct post *p, enum post_kind kind,
                                unsigned from, unsigned *left_s);

bool post_leaving(const struct post *p, unsigned rank);

/* Silent for many seconds, or out of reach. */
bool post_lost(struct post *p, unsigned rank);

/* Waits end at this moment, because other ranks can be gone. */
void post_hurry(struct post *p, uint64_t until_ns);
bool post_hurried(const struct post *p);

#define POST_BEAT_NS NS_PER_S

enum post_state {
  POST_JOINING,
  POST_JOINED,
  POST_FAILED,
};

struct post_header {
  uint32_t kind;
  uint32_t zero;
};

struct post_outgoing {
  struct post_outgoing *next;
  unsigned to;
  enum post_kind kind;
  void *request; /* NULL: not in the link yet */
  size_t len;
  unsigned char bytes[];
};

/* Oldest first. */
struct post_box {
  struct post_message *first, **last;
};

struct post_peer {
  _Atomic bool unreachable;
  _Atomic bool silent; /* for many beats */
  _Atomic bool leaving;
  unsigned quiet; /* of the thread: beats without a message */
  bool missed;
};

struct post {
  const struct cluster_link *link;
  void *ctx; /* of the thread */
  unsigned rank, size;
  const char *engine;
  struct post_peer *peer; /* owned; [size] */

  pthread_t thread;
  _Atomic uint32_t state; /* enum post_state; futex */
  struct err why;         /* before POST_FAILED */
  _Atomic uint32_t pace;  /* enum post_pace */
  _Atomic uint32_t work;
  _Atomic uint32_t news;    /* futex of readers */
  _Atomic uint32_t closing; /* 1: deliver and leave, 2: leave at once */
  _Atomic uint64_t hurry_ns;

  pthread_mutex_t lock;
  struct post_outgoing *out_first, **out_last;
  struct post_box in[POST_KINDS];

  /* Held during a call of the listener. */
  pthread_mutex_t listening;
  const struct post_events *events;

  /* Of the thread. */
  struct post_outgoing *way_first, **way_last; /* in the link */
  uint64_t beat_ns;
};

/* NULL: no memory. `lost` as in post_free(). */
struct post *post_alloc(const struct cluster_link *link);
void post_release(struct post *p, bool lost);

/* On the thread; p->why has the reason. */
int post_join(struct post *p);
/* On the thread, at `now`. True: there was something. */
bool post_carry(struct post *p, uint64_t now);

#endif
