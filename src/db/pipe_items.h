/*
 * pipe_items.h - what a pipeline is made of (for src/db only).
 */
#ifndef BENCH_DB_PIPE_ITEMS_H
#define BENCH_DB_PIPE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "db/outcome.h"

struct stmt;

enum pipe_end {
  PIPE_SKIPPED, /* not executed; 0, as long as nothing else is known */
  PIPE_DONE,
  PIPE_FAILED,
  PIPE_UNKNOWN, /* sent, and the connection broke before its answer */
};

struct pipe_item {
  struct stmt *st; /* NULL: a text */
  void *cls;
  size_t at, len;   /* in `said`: the text, or the values */
  unsigned binding; /* of the statement, when the values were taken */
  enum pipe_end end;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows, taken;
  uint64_t rows_left;
  size_t heard_at; /* in `heard`: the next row, or the text of the failure */
  bool saves;      /* `saved_at` is where the statement's own values are */
  size_t saved_at;
};

struct pipeline {
  struct pipe_item *items; /* owned */
  size_t n, room;
  struct strbuf said;  /* texts and values */
  struct strbuf heard; /* rows and texts of failures */
  unsigned number;
  bool open;
  size_t failed; /* the statement whose failure counts */
};

/* A new item, which belongs to the pipeline when p->n is raised; NULL: no
 * memory. */
struct pipe_item *pipe_items_new(struct pipeline *p);

/* Empty it; memory that is unusually large is given back. */
void pipe_items_clear(struct pipeline *p);
/* Frees the object as well; may be NULL. */
void pipe_items_free(struct pipeline *p);

#endif
