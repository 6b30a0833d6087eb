/*
 * statement.h - the classes in which the statements of a client are counted.
 *
 * A class is a label, the text of a prepared statement, or the text of another
 * statement without its literals; both texts are without the numbers of tables.
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
  LABELS_MAX = 256, /* further ones are all "(other)" */
};

struct label {
  char text[LABEL_BYTES]; /* constant once it is counted in `n` */
};

struct labels {
  pthread_mutex_t lock; /* protects `n` and the search */
  size_t n;
  struct label of[LABELS_MAX + 1]; /* the last one is "(other)" */
};

void labels_init(struct labels *l);
void labels_done(struct labels *l);

/* The label of this text; lives as long as `l`.  Any thread. */
struct label *labels_get(struct labels *l, const char *text);

enum {
  /* So much is kept of a text in which something was replaced: texts that
   * were cut off at the same place before differ in length now. */
  TABLENAME_BYTES = 216,
};

/*
 * Replace the numbers in `sql` of `len` bytes, in place.  Returns the new
 * length, which is at most TABLENAME_BYTES if anything was replaced; no
 * terminator.
 */
size_t statement_merge_tables(char *sql, size_t len);

enum {
  STATEMENT_SLOTS = 512, /* texts whose class is remembered; a power of two */
};

/* A text whose class is known. */
struct statement_slot {
  uint64_t hash; /* 0: unused */
  unsigned id;
};

/* The statements that the clients of a thread have sent for one script. */
struct statement_texts {
  const struct labels *labels; /* borrowed */
  const char *member; /* [opt] in a mix: begins the name of each class */
  bool by_table;      /* sbtest1 and sbtest2 are two classes, not sbtest# */
  unsigned of_label[LABELS_MAX + 1]; /* number of the class + 1; 0: unknown */
  struct statement_slot slot[STATEMENT_SLOTS];
  struct skeletons direct, prepared;
};

/* Those of one client. */
struct statements {
  struct class_recorder *recorder; /* borrowed; NULL: no classes are kept */
  const bool *counting;            /* borrowed: statements count now */
  struct statement_texts *texts;   /* of its thread; the recorder owns them */
};

/* Stands for "prepared, without a label" where a label is expected. */
extern const struct label statement_prepared;

/*
 * Count the statements of `env` by class, from now on.  There is one `labels`
 * for each script, and all calls for one script have the same `member`.
 * Returns 0 or -ENOMEM.
 */
int statements_init(struct statements *s, struct class_recorder *recorder,
                    const struct labels *labels, const char *member,
                    const bool *counting, struct db_env *env);

/* For struct db_env: one statement has ended.  `arg` is struct statements. */
void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     uint64_t took_ns, const struct stmt_sample *sample);

#endif
