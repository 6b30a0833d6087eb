/*
 * scribe.h - writes the history of a run, in the form of history.h.
 *
 * Each client has a text of its own, which goes to the file when it is large;
 * until then, an operation costs no system call.  A client is used by one
 * thread at a time.  scribe_close() may come while clients are still busy:
 * what they have not finished has an unknown outcome, and what they do later is
 * not recorded.
 */
#ifndef BENCH_HISTORY_SCRIBE_H
#define BENCH_HISTORY_SCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "history/history.h"

struct err;
struct scribe;
struct scribe_client;

/* Create the file.  `clients`: their numbers are less than that. */
int scribe_open(struct scribe **ret, const char *path, enum history_kind kind,
                uint32_t clients, struct err *err);

/* Write what clients still have, and the last line; call it once.  Returns a
 * negative errno value and the reason if something could not be recorded: then
 * the history is cut off. */
int scribe_close(struct scribe *r, struct err *err);

/* Frees everything.  `r` may be NULL. */
void scribe_free(struct scribe *r);

/* A client with its number; owned by the scribe.  NULL: no memory. */
struct scribe_client *scribe_join(struct scribe *r, uint32_t number);

/* A transaction begins now. */
void scribe_begin(struct scribe_client *c);

/* A write is being sent. */
void scribe_write(struct scribe_client *c, uint64_t key, uint64_t value);

/* A read is being sent; and its answer, "" if there was nothing.  An answer
 * that is no number, or no list of them, is an error of the scribe. */
void scribe_read(struct scribe_client *c, uint64_t key);
void scribe_answer(struct scribe_client *c, const char *text, size_t len);

/* The transaction has ended now.  After an unknown outcome, the client goes on
 * as another process, because nobody knows when the transaction ends. */
void scribe_end(struct scribe_client *c, enum history_outcome outcome);

/* Transactions with this outcome so far. */
uint64_t scribe_count(struct scribe *r, enum history_outcome outcome);

#endif
