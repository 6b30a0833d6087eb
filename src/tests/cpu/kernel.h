/*
 * kernel.h - a kernel of the cpu test: a piece of work of one kind, always the
 * same, whose result is known.
 *
 * A kernel is a row of a const table.  It uses only memory of its thread, and
 * makes no system calls.  A round is a fixed number of operations, which take
 * from some ten microseconds to some milliseconds.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_H
#define BENCH_TESTS_CPU_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Functions of 64-bit ARM may have instructions that others lack: clang knows
 * how since 16. */
#if defined(__aarch64__) && (!defined(__clang__) || __clang_major__ >= 16)
#define CPU_FAST_ON_ARM
#endif

/* One way to do the work. */
struct cpu_path {
  const char *name;    /* the instructions that it needs: "sse4.2" */
  bool (*works)(void); /* NULL: there is no such path */

  /*
   * Does one round and returns its result.  With the same memory the result is
   * the same for all paths, on all machines, in all rounds.
   */
  uint64_t (*run)(void *mem);
};

struct cpu_kernel {
  const char *name;
  const char *unit;    /* what an operation is: "byte", "division" */
  uint64_t operations; /* operations of a round */
  uint64_t result;     /* result of a round */
  size_t bytes;        /* size of the memory */

  /* Fills zeroed memory, which is aligned to a cache line. */
  int (*prepare)(void *mem, struct err *err);
  void (*done)(void *mem); /* [opt] also after a prepare() that has failed */

  struct cpu_path portable;    /* `works` is not used */
  const struct cpu_path *fast; /* [opt] with instructions that may be missing */
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

/* Indexes of all kernels, in the order of the documentation. */
enum {
  CPU_KERNELS = 14
};
extern const struct cpu_kernel *const cpu_kernels[CPU_KERNELS];

/* Find a kernel by name; NULL: there is none. */
const struct cpu_kernel *cpu_kernel_find(const char *name);

/*
 * The fast path if one works and `baseline` is false; otherwise the portable
 * one.
 */
const struct cpu_path *cpu_kernel_path(const struct cpu_kernel *k,
                                       bool baseline);

#endif
