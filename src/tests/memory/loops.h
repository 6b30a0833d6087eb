/*
 * loops.h - which loops over memory a test runs, over how much of it, and
 * blocks that know what they must hold.
 */
#ifndef BENCH_TESTS_MEMORY_LOOPS_H
#define BENCH_TESTS_MEMORY_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/memory/pages.h"
#include "tests/memory/streams.h"

struct err;
struct memory_cfg;
struct place_cpus;

struct loops {
  const struct streams *streams;
  unsigned n;
  enum stream of[STREAMS]; /* what the user wants and the machine has */
  size_t words;            /* of each thread's block */
};

/* For so many threads with a block each; `cpus` are those that they use. */
int loops_choose(struct loops *ret, const struct memory_cfg *cfg,
                 const struct place_cpus *cpus, unsigned threads,
                 struct err *err);

/* A thread's block. */
struct loops_block {
  const struct loops *loops;
  struct pages pages;
  struct stream_block block;
  struct stream_content content; /* what it must hold */
};

/*
 * Map and touch a block: the first access decides on the node.  All loops are
 * checked word by word on a part of it.
 */
int loops_block_open(struct loops_block *b, const struct loops *loops,
                     bool huge, struct err *err);
void loops_block_close(struct loops_block *b);

/* Go over the block so many times; stores write `value`.  False: a sum was
 * wrong. */
bool loops_run(struct loops_block *b, enum stream s, double value,
               unsigned passes);
/* Does the block hold what it must? */
bool loops_block_is_right(const struct loops_block *b);

#endif
