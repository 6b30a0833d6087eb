/*
 * pages.h - maps memory with small or huge pages.
 */
#ifndef BENCH_TESTS_MEMORY_PAGES_H
#define BENCH_TESTS_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct memory_cfg;
struct strbuf;

struct pages {
  char *at;         /* aligned for huge pages */
  uint64_t bytes;   /* usable */
  uint64_t in_huge; /* set by pages_touch() */
  bool look_failed; /* in_huge is unknown */
  void *mapped;
  size_t mapped_len;
};

enum {
  PAGES_ALIGN = 2 << 20, /* of most machines */
};

/*
 * Maps `bytes` without touching them. `huge`: from the system's pool if that
 * suffices, otherwise as transparent huge pages. `node`: the NUMA node to bind
 * to, or -1.
 */
int pages_map(struct pages *p, uint64_t bytes, bool huge, int node,
              struct err *err);

/* Writes to each page in the calling thread; finds out the kind of pages. */
void pages_touch(struct pages *p);
void pages_unmap(struct pages *p);

uint64_t pages_pool_page(const char *root);

/* Bytes in huge pages of the mapping of `from`, in a file like
 * /proc/self/smaps. False: no such mapping. */
bool pages_in_smaps(const char *path, const void *from, const void *to,
                    uint64_t *ret);

/* "128 MiB in huge pages", "1 GiB in small pages (huge ones were asked
 * for)". */
void pages_describe(const struct pages *p, bool huge, struct strbuf *out);

/* `wish`, or if 0 `usual`, but at most 40 % of the available memory. -ENOMEM:
 * `wish` is not available. `root`: "" except in tests. */
int pages_budget(const char *root, uint64_t wish, uint64_t usual, uint64_t *ret,
                 struct err *err);

/* The memory of all threads: --memory-size, or `times` the caches (0: unknown),
 * within pages_budget(). */
int pages_choose(const struct memory_cfg *cfg, uint64_t cache_bytes,
                 unsigned times, uint64_t *ret, struct err *err);

#endif
