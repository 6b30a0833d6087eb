/*
 * loops.h - which loops over memory run, and the blocks of threads.
 */
#ifndef BENCH_TESTS_MEMORY_LOOPS_H
#define BENCH_TESTS_MEMORY_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/memory/pages.h"
#include "tests/memory/streams.h"

struct err;
struct memory_cfg;
struct place_cpus;

struct loops {
  const struct streams *streams;
  unsigned n;
  enum stream of[STREAMS]; /* chosen, and available on the machine */
  size_t words;
};

/* For a block per thread; `cpus` are those in use. */
int loops_choose(struct loops *ret, const struct memory_cfg *cfg,
                 const struct place_cpus *cpus, unsigned threads,
                 struct err *err);

struct loops_block {
  const struct loops *loops;
  struct pages pages;
  struct stream_block block;
  struct stream_content content;
};

/* Maps and touches a block, on the node of the calling thread, and checks all
 * loops word by word on a part of it. */
int loops_block_open(struct loops_block *b, const struct loops *loops,
                     bool huge, struct err *err);
void loops_block_close(struct loops_block *b);

/* Stores write `value`. False: a sum is wrong. */
bool loops_run(struct loops_block *b, enum stream s, double value,
               unsigned passes);
bool loops_block_is_right(const struct loops_block *b);

#endif
