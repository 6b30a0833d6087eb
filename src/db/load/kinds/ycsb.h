/*
 * ycsb.h - the rows of the table of the ycsb script.
 *
 * Rows 1..records are loaded, the others inserted later.  The place of a row is
 * the number of its key: ordered keys have the row's number.  Hashed keys are a
 * permutation: loaded rows are `gap` apart, and inserted rows fall between.  A
 * key is the place, or "user" and its 19 digits.
 *
 * A field is a function of the seed, the row, the field and a version.  Its
 * head has YCSB_HEAD characters: `w` if the whole row was written, or `f`; 11
 * hexadecimal digits of the version; 8 of a check word.  Fields of a row with
 * `w` have one version, or the row is torn.
 */
#ifndef BENCH_LOAD_KINDS_YCSB_H
#define BENCH_LOAD_KINDS_YCSB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rand/dist.h"
#include "stats/rand/scramble.h"

struct kind_args;

enum ycsb_param {
  YCSB_RECORDS,
  YCSB_FIELDS,
  YCSB_LENGTH,   /* of a field */
  YCSB_INT_KEYS, /* 0: texts */
  YCSB_ORDERED,  /* 0: hashed */
};

#define YCSB_TABLE "usertable"
#define YCSB_PREFIX "user"

enum {
  YCSB_FIELDS_MAX = 20,
  YCSB_HEAD = 20,
  YCSB_LENGTH_MAX = 1000,
  YCSB_KEY = 23, /* bytes, as text */
  YCSB_VERSION_BITS = 44,
};

#define YCSB_RECORDS_MAX (UINT64_C(1) << 40)

struct ycsb {
  uint64_t seed, records;
  unsigned fields, length;
  bool int_keys, ordered;
  uint64_t gap;               /* between loaded rows */
  struct scramble loaded;     /* rows 1..records to places */
  struct scramble in_between; /* the others */
};

void ycsb_init(struct ycsb *y, const struct kind_args *args);

/* 1..2^63-1; 0: too many rows. */
uint64_t ycsb_place(const struct ycsb *y, uint64_t number);
/* The inverse; 0: no row has this place. */
uint64_t ycsb_number(const struct ycsb *y, uint64_t place);

void ycsb_key(uint64_t place, char to[YCSB_KEY]);
/* Of the database's form of a key; 0: none. */
uint64_t ycsb_number_of_key(const struct ycsb *y, const char *text, size_t len);

struct ycsb_version {
  uint64_t number; /* below 2^YCSB_VERSION_BITS */
  bool whole;      /* the whole row was written */
};

/* y->length bytes. */
void ycsb_field(const struct ycsb *y, uint64_t row, unsigned field,
                struct ycsb_version version, char *to);

enum ycsb_fault {
  YCSB_FINE,
  YCSB_NULL,
  YCSB_SIZE,
  YCSB_FORM, /* no version */
  YCSB_CHECK,
  YCSB_TEXT, /* not the text of its version */
  YCSB_TORN, /* fields of different writes */
  YCSB_FAULTS
};

/* "its check word is wrong". */
extern const char *const ycsb_fault_text[YCSB_FAULTS];

struct ycsb_reading {
  const struct ycsb *model;
  uint64_t row;
  bool seen_whole;
  uint64_t whole; /* version of whole writes */
};

/* `text` can be NULL.  Sets *ret_version for YCSB_FINE and YCSB_TORN. */
enum ycsb_fault ycsb_read(struct ycsb_reading *r, unsigned field,
                          const char *text, size_t len,
                          struct ycsb_version *ret_version);

enum ycsb_op {
  YCSB_READ,
  YCSB_UPDATE,
  YCSB_INSERT,
  YCSB_SCAN,
  YCSB_RMW,
  YCSB_OPS
};

enum ycsb_choice {
  YCSB_ZIPFIAN,
  YCSB_LATEST,
  YCSB_UNIFORM,
  YCSB_JAVA, /* zipf_java_item() */
};

struct ycsb_workload {
  char name;
  unsigned percent[YCSB_OPS];
  enum ycsb_choice choice;
};

/* 'a' to 'f'; else NULL. */
const struct ycsb_workload *ycsb_workload(char name);

enum ycsb_op ycsb_draw_op(const struct ycsb_workload *w, struct rng *rng);

/* Rows first, first + stride, ... */
struct ycsb_extent {
  uint64_t first, stride;
  uint64_t count; /* readable rows */
  uint64_t below; /* rows with lower indexes */
};

struct ycsb_client {
  struct zipf_cache zipf;
  struct ycsb_client *before, *after; /* with an insert in progress */
  uint64_t inserting;                 /* earlier inserts plus 1; 0: none */
};

struct ycsb_keys {
  struct ycsb model;
  enum ycsb_choice choice;
  struct rand_params zipf;
  struct zipf_java java;
  struct scramble popular;  /* ranks of loaded rows to numbers */
  struct ycsb_extent *past; /* owned */
  size_t n_past, room_past;
  struct ycsb_extent own; /* without its count */

  pthread_mutex_t lock; /* protects the rest; not for reading `readable` */
  uint64_t begun, acknowledged;
  uint64_t stopped_at; /* rows before the first abandoned insert */
  struct ycsb_client *oldest, *newest;
  _Atomic uint64_t readable; /* of `own`; written with the lock */
};

void ycsb_keys_init(struct ycsb_keys *k, const struct kind_args *args,
                    enum ycsb_choice choice, double exponent);
void ycsb_keys_done(struct ycsb_keys *k);

/* Before the first client: rows of earlier runs by age (-ENOMEM), then those of
 * this process. */
int ycsb_keys_add(struct ycsb_keys *k, uint64_t first, uint64_t stride,
                  uint64_t count);
void ycsb_keys_own(struct ycsb_keys *k, uint64_t first, uint64_t stride);

uint64_t ycsb_keys_readable(const struct ycsb_keys *k);
/* Row with an index 1..ycsb_keys_readable(). */
uint64_t ycsb_keys_at(const struct ycsb_keys *k, uint64_t index);
uint64_t ycsb_keys_draw(const struct ycsb_keys *k, struct ycsb_client *c,
                        struct rng *rng);

/* Begins an insert; returns its row, which becomes readable some time after
 * ycsb_keys_inserted(). */
uint64_t ycsb_keys_insert(struct ycsb_keys *k, struct ycsb_client *c);
void ycsb_keys_inserted(struct ycsb_keys *k, struct ycsb_client *c);

/* The client ends.  No row from its unfinished insert on becomes readable. */
void ycsb_keys_leave(struct ycsb_keys *k, struct ycsb_client *c);

#endif
