/*
 * options.h - the options of the memory test.
 */
#ifndef BENCH_TESTS_MEMORY_OPTIONS_H
#define BENCH_TESTS_MEMORY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"

struct err;
struct plan;

enum memory_oper {
  MEMORY_READ,
  MEMORY_WRITE,
  MEMORY_NONE,
  MEMORY_OPERS,
};

enum memory_mode {
  MEMORY_SEQ,
  MEMORY_RND,
  MEMORY_MODES,
};

enum memory_scope {
  SCOPE_GLOBAL,
  SCOPE_LOCAL,
};

enum memory_test {
  MEMORY_BANDWIDTH,
  MEMORY_LATENCY,
  MEMORY_LOADED,
  MEMORY_PAIRS,
  MEMORY_NUMA,
  MEMORY_SCALING,
  MEMORY_TESTS,
};

enum memory_pages_wish {
  PAGES_AUTO, /* both for latency, otherwise huge */
  PAGES_SMALL,
  PAGES_HUGE,
};

struct memory_cfg {
  uint64_t block_bytes;
  uint64_t total_bytes;
  int scope;
  bool huge;
  int oper;
  int mode;

  int test;            /* enum memory_test; -1: the classic one */
  uint64_t size_bytes; /* of all threads; 0: by the caches */
  int pages;
  struct opt_list kernels; /* none: all */
  bool baseline;
};

extern const struct opt memory_opts[];

extern const char *const memory_oper_words[];
extern const char *const memory_scope_words[];

extern const char memory_default_total[];

/* Refuses options of the classic test with --memory-test, and others
 * without. */
int memory_options_check(const struct memory_cfg *cfg, struct err *err);

/* The data of a run, zeroed and aligned to a cache line; the caller frees them.
 * NULL: the plan does not fit the test, or no memory. */
void *memory_new(const struct plan *plan, const struct memory_cfg *cfg,
                 size_t bytes, int *ret_rc, struct err *err);

#endif
