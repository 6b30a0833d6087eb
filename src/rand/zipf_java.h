/*
 * zipf_java.h - the "scrambled zipfian" numbers of YCSB, bit for bit.
 *
 * A rank below 10^10 is drawn by an approximation (Gray et al., SIGMOD 1994)
 * with the exponent 0.99, hashed, and taken modulo the number of items.  The
 * hash maps several ranks to one item and none to others, so this is not the
 * zipfian distribution of the items: dist.h has that.
 */
#ifndef BENCH_RAND_ZIPF_JAVA_H
#define BENCH_RAND_ZIPF_JAVA_H

#include <stdint.h>

/* Constants that follow from the exponent. */
struct zipf_java {
  double alpha, eta, second;
};

void zipf_java_init(struct zipf_java *z);

/* The rank for a random u in [0, 1). */
uint64_t zipf_java_rank(const struct zipf_java *z, double u);

/* The FNV-1a hash of the eight bytes, the lowest first, without the sign. */
uint64_t zipf_java_hash(uint64_t rank);

/* An item of 0..items-1. */
uint64_t zipf_java_item(const struct zipf_java *z, double u, uint64_t items);

#endif
