/*
 * statement.h - the classes of a client's statements: labels, texts of prepared
 * statements, other texts without literals; all without the numbers of tables.
 */
#ifndef BENCH_DB_CLASSES_STATEMENT_H
#define BENCH_DB_CLASSES_STATEMENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/classes/skeleton.h"

struct class_recorder;
struct db_env;
struct stmt_sample;

enum {
  LABEL_BYTES = 65, /* with the terminator */
  LABELS_MAX = 256, /* more are "(other)" */
};

struct label {
  char text[LABEL_BYTES]; /* constant once counted in `n` */
};

struct labels {
  pthread_mutex_t lock; /* protects `n` and the search */
  size_t n;
  struct label of[LABELS_MAX + 1]; /* the last one is "(other)" */
};

void labels_init(struct labels *l);
void labels_done(struct labels *l);

/* Lives as long as `l`.  Any thread. */
struct label *labels_get(struct labels *l, const char *text);

enum {
  /* Bytes kept after a replacement: texts cut at one place then differ in
   * length. */
  TABLENAME_BYTES = 216,
};

/* In place.  Returns the length, at most TABLENAME_BYTES after a replacement;
 * no terminator. */
size_t statement_merge_tables(char *sql, size_t len);

enum {
  STATEMENT_SLOTS = 512, /* remembered texts; a power of two */
};

struct statement_slot {
  uint64_t hash; /* 0: unused */
  unsigned id;
};

struct statement_texts {
  const struct labels *labels; /* borrowed */
  const char *member;          /* [opt] begins each class's name */
  bool by_table;
  unsigned of_label[LABELS_MAX + 1]; /* + 1; 0: unknown */
  struct statement_slot slot[STATEMENT_SLOTS];
  struct skeletons direct, prepared;
};

struct statements {
  struct class_recorder *recorder; /* borrowed; NULL: no classes */
  const bool *counting;            /* borrowed */
  struct statement_texts *texts;   /* owned by the recorder */
};

/* Prepared, without a label. */
extern const struct label statement_prepared;

/* One `labels` and one `member` per script. 0 or -ENOMEM. */
int statements_init(struct statements *s, struct class_recorder *recorder,
                    const struct labels *labels, const char *member,
                    const bool *counting, struct db_env *env);

void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     uint64_t took_ns, const struct stmt_sample *sample);

#endif
