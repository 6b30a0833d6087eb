/*
 * pack.h - packs numbers and texts as bytes, for messages between processes of
 * the same program.
 */
#ifndef BENCH_NODES_PACK_H
#define BENCH_NODES_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hist_sum;
struct strbuf;

void pack_u64(struct strbuf *b,
              uint64_t value); /* small numbers take few bytes */
void pack_real(struct strbuf *b, double value);
void pack_bytes(struct strbuf *b, const void *bytes, size_t len);
void pack_text(struct strbuf *b, const char *text);
/* Pack only the counts that are not 0. */
void pack_counts(struct strbuf *b, const uint64_t *count, size_t n);
/* Pack only the buckets that are not empty.  NULL differs from an empty
 * histogram. */
void pack_hist(struct strbuf *b, const struct hist_sum *h);

/* The bytes that are left to read.  After a read beyond the end, or of
 * nonsense, `failed` is set, and everything read is zero. */
struct unpack {
  const unsigned char *at, *end;
  bool failed;
};

struct unpack unpack_start(const void *bytes, size_t len);
uint64_t unpack_u64(struct unpack *u);
double unpack_real(struct unpack *u);
/* Borrowed from the bytes that are read. */
const void *unpack_bytes(struct unpack *u, size_t *ret_len);
/* Read a text and its terminator, cut to fit. */
void unpack_text(struct unpack *u, char *buf, size_t size);
/* Add the counts that were packed to `count`. */
void unpack_counts_add(struct unpack *u, uint64_t *count, size_t n);
/* Add the histogram that was packed to `sum`, which may be NULL; false: NULL
 * was packed. */
bool unpack_hist_add(struct unpack *u, struct hist_sum *sum);

#endif
