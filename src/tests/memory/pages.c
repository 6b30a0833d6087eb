#include "tests/memory/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/machine/proc.h"
#include "base/machine/space.h"
#include "base/strbuf.h"
#include "tests/memory/options.h"

enum {
  SMALLEST_PAGE = 4096,
  UNKNOWN_CACHE = 32 << 20,
  SHARE_PERCENT = 40, /* of the available memory */
  BIND = 2,           /* MPOL_BIND of the kernel */
};

static uint64_t pages_round_up(uint64_t bytes, uint64_t to)
{
  return (bytes + to - 1) / to * to;
}

/* A huge page is as large as one table of small pages maps: 2 MiB with pages of
 * 4 KiB, 32 MiB with 16 KiB, 512 MiB with 64 KiB. */
static uint64_t pages_alignment(uint64_t bytes)
{
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t huge = page * (page / sizeof(uint64_t));

  return bytes < huge ? PAGES_ALIGN : huge;
}

uint64_t pages_pool_page(const char *root)
{
  uint64_t bytes;

  return proc_meminfo(root, "Hugepagesize", &bytes) && bytes > 0 ? bytes
                                                                 : PAGES_ALIGN;
}

/* From the pool of huge pages, all present: a missing page would cause a signal
 * at its first access. The kernel unmaps whole pages only. */
static bool pages_map_pool(struct pages *p, uint64_t bytes)
{
#if defined(MAP_HUGETLB) && defined(MADV_POPULATE_WRITE)
  const size_t len = pages_round_up(bytes, pages_pool_page(""));
  void *at = mmap(NULL, len, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

  if (at == MAP_FAILED)
    return false;
  if (madvise(at, len, MADV_POPULATE_WRITE) < 0) {
    (void)munmap(at, len);
    return false;
  }
  *p = (struct pages){ .at = at, .mapped = at, .mapped_len = len };
  return true;
#else
  (void)p, (void)bytes;
  return false;
#endif
}

static int pages_bind_to(struct pages *p, int node, struct err *err)
{
#if defined(SYS_mbind)
  unsigned long mask[16] = { 0 };
  const unsigned bits = 8 * sizeof(mask[0]);

  if ((unsigned)node >= bits * 16)
    return err_set(err, -EINVAL, "node %d is beyond those that are known",
                   node);
  mask[(unsigned)node / bits] = 1UL << ((unsigned)node % bits);
  if (syscall(SYS_mbind, p->mapped, p->mapped_len, BIND, mask,
              (unsigned long)bits * 16, 0) == 0)
    return 0;
  return err_sys(err,
                 "cannot bind memory to node %d, which --memory-test=numa "
                 "needs (does this container allow mbind?),",
                 node);
#else
  (void)p;
  return err_set(err, -ENOTSUP, "cannot bind memory to node %d on this system",
                 node);
#endif
}

int pages_map(struct pages *p, uint64_t bytes, bool huge, int node,
              struct err *err)
{
  char size[FMT_SIZE_SIZE];
  uintptr_t at;
  int rc = 0;

  *p = (struct pages){ 0 };
  /* Pages of the pool are present before they can be bound. */
  if (!huge || node >= 0 || !pages_map_pool(p, bytes)) {
    const uint64_t align = pages_alignment(bytes);
    const size_t len = pages_round_up(bytes, PAGES_ALIGN) + align;
    void *all = mmap(NULL, len, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
      return err_sys(err, "cannot allocate %s of memory,",
                     fmt_size(size, bytes));
    at = pages_round_up((uintptr_t)all, align);
    *p = (struct pages){ .at = (char *)all + (at - (uintptr_t)all),
                         .mapped = all,
                         .mapped_len = len };
#if defined(MADV_HUGEPAGE)
    (void)madvise(p->at, len - (at - (uintptr_t)all),
                  huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  }
  p->bytes = bytes;
  if (node >= 0)
    rc = pages_bind_to(p, node, err);
  if (rc < 0)
    pages_unmap(p);
  return rc;
}

bool pages_in_smaps(const char *path, const void *from, const void *to,
                    uint64_t *ret)
{
  FILE *f = fopen(path, "re");
  uint64_t sum = 0;
  bool found = false, inside = false;
  char line[512];

  if (!f)
    return false;
  while (fgets(line, sizeof(line), f)) {
    uint64_t low, high, kib;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &low, &high) == 2) {
      inside = low < (uintptr_t)to && high > (uintptr_t)from;
      found = found || inside;
    } else if (inside &&
               (sscanf(line, "AnonHugePages: %" SCNu64 " kB", &kib) == 1 ||
                sscanf(line, "Private_Hugetlb: %" SCNu64 " kB", &kib) == 1)) {
      sum += kib * 1024;
    }
  }
  (void)fclose(f);
  if (found)
    *ret = sum;
  return found;
}

GOES_OVER_MEMORY void pages_touch(struct pages *p)
{
  uint64_t huge = 0;

  for (uint64_t i = 0; i < p->bytes; i += SMALLEST_PAGE)
    ((volatile char *)p->at)[i] = 0;
  p->look_failed = !pages_in_smaps("/proc/self/smaps", p->at, p->at + p->bytes,
                                   &huge);
  p->in_huge = huge < p->bytes ? huge : p->bytes;
}

void pages_unmap(struct pages *p)
{
  if (p->mapped)
    (void)munmap(p->mapped, p->mapped_len);
  p->mapped = p->at = NULL;
}

void pages_describe(const struct pages *p, bool huge, struct strbuf *out)
{
  char all[FMT_SIZE_SIZE], in_huge[FMT_SIZE_SIZE];

  (void)fmt_size(all, p->bytes);
  (void)fmt_size(in_huge, p->in_huge);
  if (p->look_failed)
    strbuf_addf(out, "%s in %s pages (the system does not tell what it gave)",
                all, huge ? "huge" : "small");
  else if (p->in_huge == p->bytes)
    strbuf_addf(out, "%s in huge pages%s", all,
                huge ? "" : " (small ones were asked for)");
  else if (p->in_huge > 0)
    strbuf_addf(out, "%s of %s in huge pages, the rest in small ones", in_huge,
                all);
  else
    strbuf_addf(out, "%s in small pages%s", all,
                huge ? " (huge ones were asked for)" : "");
}

int pages_budget(const char *root, uint64_t wish, uint64_t usual, uint64_t *ret,
                 struct err *err)
{
  struct space s = { SPACE_UNKNOWN, SPACE_UNKNOWN, SPACE_UNKNOWN, 1 };
  char need[FMT_SIZE_SIZE], has[FMT_SIZE_SIZE];
  uint64_t room;

  space_look_memory(root, &s);
  room = space_free(&s);
  if (wish == 0) {
    *ret = room == SPACE_UNKNOWN || usual <= room / 100 * SHARE_PERCENT
             ? usual
             : room / 100 * SHARE_PERCENT;
    return 0;
  }
  if (wish > room)
    return err_set(err, -ENOMEM,
                   "--memory-size asks for %s, but only %s %s; choose a "
                   "smaller --memory-size",
                   fmt_size(need, wish), fmt_size(has, room),
                   room == s.memory
                     ? "of memory are available"
                     : "are left of the memory of the control group");
  *ret = wish;
  return 0;
}

int pages_choose(const struct memory_cfg *cfg, uint64_t cache_bytes,
                 unsigned times, uint64_t *ret, struct err *err)
{
  const uint64_t bytes = cache_bytes > 0 ? cache_bytes : UNKNOWN_CACHE;

  return pages_budget("", cfg->size_bytes, bytes * times, ret, err);
}
