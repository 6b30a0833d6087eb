/*
 * form.h - the reports of the memory test.
 */
#ifndef BENCH_TESTS_MEMORY_FORM_H
#define BENCH_TESTS_MEMORY_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct report_form;

/* What setup->of_test points to. */
struct memory_moved {
  uint64_t block_bytes; /* bytes of an event */
  bool moves;           /* false: --memory-oper=none */
};

extern const struct report_form memory_form;

#endif
