/*
 * anomaly.h - the anomalies of a history, and the levels that exclude them.
 */
#ifndef BENCH_HISTORY_ANOMALY_H
#define BENCH_HISTORY_ANOMALY_H

#include <stdbool.h>
#include <stdint.h>

enum anomaly {
  ANOMALY_GARBAGE,     /* nobody wrote the value */
  ANOMALY_DUPLICATE,   /* an element twice */
  ANOMALY_ORDER,       /* lists of a key disagree */
  ANOMALY_G1A,         /* a read of a failed write */
  ANOMALY_G1B,         /* a read of an overwritten value */
  ANOMALY_INTERNAL,    /* a read that contradicts its own transaction */
  ANOMALY_LOST_UPDATE, /* one version changed twice */
  ANOMALY_DIRECT = ANOMALY_LOST_UPDATE, /* the others are cycles */
  ANOMALY_G0,                           /* of ww */
  ANOMALY_G1C,                          /* of ww and wr */
  ANOMALY_G_SINGLE,                     /* with one rw */
  ANOMALY_G_NONADJACENT, /* with several rw, none of which follows another */
  ANOMALY_G2_ITEM,       /* with two rw in a row */
  ANOMALIES
};

/* The dependency of one transaction on another. */
enum edge {
  EDGE_WW,  /* next version */
  EDGE_WR,  /* read the version */
  EDGE_RW,  /* overwrote the version that the other read */
  EDGE_VIA, /* a helper node; no dependency */
};

/* To the transaction of the next step. */
struct cycle_step {
  uint32_t trx;
  enum edge edge;
  uint32_t cause; /* of ww: the later write; otherwise the read */
};

struct finding {
  uint64_t n;               /* of cycles: groups */
  uint32_t op[2];           /* first example; HISTORY_NONE: no second one */
  struct cycle_step *steps; /* owned; the shortest cycle */
  uint32_t n_steps;
  bool is_shortest;
};

/* From the weakest. */
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

bool level_excludes(enum level l, enum anomaly a);

#endif
