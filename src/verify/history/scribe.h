/*
 * scribe.h - writes the history of a run.
 *
 * A client collects text, so most operations cost no system call; one thread at
 * a time uses it. Clients can be busy in scribe_close(): open transactions have
 * an unknown outcome, and later ones are not recorded.
 */
#ifndef BENCH_HISTORY_SCRIBE_H
#define BENCH_HISTORY_SCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "verify/history/history.h"

struct err;
struct scribe;
struct scribe_client;

/* Creates the file. Numbers of clients are below `clients`. */
int scribe_open(struct scribe **ret, const char *path, enum history_kind kind,
                uint32_t clients, struct err *err);

/* Writes the rest and the last line, once. A negative errno value: something
 * was not recorded, and the history is cut off. */
int scribe_close(struct scribe *r, struct err *err);

/* `r` can be NULL. */
void scribe_free(struct scribe *r);

/* Owned by the scribe. NULL: no memory. */
struct scribe_client *scribe_join(struct scribe *r, uint32_t number);

void scribe_begin(struct scribe_client *c);

void scribe_write(struct scribe_client *c, uint64_t key, uint64_t value);

/* A read, and its answer; "": nothing. Text other than a number or list is
 * an error of the scribe. */
void scribe_read(struct scribe_client *c, uint64_t key);
void scribe_answer(struct scribe_client *c, const char *text, size_t len);

/* After an unknown outcome, the end of the transaction is unknown: the
 * client goes on as another process. */
void scribe_end(struct scribe_client *c, enum history_outcome outcome);

uint64_t scribe_count(struct scribe *r, enum history_outcome outcome);

#endif
