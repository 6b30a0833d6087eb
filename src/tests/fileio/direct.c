/*
 * direct.c - the alignment that a file system requires for direct I/O.
 */
#include "tests/fileio/direct.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "os/os.h"

enum {
  SMALLEST = 512,
  LARGEST = 65536,
};

/*
 * The kernel's struct statx, in 64 words: the mask, and the fields that
 * STATX_DIOALIGN fills in.  Older C libraries do not declare them.
 */
enum {
  STATX_WORDS = 64,
  WORD_MASK = 0,
  WORD_MEMORY_ALIGN = 38,
  WORD_OFFSET_ALIGN = 39,
  MASK_DIOALIGN = 0x2000,
};

static uint64_t ask_kernel(const struct folder *folder)
{
#ifdef SYS_statx
  uint32_t answer[STATX_WORDS] = { 0 };

  if (syscall(SYS_statx, folder->fd, "test_file.0", AT_SYMLINK_NOFOLLOW,
              MASK_DIOALIGN, answer) < 0 ||
      !(answer[WORD_MASK] & MASK_DIOALIGN))
    return 0;
  return answer[WORD_OFFSET_ALIGN];
#else
  (void)folder;
  return 0;
#endif
}

/*
 * Returns the size of the smallest read that is accepted; 0: there is no file,
 * or none is accepted.
 */
static uint64_t try_reads(const struct folder *folder)
{
  uint64_t found = 0;
  void *buf;
  int fd = os_open(folder->fd, "test_file.0",
                   O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                   0);

  if (fd < 0)
    return 0;
  buf = aligned_alloc(LARGEST, LARGEST);
  for (uint64_t size = SMALLEST; buf && !found && size <= LARGEST; size *= 2) {
    if (pread(fd, buf, size, 0) > 0)
      found = size;
  }
  free(buf);
  (void)close(fd);
  return found;
}

/* Asks the device, or the disk that it is a partition of. */
static uint64_t ask_device(const struct folder *folder)
{
  static const char *const at[] = { "", "../" };
  unsigned long size = 0;
  struct stat st;
  dev_t dev;

  if (fstat(folder->fd, &st) < 0)
    return 0;
  dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]) && size == 0; i++) {
    char path[128];
    FILE *f;

    (void)snprintf(path, sizeof(path),
                   "/sys/dev/block/%u:%u/%squeue/logical_block_size",
                   major(dev), minor(dev), at[i]);
    f = fopen(path, "re");
    if (!f)
      continue;
    if (fscanf(f, "%lu", &size) != 1)
      size = 0;
    (void)fclose(f);
  }
  return size;
}

uint64_t direct_alignment(const struct folder *folder)
{
  uint64_t align = ask_kernel(folder);

  if (align == 0)
    align = try_reads(folder);
  if (align == 0)
    align = ask_device(folder);
  return align == 0 ? SMALLEST : align;
}
