/*
 * anomaly.h - what can be wrong with a history, and what was found.
 */
#ifndef BENCH_HISTORY_ANOMALY_H
#define BENCH_HISTORY_ANOMALY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum anomaly {
  ANOMALY_GARBAGE,     /* a read value that nobody has written */
  ANOMALY_DUPLICATE,   /* a list with the same element twice */
  ANOMALY_ORDER,       /* two lists of a key, none is the begin of the other */
  ANOMALY_G1A,         /* a read of what a failed transaction has written */
  ANOMALY_G1B,         /* a read of what a transaction has overwritten itself */
  ANOMALY_INTERNAL,    /* a read that contradicts the transaction's own past */
  ANOMALY_LOST_UPDATE, /* two transactions that have changed one version */
  ANOMALY_DIRECT = ANOMALY_LOST_UPDATE, /* the others are cycles */
  ANOMALY_G0,                           /* of ww */
  ANOMALY_G1C,                          /* of ww and wr */
  ANOMALY_G_SINGLE,                     /* with one rw */
  ANOMALY_G_NONADJACENT, /* with several rw, none of which follows another */
  ANOMALY_G2_ITEM,       /* with two rw in a row */
  ANOMALIES
};

/* How one transaction depends on another, which comes first. */
enum edge {
  EDGE_WW,  /* it wrote the next version */
  EDGE_WR,  /* it read the version */
  EDGE_RW,  /* it wrote the version after the one that the other has read */
  EDGE_VIA, /* to or from a node that stands for several; no dependency */
};

/* One step of a cycle, to the transaction of the next step. */
struct cycle_step {
  uint32_t trx;
  enum edge edge;
  uint32_t cause; /* operation: of ww the later write, else the read */
};

struct finding {
  uint64_t n; /* how often; of a cycle: groups of transactions that have it */
  uint32_t op[2]; /* of a direct one: the first example's operations; the second
                     can be missing */
  struct cycle_step *steps; /* owned; the shortest cycle */
  uint32_t n_steps;
  bool is_shortest; /* false: it may be longer than the shortest one */
};

/* Levels of isolation, from the weakest. */
enum level {
  LEVEL_READ_COMMITTED,
  LEVEL_REPEATABLE_READ,
  LEVEL_SNAPSHOT,
  LEVEL_SERIALIZABLE,
  LEVELS
};

const char *anomaly_name(enum anomaly a);
const char *anomaly_meaning(enum anomaly a);
const char *level_name(enum level l);

/* Does the level exclude the anomaly? */
bool level_excludes(enum level l, enum anomaly a);

#endif
