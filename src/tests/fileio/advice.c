/*
 * advice.c - warnings about runs whose figures mean less than they seem to.
 */
#include "tests/fileio/advice.h"

#include <sys/vfs.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/log.h"
#include "tests/fileio/layout.h"

/* f_type of statfs(), as defined in linux/magic.h. */
#define MAGIC_TMPFS 0x01021994
#define MAGIC_RAMFS 0x858458f6
#define MAGIC_OVERLAY 0x794c7630

static const char *special_folder(const struct folder *folder)
{
  struct statfs fs;

  if (fstatfs(folder->fd, &fs) < 0)
    return NULL;
  switch ((unsigned long)fs.f_type & 0xffffffffUL) {
  case MAGIC_TMPFS:
    return "tmpfs, which is memory";
  case MAGIC_RAMFS:
    return "ramfs, which is memory";
  case MAGIC_OVERLAY:
    return "overlay, whose costs come on top of those of the disk";
  default:
    return NULL;
  }
}

/* What the page cache can have: memory of the machine, or of the control group
 * if that has less. */
static uint64_t memory_of_cache(bool *ret_group)
{
  const uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) *
                           (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t group = cgroup_read("").memory_bytes;

  *ret_group = group > 0 && group < machine;
  return *ret_group ? group : machine;
}

void advice_print(const struct folder *folder, uint64_t total_bytes,
                  bool to_disk)
{
  const char *special = folder_is_device(folder) ? NULL
                                                 : special_folder(folder);
  char files[32], ram[32];
  bool group;
  const uint64_t memory = memory_of_cache(&group);

  if (special)
    log_advise("the files are on %s", special);
  if (!to_disk && total_bytes < memory)
    log_advise("the %s (%sB) fit%s into %s (%sB), so without direct in "
               "--file-extra-flags the page cache is measured, not the disk",
               folder_is_device(folder) ? "device" : "files",
               layout_size_text(total_bytes, files, sizeof(files)),
               folder_is_device(folder) ? "s" : "",
               group ? "the memory of the control group" : "memory",
               layout_size_text(memory, ram, sizeof(ram)));
}
