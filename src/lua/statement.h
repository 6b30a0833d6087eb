/*
 * statement.h - the classes in which the statements of a worker are counted:
 * by label, by the text of a prepared statement, or by the text of another
 * without its literals.
 */
#ifndef BENCH_LUA_STATEMENT_H
#define BENCH_LUA_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lua/label.h"

struct class_recorder;
struct stmt_sample;

enum {
  STATEMENT_BYTES = 240, /* of a text that are looked at */
  STATEMENT_SLOTS = 512, /* texts whose class is remembered; a power of two */
  STATEMENT_SEEN_BITS = 5,
  STATEMENT_SEEN = 1 << STATEMENT_SEEN_BITS, /* of them as they were sent */
};

/* A text of which the number of the class is known. */
struct statement_slot {
  uint64_t hash; /* 0: unused */
  unsigned id;
};

/* A text that is its own class: prepared, or without any literal. */
struct statement_seen {
  size_t len; /* 0: unused */
  unsigned id;
  bool prepared;
  char text[STATEMENT_BYTES];
};

/* Of one worker, used by its thread alone. */
struct statements {
  struct class_recorder *recorder;   /* borrowed */
  const struct labels *labels;       /* borrowed */
  const bool *counting;              /* borrowed: statements count now */
  unsigned of_label[LABELS_MAX + 1]; /* number of the class + 1; 0: unknown */
  struct statement_slot slot[STATEMENT_SLOTS];
  struct statement_seen seen[STATEMENT_SEEN];
};

/* What stands for "prepared, without a label" where a label is expected. */
extern const struct label statement_prepared;

/* For struct db_env: one statement has ended.  `arg` is struct statements. */
void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     const struct stmt_sample *sample);

/*
 * Write the text with `?` for each literal and one blank for any white space,
 * as much of it as there is room for.  Returns the length; no terminator.
 */
size_t statement_normal(const char *sql, size_t len, char *out, size_t room);

#endif
