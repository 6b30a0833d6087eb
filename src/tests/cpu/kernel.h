/*
 * kernel.h - what a kernel of the cpu test is: a piece of work of one kind,
 * always the same, whose result is known.
 *
 * A kernel is a row of a const table.  It works on memory of its thread alone,
 * and does no system calls.  A round is a fixed number of operations, which
 * take from some ten microseconds to some milliseconds.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_H
#define BENCH_TESTS_CPU_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* One way to do the work. */
struct cpu_path {
  const char *name;    /* of what it needs, as people know it: "sse4.2" */
  bool (*works)(void); /* on this processor; NULL: there is no such path */

  /* One round; its result.  The same memory gives the same result in all paths,
   * on all machines, in the first round and in all others. */
  uint64_t (*run)(void *mem);
};

struct cpu_kernel {
  const char *name;
  const char *unit;    /* of an operation: "byte", "division" */
  uint64_t operations; /* in a round */
  uint64_t result;     /* of a round */
  size_t bytes;        /* of memory */

  /* Fill zeroed memory, which is aligned to a cache line. */
  int (*prepare)(void *mem, struct err *err);
  void (*done)(void *mem); /* [opt] also after a prepare() that has failed */

  struct cpu_path portable;    /* `works` is not looked at */
  const struct cpu_path *fast; /* [opt] with instructions that not all
                                * processors of a kind have */
};

extern const struct cpu_kernel cpu_kernel_int;
extern const struct cpu_kernel cpu_kernel_ilp;
extern const struct cpu_kernel cpu_kernel_branch;
extern const struct cpu_kernel cpu_kernel_div;
extern const struct cpu_kernel cpu_kernel_fp;
extern const struct cpu_kernel cpu_kernel_lookup;
extern const struct cpu_kernel cpu_kernel_btree;
extern const struct cpu_kernel cpu_kernel_sort;
extern const struct cpu_kernel cpu_kernel_lz;
extern const struct cpu_kernel cpu_kernel_json;
extern const struct cpu_kernel cpu_kernel_crc32c;
extern const struct cpu_kernel cpu_kernel_sha256;
extern const struct cpu_kernel cpu_kernel_aes;
extern const struct cpu_kernel cpu_kernel_lua;

/* All of them, in the order of the documentation. */
enum {
  CPU_KERNELS = 14
};
extern const struct cpu_kernel *const cpu_kernels[CPU_KERNELS];

/* NULL: there is none of this name. */
const struct cpu_kernel *cpu_kernel_find(const char *name);

/* The fast path where there is one that works, unless `baseline`. */
const struct cpu_path *cpu_kernel_path(const struct cpu_kernel *k,
                                       bool baseline);

#endif
