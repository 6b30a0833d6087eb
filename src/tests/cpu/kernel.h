/*
 * kernel.h - a kernel of the cpu test: work of one kind, with a known result.
 * It uses only memory of its thread, and makes no system calls. A round takes
 * from some ten microseconds to some milliseconds.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_H
#define BENCH_TESTS_CPU_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct err;

/* clang has target attributes of single functions for 64-bit ARM since 16. */
#if defined(__aarch64__) && (!defined(__clang__) || __clang_major__ >= 16)
#define CPU_FAST_ON_ARM
#endif

struct cpu_path {
  const char *name;    /* its instructions: "sse4.2" */
  bool (*works)(void); /* NULL: no such path */

  /* A round. The result depends only on the memory. */
  uint64_t (*run)(void *mem);
};

struct cpu_kernel {
  const char *name;
  const char *unit;    /* of an operation: "byte" */
  uint64_t operations; /* of a round */
  uint64_t result;
  size_t bytes;

  /* Fills zeroed memory, aligned to a cache line. */
  int (*prepare)(void *mem, struct err *err);
  void (*done)(void *mem); /* [opt] also after a failed prepare() */

  struct cpu_path portable;    /* without `works` */
  const struct cpu_path *fast; /* [opt] some CPUs lack it */
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

enum {
  CPU_KERNELS = 14
};
extern const struct cpu_kernel *const cpu_kernels[CPU_KERNELS];

/* The fast path if present, allowed and supported. */
const struct cpu_path *cpu_kernel_path(const struct cpu_kernel *k,
                                       bool baseline);

/* Different numbers stay different. */
static inline uint64_t cpu_scatter(uint64_t x)
{
  x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  x = (x ^ (x >> 29)) * UINT64_C(0xa0761d6478bd642f);
  return x ^ (x >> 32);
}

/* The next number of a sequence that began with *state. */
static inline uint64_t cpu_noise(uint64_t *state)
{
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return cpu_scatter(*state);
}

/* The order of numbers matters. */
static inline uint64_t cpu_sum(uint64_t sum, uint64_t x)
{
  sum = (sum ^ x) * UINT64_C(0x9fb21c651e98df25);
  return sum ^ (sum >> 31);
}

static inline uint64_t cpu_load_le64(const void *p)
{
  uint64_t x;

  memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  return x;
}

static inline void cpu_store_le64(void *p, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  memcpy(p, &x, sizeof(x));
}

/* The first byte is highest. */
static inline uint32_t cpu_load_be32(const void *p)
{
  uint32_t x;

  memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  x = __builtin_bswap32(x);
#endif
  return x;
}

static inline void cpu_store_be32(void *p, uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  x = __builtin_bswap32(x);
#endif
  memcpy(p, &x, sizeof(x));
}

/* `bytes` is a multiple of 8. */
static inline uint64_t cpu_sum_bytes(uint64_t sum, const void *p, size_t bytes)
{
  const unsigned char *at = p;

  for (size_t i = 0; i < bytes; i += 8)
    sum = cpu_sum(sum, cpu_load_le64(at + i));
  return sum;
}

enum {
  CRC_BYTES = 1 << 16,
  CRC_TIMES = 8,
};

struct crc_data {
  unsigned char bytes[CRC_BYTES];
  uint32_t table[8][256]; /* of the portable path */
};

enum {
  SHA_BYTES = 1 << 14,
  SHA_TIMES = 16,
  SHA_BLOCK = 64,
};

struct sha_data {
  unsigned char bytes[SHA_BYTES];
};

enum {
  AES_BLOCK = 16,
  AES_ROUNDS = 10,
  AES_BYTES = 1 << 14,
  AES_TIMES = 32, /* over the bytes, per round */
  AES_AT_ONCE = 8,
};

struct aes_data {
  unsigned char bytes[AES_BYTES];
  unsigned char out[AES_BYTES];
  unsigned char key[AES_ROUNDS + 1][AES_BLOCK];
  unsigned char nonce[AES_BLOCK]; /* the last four bytes count */
  uint32_t table[256];            /* portable: a column of a round */
  unsigned char box[256];
};

#endif
