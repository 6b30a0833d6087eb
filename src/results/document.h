/*
 * document.h - the JSON document of a run.
 */
#ifndef BENCH_RESULTS_DOCUMENT_H
#define BENCH_RESULTS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/reporter.h"

struct document;
struct err;
struct results_shared;

struct spool {
  FILE *file;     /* unnamed; NULL: closed */
  uint64_t len;   /* of the items */
  bool in_memory; /* no folder takes temporary files */
};

/* Early, to notice problems: in $TMPDIR, /tmp, the folder of `beside` [opt],
 * or memory. */
int spool_open(struct spool *s, const char *beside, struct err *err);

/*
 * Adds an item, after a comma and a line end.  An item without room is missing;
 * others stay complete.
 */
int spool_add(struct spool *s, const char *text, struct err *err);

/* More items can follow.  Errors without message. */
int spool_copy(struct spool *s, FILE *to);

void spool_done(struct spool *s);

#define DOCUMENT_SCHEMA "bench/1"

/* Checks that the file can be written; nothing is left on disk.  `name`
 * [opt] NULL: only the text, or the kept copy. */
int document_new(struct document **ret, const char *name,
                 const struct results_shared *shared, struct err *err);
void document_free(struct document *d);
bool document_in_memory(const struct document *d);
/* For document_text(). */
void document_keep(struct document *d);
/* A copy among the kept results (kept.h), if a second was measured; then
 * errors change nothing. */
void document_keep_copy(struct document *d);
/* After the end of the run; NULL: not kept or made. */
const char *document_text(const struct document *d, size_t *ret_len);
bool document_written(const struct document *d);

extern const struct reporter document_reporter; /* ctx: struct document */

#endif
