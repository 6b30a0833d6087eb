/*
 * errand.h - loops send requests for each other (for src/loop only).
 *
 * A request wakes a thread of the server, and its answer wakes the loop.  If
 * both are on the same processor, that costs half of what it costs otherwise,
 * for either of them.  No fiber can move to another loop, but its request can:
 * the loop on whose processor the server works (home.h) sends it, receives the
 * answer, and tells the loop of the fiber.  That is an errand.
 *
 * Each loop has an inbox.  Others put whole lists into it: their errands, and
 * those that they have run for this loop.
 */
#ifndef BENCH_LOOP_ERRAND_H
#define BENCH_LOOP_ERRAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

struct loop;

/* A mate that has not looked for so long may be held up by a fiber. */
#define ERRAND_HELD_UP_NS (10 * NS_PER_MS)

/* It belongs to a task, which waits for it.  Only one loop has it at a time. */
struct errand {
  struct errand *next;
  struct loop *from; /* the loop of the task */
  int fd, flags;
  const char *request;
  size_t request_len;
  void *answer;
  size_t room;
  bool probes; /* the answer is looked for at once... */

  unsigned under_way; /* operations that have not ended */
  bool there;         /* ...and was there */
  int error;          /* why the request could not be sent; 0: it could */
  long result;        /* of recv(), or -errno */
  bool by_mate;       /* a mate has run it; else no mate could */
  uint64_t since_ns;  /* since when the answer can have been there */
};

struct errand_list {
  struct errand *first, *last; /* the latest one first */
};

/* What is to be put into the inbox of a mate. */
struct errands_out {
  struct errand_list asked; /* of this loop */
  struct errand_list run;   /* of the mate */
};

/* What a loop has to do with errands. */
struct errands {
  struct loop_mates *mates; /* NULL: it is alone */
  unsigned number;          /* its own among them */
  struct errands_out *out;  /* owned; of each mate */
  bool any_out;
  unsigned here; /* those of others, under way here */
  unsigned away; /* its own ones, under way elsewhere */

  _Atomic(struct errand *) inbox; /* the latest one first; &shut: closed */
  struct errand shut;
  _Atomic bool asleep; /* who puts something into it wakes the loop */
};

unsigned errands_count_loops(const struct errands *e);
void errands_free(struct errands *e);

/* The loop with that number is to run `e`, unless it is held up: then this one
 * does. */
void errand_give(struct loop *l, unsigned number, struct errand *e);
/* The engine has run it. */
void errand_ended(struct loop *l, struct errand *e);

/* Put into the inboxes of mates what is for them. */
void errands_post(struct loop *l);
/* Look into the own one. */
void errands_take(struct loop *l);

/* The loop is going to sleep.  False: there is something in its inbox. */
bool errands_let_sleep(struct loop *l);
void errands_awake(struct loop *l);

/* The loop has no fibers any more: take no more errands, and run the last. */
void errands_close(struct loop *l);

#endif
