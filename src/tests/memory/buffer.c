/*
 * buffer.c - allocates the memory to be measured.
 */
#include "tests/memory/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fmt.h"
#include "machine/proc.h"
#include "tests/memory/pages.h"

static uint64_t free_huge_pages(void)
{
  char text[32];

  return proc_field("", "/proc/meminfo", "HugePages_Free", text, sizeof(text))
           ? strtoull(text, NULL, 10)
           : 0;
}

static int tell_no_huge(uint64_t bytes, int number, struct err *err)
{
  const uint64_t pages = free_huge_pages(); /* changes errno */

  errno = number;
  return err_sys(
    err, "cannot allocate %llu bytes of huge pages (%llu free page%s),",
    (unsigned long long)bytes, (unsigned long long)pages, fmt_plural(pages));
}

int memory_buffer_map(struct memory_buffer *b, uint64_t bytes, bool huge,
                      struct err *err)
{
  const uint64_t page = huge ? pages_pool_page("")
                             : (uint64_t)sysconf(_SC_PAGESIZE);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  uint64_t rounded;
  void *p;

#ifdef MAP_HUGETLB
  if (huge)
    flags |= MAP_HUGETLB;
#else
  if (huge)
    return err_set(err, -ENOTSUP, "this system has no huge pages");
#endif
  if (__builtin_add_overflow(bytes, page - 1, &rounded))
    return err_set(err, -ENOMEM, "cannot allocate %llu bytes of memory",
                   (unsigned long long)bytes);
  rounded -= rounded % page;
  p = mmap(NULL, rounded, PROT_READ | PROT_WRITE, flags, -1, 0);
  /* cppcheck-suppress identicalConditionAfterEarlyExit ; it takes both #if */
  if (p == MAP_FAILED && huge)
    return tell_no_huge(rounded, errno, err);
  if (p == MAP_FAILED)
    return err_sys(err, "cannot allocate %llu bytes of memory,",
                   (unsigned long long)rounded);
  memset(p, 0, rounded);
  b->words = p;
  b->mapped = rounded;
  return 0;
}

void memory_buffer_unmap(struct memory_buffer *b)
{
  if (b->words)
    (void)munmap(b->words, b->mapped);
  b->words = NULL;
}
