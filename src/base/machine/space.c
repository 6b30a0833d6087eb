#include "base/machine/space.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/machine/cgroup.h"
#include "base/machine/proc.h"
#include "base/os/os.h"

uint64_t space_free(const struct space *s)
{
  uint64_t min = s->disk;

  if (s->memory < min)
    min = s->memory;
  return s->group < min ? s->group : min;
}

const char *space_words(const struct space *s)
{
  const uint64_t min = space_free(s);

  if (min == s->disk)
    return "free";
  return min == s->memory ? "of free memory"
                          : "left of the memory of the control group";
}

uint64_t space_of_file(const struct space *s, uint64_t bytes)
{
  const uint64_t more = (s->block - bytes % s->block) % s->block;

  return bytes > UINT64_MAX - more ? UINT64_MAX : bytes + more;
}

void space_look_memory(const char *root, struct space *s)
{
  s->memory = SPACE_UNKNOWN;
  (void)proc_meminfo(root, "MemAvailable", &s->memory);
  s->group = cgroup_memory_left(root);
}

struct space space_look(const char *root, int fd)
{
  struct space s = { SPACE_UNKNOWN, SPACE_UNKNOWN, SPACE_UNKNOWN, 1 };
  struct statvfs fs;

  if (fstatvfs(fd, &fs) == 0) {
    const uint64_t unit = fs.f_frsize > 0 ? fs.f_frsize : 1;

    s.block = unit;
    /* File systems without a size, such as ramfs, report 0 blocks. */
    if (fs.f_blocks > 0)
      s.disk = fs.f_bavail > UINT64_MAX / unit ? UINT64_MAX
                                               : fs.f_bavail * unit;
  }
  if (os_in_memory(fd))
    space_look_memory(root, &s);
  return s;
}

struct space space_look_at(const char *root, const char *path)
{
  struct space s = { SPACE_UNKNOWN, SPACE_UNKNOWN, SPACE_UNKNOWN, 1 };
  const int fd = open(path, O_PATH | O_CLOEXEC);

  if (fd >= 0) {
    s = space_look(root, fd);
    (void)close(fd);
  }
  return s;
}
