/*
 * post.h - messages between the ranks of a run, carried by a thread of its own.
 *
 * Only that thread calls the link.  To send, a thread puts a message into the
 * box of the post.  Messages that arrive wait in a box until a thread asks for
 * them.  During the load, the thread looks for messages every few milliseconds,
 * which costs well below one percent of a processor.
 *
 * Messages from one rank to another arrive in order.  Any thread may send and
 * receive.  Two threads should not wait for messages of the same kind.
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
struct err;
struct post;

/* The subject of a message. */
enum post_kind {
  POST_PING, /* answered by the thread itself, like the next two */
  POST_BEAT,
  POST_PACE,
  POST_PONG,
  POST_HELLO,
  POST_PLAN,
  POST_MEET,
  POST_READY,
  POST_START,
  POST_STARTED,
  POST_STOP, /* passed to the listener at once, and not kept */
  POST_IDLE,
  POST_ALL_IDLE,
  POST_REPORT,
  POST_OVER,
  POST_VERDICT,
  POST_LEAVING, /* from rank 0: only POST_BYE will follow */
  POST_STATUS,  /* from the other ranks: this was the last message */
  POST_BYE,
  POST_KINDS,
};

#define POST_ANYBODY UINT32_MAX

struct post_message {
  struct post_message *next;
  enum post_kind kind;
  unsigned peer;      /* the sender, or the receiver */
  uint64_t moment_ns; /* when it arrived, on the clock of the program */
  size_t len;
  unsigned char bytes[]; /* [len] */
};

/* How often the thread looks for messages. */
enum post_pace {
  PACE_NORMAL, /* every half millisecond: before and after the load */
  PACE_CALM,   /* while the load runs */
  PACE_EAGER,  /* all the time, while clocks are compared */
};

struct post_events {
  void *arg;
  /* A POST_STOP has arrived.  Called on the thread of the post, or in
   * post_listen().  Must not block; may send. */
  void (*stop)(void *arg, const struct post_message *l);
};

/*
 * Join the other ranks.  The link must outlive the post.  An error contains the
 * engine's reason.
 */
int post_new(struct post **ret, const struct cluster_link *link,
             struct err *err);
/* Deliver the remaining messages, leave the ranks, and free everything.
 * `lost`: another rank has died, so the engine's own end would wait for ever;
 * the process then ends without it. */
void post_free(struct post *p, bool lost);

unsigned post_rank(const struct post *p);
unsigned post_size(const struct post *p);
const char *post_engine(const struct post *p);

/* Set the listener for stops.  NULL removes it: no call is in progress when
 * this has returned.  Stops that come while there is no listener are kept. */
void post_listen(struct post *p, const struct post_events *events);

void post_set_pace(struct post *p, enum post_pace pace);

/* Copies the bytes.  Returns 0 or -ENOMEM. */
int post_send(struct post *p, unsigned to, enum post_kind kind,
              const void *bytes, size_t len);
/* Send to all other ranks. */
int post_send_all(struct post *p, enum post_kind kind, const void *bytes,
                  size_t len);

/*
 * Take the oldest message of this kind from `from`, or from any rank; the
 * caller frees it.  NULL: none came until `until_ns` (0: do not wait), or none
 * will come, because `from` is lost or about to leave.
 */
struct post_message *post_receive(struct post *p, enum post_kind kind,
                                  unsigned from, uint64_t until_ns);

/*
 * The same, for a message that has to come: *left_s is how many seconds may
 * still be spent waiting.  They are counted one by one, so that a standstill of
 * this process, or of all ranks, does not look like silence of the other rank.
 */
struct post_message *post_await(struct post *p, enum post_kind kind,
                                unsigned from, unsigned *left_s);

/* Has the rank said that it is about to leave? */
bool post_leaving(const struct post *p, unsigned rank);

/* Has the rank been silent for many seconds, or is it out of reach? */
bool post_lost(struct post *p, unsigned rank);

/* From now on, do not wait longer than this: something has happened that may
 * mean that other ranks are gone. */
void post_hurry(struct post *p, uint64_t until_ns);
bool post_hurried(const struct post *p);

/* ---- what the thread of a post shares with the other threads ---- */

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

#endif
