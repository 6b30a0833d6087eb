/*
 * large_pages.c - a library to preload: the system has pages of LARGE_PAGE
 * bytes.
 *
 * It says so to the program, maps memory at such places only, and refuses what
 * a kernel with such pages refuses.  The C library's own calls do not come
 * here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page_bytes(void)
{
  const char *text = getenv("LARGE_PAGE");
  const size_t n = text ? strtoul(text, NULL, 10) : 0;

  return n > 0 ? n : 65536;
}

static size_t whole(size_t bytes)
{
  const size_t page = page_bytes();

  return (bytes + page - 1) / page * page;
}

static int refused(const void *at)
{
  if ((uintptr_t)at % page_bytes() == 0)
    return 0;
  errno = EINVAL;
  return -1;
}

long sysconf(int name)
{
  long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

  switch (name) {
  case _SC_PAGESIZE:
    return (long)page_bytes();
  case _SC_PHYS_PAGES:
  case _SC_AVPHYS_PAGES:
    return real(name) / (long)(page_bytes() / (size_t)real(_SC_PAGESIZE));
  default:
    return real(name);
  }
}

int getpagesize(void)
{
  return (int)page_bytes();
}

static unsigned long real_auxval(unsigned long type)
{
  unsigned long (*real)(unsigned long) = (unsigned long (*)(
    unsigned long))dlsym(RTLD_NEXT, "getauxval");

  return real(type);
}

unsigned long getauxval(unsigned long type)
{
  return type == AT_PAGESZ ? page_bytes() : real_auxval(type);
}

static void *map(void *at, size_t bytes, int prot, int flags, int fd,
                 off_t from)
{
  return (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, from);
}

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t from)
{
  const size_t page = page_bytes(), len = whole(bytes);
  char *all, *start;

  if ((size_t)from % page != 0 || ((flags & MAP_FIXED) && refused(at) < 0)) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if (bytes == 0 || len < bytes || (flags & (MAP_FIXED | MAP_HUGETLB)))
    return map(at, bytes, prot, flags, fd, from);
  /* A stretch that has such a place, and the mapping there. */
  all = map(NULL, len + page, PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return MAP_FAILED;
  start = (char *)whole((size_t)all);
  at = map(start, len, prot, flags | MAP_FIXED, fd, from);
  if (at == MAP_FAILED) {
    const int why = errno;

    (void)syscall(SYS_munmap, all, len + page);
    errno = why;
    return MAP_FAILED;
  }
  if (start > all)
    (void)syscall(SYS_munmap, all, (size_t)(start - all));
  (void)syscall(SYS_munmap, start + len, page - (size_t)(start - all));
  return at;
}

void *mmap64(void *, size_t, int, int, int, off_t)
  __attribute__((alias("mmap")));

int munmap(void *at, size_t bytes)
{
  return refused(at) < 0 ? -1 : (int)syscall(SYS_munmap, at, whole(bytes));
}

int mprotect(void *at, size_t bytes, int prot)
{
  return refused(at) < 0 ? -1
                         : (int)syscall(SYS_mprotect, at, whole(bytes), prot);
}

int madvise(void *at, size_t bytes, int advice)
{
  return refused(at) < 0 ? -1
                         : (int)syscall(SYS_madvise, at, whole(bytes), advice);
}

/* A page is there if one of the kernel's own is. */
int mincore(void *at, size_t bytes, unsigned char *ret)
{
  const size_t page = page_bytes(), own = (size_t)real_auxval(AT_PAGESZ);
  unsigned char one;

  if (refused(at) < 0)
    return -1;
  for (size_t i = 0; i < whole(bytes) / page; i++) {
    ret[i] = 0;
    for (size_t j = 0; j < page; j += own)
      if (syscall(SYS_mincore, (char *)at + i * page + j, own, &one) == 0)
        ret[i] |= one;
  }
  return 0;
}

/* Stacks of threads come from the C library, which knows small pages. */
int pthread_attr_getstack(const pthread_attr_t *attr, void **ret, size_t *bytes)
{
  int (*real)(const pthread_attr_t *, void **, size_t *) = (int (*)(
    const pthread_attr_t *, void **, size_t *))dlsym(RTLD_NEXT,
                                                     "pthread_attr_getstack");
  const int rc = real(attr, ret, bytes);
  const size_t low = rc == 0 ? (size_t)*ret : 0;

  if (rc == 0) {
    *ret = (void *)whole(low);
    *bytes -= whole(low) - low;
  }
  return rc;
}

int msync(void *at, size_t bytes, int flags)
{
  return refused(at) < 0 ? -1 : (int)syscall(SYS_msync, at, bytes, flags);
}
