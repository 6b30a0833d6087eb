/*
 * pages.h - maps memory with small or huge pages, and finds out what the system
 * really gave.
 */
#ifndef BENCH_TESTS_MEMORY_PAGES_H
#define BENCH_TESTS_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;

struct pages {
  char *at;         /* aligned for huge pages; NULL: none */
  uint64_t bytes;   /* usable bytes */
  uint64_t in_huge; /* bytes in huge pages; see pages_touch() */
  bool look_failed; /* the system does not report huge pages */
  void *mapped;     /* the whole mapping */
  size_t mapped_len;
};

enum {
  PAGES_ALIGN = 2 << 20, /* huge pages of most machines */
};

/*
 * Map `bytes` without touching them.  With `huge`, the memory comes from the
 * system's pool if that has enough; otherwise the kernel is asked for
 * transparent huge pages.  Without it, the kernel is asked for none.  `node`:
 * bind the memory to this NUMA node; -1: do not.
 */
int pages_map(struct pages *p, uint64_t bytes, bool huge, int node,
              struct err *err);

/* Write to each page in the calling thread, then find out what was given. */
void pages_touch(struct pages *p);
void pages_unmap(struct pages *p);

/*
 * Return the size of a page of the system's pool of huge pages.  `root` is put
 * before the path of /proc; it is "" except in tests.
 */
uint64_t pages_pool_page(const char *root);

/*
 * Count the bytes in huge pages of the mapping that begins at `from`, in a file
 * like /proc/self/smaps.  False: the mapping is not there.
 */
bool pages_in_smaps(const char *path, const void *from, const void *to,
                    uint64_t *ret);

/* Add "128 MiB in huge pages", or "small pages (huge ones were asked for)". */
void pages_describe(const struct pages *p, bool huge, struct strbuf *out);

/*
 * Return how much to use: `wish`, or if that is 0 `usual`, but at most 40 % of
 * the available memory.  -ENOMEM: `wish` is more than is available.  `root` is
 * put before the paths of /proc and /sys; it is "" except in tests.
 */
int pages_budget(const char *root, uint64_t wish, uint64_t usual, uint64_t *ret,
                 struct err *err);

#endif
