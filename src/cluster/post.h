/*
 * post.h - messages between the ranks of a run, carried by a thread of its
 * own.
 *
 * The thread is the only one that calls the link.  Whoever wants to send puts a
 * message into its box; what arrives waits in a box until somebody asks for it.
 * While the load runs the thread looks for mail every few milliseconds, which
 * costs well below one percent of a processor.
 *
 * Messages from one process to another arrive in order.  Any thread may send
 * and receive; two threads should not wait for messages of the same kind.
 */
#ifndef BENCH_CLUSTER_POST_H
#define BENCH_CLUSTER_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster_link;
struct err;
struct post;

/* What a message is about. */
enum post_kind {
  POST_PING, /* answered by the thread itself, and so are the next two */
  POST_BEAT,
  POST_PACE,
  POST_PONG,
  POST_HELLO,
  POST_PLAN,
  POST_MEET,
  POST_READY,
  POST_START,
  POST_STARTED,
  POST_STOP, /* told to the listener at once, and not kept */
  POST_IDLE,
  POST_ALL_IDLE,
  POST_REPORT,
  POST_OVER,
  POST_VERDICT,
  POST_LEAVING, /* by process 0: nothing will come but POST_BYE */
  POST_STATUS,  /* by the others: this was the last message */
  POST_BYE,
  POST_KINDS,
};

#define POST_ANYBODY UINT32_MAX

struct post_message {
  struct post_message *next;
  enum post_kind kind;
  unsigned peer;      /* from whom, or to whom */
  uint64_t moment_ns; /* when it arrived, on the clock of the program */
  size_t len;
  unsigned char bytes[]; /* [len] */
};

/* How closely the thread looks for mail. */
enum post_pace {
  PACE_NORMAL, /* every half millisecond: before and after the load */
  PACE_CALM,   /* while the load runs */
  PACE_EAGER,  /* all the time, while clocks are compared */
};

struct post_events {
  void *arg;
  /* On the thread of the post, or of post_listen(): a POST_STOP arrived.  Must
   * not block; may send. */
  void (*stop)(void *arg, const struct post_message *l);
};

/*
 * Join the other ranks.  The link must outlive the post.  An error names the
 * engine's reason.
 */
int post_new(struct post **ret, const struct cluster_link *link,
             struct err *err);
/* Deliver what is still to be sent, leave the ranks, free all.  `lost`: another
 * process has died, so that the engine's own end would wait for ever; the
 * process then ends without it. */
void post_free(struct post *p, bool lost);

unsigned post_rank(const struct post *p);
unsigned post_size(const struct post *p);
const char *post_engine(const struct post *p);

/* Who is told of stops; NULL: nobody any more, once this has returned.  Those
 * that come while nobody listens are kept. */
void post_listen(struct post *p, const struct post_events *events);

void post_set_pace(struct post *p, enum post_pace pace);

/* Copies the bytes.  0 or -ENOMEM. */
int post_send(struct post *p, unsigned to, enum post_kind kind,
              const void *bytes, size_t len);
/* To all but this process. */
int post_send_all(struct post *p, enum post_kind kind, const void *bytes,
                  size_t len);

/*
 * The oldest message of this kind from `from`, or from anybody; the caller
 * frees it.  NULL: none came until `until_ns` (0: do not wait), or none will
 * come, because `from` is lost or about to leave.
 */
struct post_message *post_receive(struct post *p, enum post_kind kind,
                                  unsigned from, uint64_t until_ns);

/*
 * The same, for what has to come: *left_s is how many seconds may still be
 * spent with waiting.  They are counted one by one, so that a standstill of
 * this process, or of all ranks, is not taken for silence of the other one.
 */
struct post_message *post_await(struct post *p, enum post_kind kind,
                                unsigned from, unsigned *left_s);

/* Has the process said that it is about to leave? */
bool post_leaving(const struct post *p, unsigned rank);

/* Has the process not been heard of for many seconds, or cannot be reached? */
bool post_lost(struct post *p, unsigned rank);

/* Waiting does not take longer than this from now on: something has happened
 * that may mean that other processes are gone. */
void post_hurry(struct post *p, uint64_t until_ns);
bool post_hurried(const struct post *p);

#endif
