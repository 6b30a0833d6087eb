/*
 * pack.h - numbers and texts as bytes, between processes of the same program.
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
/* Without zeros. */
void pack_counts(struct strbuf *b, const uint64_t *count, size_t n);
/* Without empty buckets; NULL differs from an empty histogram. */
void pack_hist(struct strbuf *b, const struct hist_sum *h);

/* At the end, or on nonsense, `failed` is set and all is zero. */
struct unpack {
  const unsigned char *at, *end;
  bool failed;
};

struct unpack unpack_start(const void *bytes, size_t len);
uint64_t unpack_u64(struct unpack *u);
double unpack_real(struct unpack *u);
/* Borrowed. */
const void *unpack_bytes(struct unpack *u, size_t *ret_len);
/* Terminated; cut to fit. */
void unpack_text(struct unpack *u, char *buf, size_t size);
void unpack_counts_add(struct unpack *u, uint64_t *count, size_t n);
/* `sum` may be NULL. False: NULL was packed. */
bool unpack_hist_add(struct unpack *u, struct hist_sum *sum);

#endif
