/*
 * crowd.h - in which way should loops await their answers (enum loop_way)?
 *
 * Where processors are idle, in the first one.  Where none is, servers and
 * clients take the processors from each other, and the way decides who works
 * when, with which data in the caches.  What is best depends on the processors,
 * the system and the server.  So there are trials: the ways take turns, and the
 * best one is kept for some periods.
 *
 * The best one is that by which an answer takes least time of the processors,
 * where what the clients spend of it counts twice.  (If only answers counted, a
 * way that costs clients half as much again could be kept because of the few
 * percent by which its turns differ anyway.)  Of those that are as good, it is
 * the last one: its cost and its rate change least with time.
 *
 * Some ways are good in short turns among others, and worse when they are kept.
 * So if the best one becomes worse than a later one was in the trial, that
 * takes its place.
 */
#ifndef BENCH_RUN_CROWD_H
#define BENCH_RUN_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "loop/loop.h"

enum {
  CROWD_ROUNDS = 4,   /* of a trial, in which each way has a turn... */
  CROWD_FIRST = 2,    /* ...and after so many of them, there is none for... */
  CROWD_FAR = 6,      /* ...those worth less than the best by one in so many */
  CROWD_LOSS = 8,     /* one in so many is no difference at the end */
  CROWD_LEAST = 2000, /* answers in all, to tell a difference */
  CROWD_KEEP = 25,    /* periods until the next trial, at first... */
  CROWD_KEEP_MAX = 100, /* ...and at most... */
  CROWD_SOON = 5,       /* ...and if there were too few answers */
  CROWD_BEHIND = 5,     /* periods in which it is worse, until it is replaced */
};

#define CROWD_PERIOD_NS UINT64_C(200000000)
/* Answers in a turn count when the way before it has ended in all loops. */
#define CROWD_CHANGE_NS UINT64_C(10000000)
#define CROWD_TURN_NS UINT64_C(30000000)

enum crowd_phase {
  CROWD_PERIOD, /* between trials */
  CROWD_CHANGE, /* of a turn */
  CROWD_TURN,
};

/* What the clients have done so far, and the processor time that they have
 * spent. */
struct crowd_work {
  uint64_t answers, spent_ns;
};

struct crowd_reading {
  uint64_t at_ns;
  uint64_t idle_ns, busy_ns; /* of the processors, since they run */
  struct crowd_work work;
};

struct crowd_turn {
  uint64_t took_ns;
  struct crowd_work work;
};

struct crowd_trial {
  unsigned turn;
  uint64_t answers;
  bool lost[LOOP_WAYS]; /* these have no turns any more */
  unsigned turns[LOOP_WAYS];
  struct crowd_turn of[LOOP_WAYS][CROWD_ROUNDS]; /* the quickest one first */
};

/* Of the threads of a run. */
struct crowd {
  unsigned cpus;                       /* that the process may use */
  _Atomic uint64_t due_ns;             /* the next step */
  _Atomic int way;                     /* enum loop_way */
  _Atomic uint64_t used_ns[LOOP_WAYS]; /* for so long each was the way... */
  _Atomic uint64_t used_until_ns;      /* ...until then */
  atomic_flag reading;                 /* a thread has the rest: */
  enum loop_way first;                 /* the first one that is possible */
  enum loop_way kept;                  /* that of the last trial... */
  enum loop_way second;                /* ...the best one after it, */
  double second_worth;                 /* and what that was worth; 0: none */
  unsigned behind; /* periods in a row in which `kept` was worth less */
  bool begun;
  enum crowd_phase phase;
  struct crowd_reading since; /* the begin of the period, or of the trial... */
  struct crowd_reading counts_since; /* ...and of its turn */
  struct crowd_trial trial;
  unsigned keep, left; /* periods between trials, and until the next one */
};

void crowd_init(struct crowd *c, unsigned cpus, enum loop_way first,
                uint64_t now_ns);

/*
 * Any thread may call it, now and then.  When something is due, one of them
 * reads the system's file below `root`, and calls work(ctx).  Returns the way
 * of all loops.
 */
enum loop_way crowd_look(struct crowd *c, const char *root, uint64_t now_ns,
                         struct crowd_work (*work)(const void *ctx),
                         const void *ctx);

/* For how long each way was that of all loops so far. */
void crowd_used(const struct crowd *c, uint64_t now_ns,
                uint64_t ret_ns[LOOP_WAYS]);

#endif
