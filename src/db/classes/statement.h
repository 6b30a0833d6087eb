/*
 * statement.h - the classes of a client's statements: a label, the text of a
 * prepared statement, or the text of another one without its literals; texts
 * are without the numbers of tables.
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
  LABELS_MAX = 256, /* further ones are "(other)" */
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
  /* Bytes of a text in which something was replaced: texts cut at the same
   * place before differ in length now. */
  TABLENAME_BYTES = 216,
};

/* Replace numbers of tables in place.  Returns the new length, at most
 * TABLENAME_BYTES if anything was replaced; no terminator. */
size_t statement_merge_tables(char *sql, size_t len);

enum {
  STATEMENT_SLOTS = 512, /* remembered texts; a power of two */
};

struct statement_slot {
  uint64_t hash; /* 0: unused */
  unsigned id;
};

/* Of the clients of a thread, for one script. */
struct statement_texts {
  const struct labels *labels; /* borrowed */
  const char *member;          /* [opt] in a mix: begins each class's name */
  bool by_table;               /* sbtest1 and sbtest2 are two classes */
  unsigned of_label[LABELS_MAX + 1]; /* number of the class + 1; 0: unknown */
  struct statement_slot slot[STATEMENT_SLOTS];
  struct skeletons direct, prepared;
};

/* Of a client. */
struct statements {
  struct class_recorder *recorder; /* borrowed; NULL: no classes */
  const bool *counting;            /* borrowed */
  struct statement_texts *texts;   /* of its thread; owned by the recorder */
};

/* As a label: prepared, without a label. */
extern const struct label statement_prepared;

/* Count `env`'s statements from now on.  Each script has one `labels` and one
 * `member`.  0 or -ENOMEM. */
int statements_init(struct statements *s, struct class_recorder *recorder,
                    const struct labels *labels, const char *member,
                    const bool *counting, struct db_env *env);

/* on_statement() of struct db_env; `arg` is struct statements. */
void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     uint64_t took_ns, const struct stmt_sample *sample);

#endif
