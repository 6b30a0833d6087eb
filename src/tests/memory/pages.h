/*
 * pages.h - memory of small or huge pages, and what the system really gave.
 */
#ifndef BENCH_TESTS_MEMORY_PAGES_H
#define BENCH_TESTS_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;

struct pages {
  char *at;       /* aligned to 2 MiB; NULL: none */
  uint64_t bytes; /* that may be used */
  uint64_t
    in_huge; /* of these, how many are in huge pages; see pages_touch() */
  bool look_failed; /* the system does not tell */
  void *mapped;     /* all of it */
  size_t mapped_len;
};

enum {
  PAGES_ALIGN = 2 << 20, /* huge pages of most machines */
};

/*
 * Map `bytes`, not touched yet.  With `huge`: from the system's pool if that
 * has enough, else the kernel is asked for transparent huge pages.  Without, it
 * is asked for none.  `node`: the memory is bound to this NUMA node; -1: it is
 * not.
 */
int pages_map(struct pages *p, uint64_t bytes, bool huge, int node,
              struct err *err);

/* Write to each page by the calling thread, then see what was given. */
void pages_touch(struct pages *p);
void pages_unmap(struct pages *p);

/* Bytes in huge pages of the mapping that begins at `from`, by the text of
 * /proc/self/smaps.  False: it is not there. */
bool pages_in_smaps(const char *path, const void *from, const void *to,
                    uint64_t *ret);

/* "128 MiB in huge pages", "small pages (huge ones were asked for)". */
void pages_describe(const struct pages *p, bool huge, struct strbuf *out);

/*
 * How much to use: `wish`, or if that is 0 `usual`, at most 40 % of the memory
 * that is available.  -ENOMEM: a wish that is more than is available.  `root`
 * is put before the paths of /proc and /sys; it is "" outside of tests.
 */
int pages_budget(const char *root, uint64_t wish, uint64_t usual, uint64_t *ret,
                 struct err *err);

#endif
