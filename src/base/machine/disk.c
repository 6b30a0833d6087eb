#include "base/machine/disk.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/machine/proc.h"

static bool link_end(const char *path, char *ret, size_t size)
{
  char target[PATH_MAX];
  const ssize_t n = readlink(path, target, sizeof(target) - 1);
  const char *end;

  if (n < 0)
    return false;
  target[n] = '\0';
  end = strrchr(target, '/');
  end = end ? end + 1 : target;
  if (strlen(end) >= size)
    return false;
  memcpy(ret, end, strlen(end) + 1);
  return true;
}

/* "ID PARENT MAJ:MIN ROOT MOUNT OPTIONS ... - TYPE SOURCE SUPER". Only the ID
 * identifies the mount of a device with several mounts. */
void disk_find_mount(struct disk *d, const char *root,
                     const struct disk_mount *which)
{
  char line[4096], options[sizeof(d->options)];
  bool found = false;
  FILE *f = proc_open(root, "/proc/self/mountinfo");

  while (f && !found && fgets(line, sizeof(line), f)) {
    const char *dash = strstr(line, " - ");
    unsigned major_of, minor_of;
    unsigned long long id;

    if (!dash || sscanf(line, "%llu %*u %u:%u %*s %*s %255s", &id, &major_of,
                        &minor_of, options) != 4)
      continue;
    found = which->has_id && id == which->id;
    if (!found && (major_of != which->major || minor_of != which->minor))
      continue;
    if (sscanf(dash, " - %63s %255s", d->fs_type, d->source) == 2)
      memcpy(d->options, options, sizeof(options));
  }
  if (f)
    (void)fclose(f);
}

/* A partition has the queue of its disk, one folder up. */
static void look_at_queue(struct disk *d)
{
  uint64_t rotational = 0;

  d->rotational_known = proc_number(&rotational, "",
                                    "/sys/class/block/%s/queue/rotational",
                                    d->device) ||
                        proc_number(&rotational, "",
                                    "/sys/class/block/%s/../queue/rotational",
                                    d->device);
  d->rotational = rotational == 1;
}

/* File systems on several devices have a number of their own, and one of the
 * devices as source. */
static void find_device(struct disk *d, unsigned major_no, unsigned minor_no)
{
  char path[PATH_MAX];
  struct stat st;

  (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major_no,
                 minor_no);
  if (access(path, F_OK) < 0 && d->source[0] == '/' &&
      stat(d->source, &st) == 0 && S_ISBLK(st.st_mode))
    (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u",
                   major(st.st_rdev), minor(st.st_rdev));
  if (link_end(path, d->device, sizeof(d->device)))
    look_at_queue(d);
}

/* Since Linux 5.8. */
static void find_id(struct disk_mount *m, const char *folder)
{
#ifdef STATX_MNT_ID
  struct statx st;

  if (statx(AT_FDCWD, folder, 0, STATX_MNT_ID, &st) == 0 &&
      (st.stx_mask & STATX_MNT_ID)) {
    m->has_id = true;
    m->id = st.stx_mnt_id;
  }
#else
  (void)m;
  (void)folder;
#endif
}

void disk_find(struct disk *d, const char *folder)
{
  struct disk_mount mount = { .has_id = false };
  struct statvfs fs;
  struct stat st;

  memset(d, 0, sizeof(*d));
  (void)snprintf(d->folder, sizeof(d->folder), "%s", folder);
  if (statvfs(folder, &fs) == 0) {
    d->size_bytes = (unsigned long long)fs.f_blocks * fs.f_frsize;
    d->free_bytes = (unsigned long long)fs.f_bavail * fs.f_frsize;
  }
  if (stat(folder, &st) < 0)
    return;
  if (S_ISBLK(st.st_mode)) {
    d->size_bytes = d->free_bytes = 0; /* of /dev */
    find_device(d, major(st.st_rdev), minor(st.st_rdev));
    return;
  }
  mount.major = major(st.st_dev);
  mount.minor = minor(st.st_dev);
  find_id(&mount, folder);
  disk_find_mount(d, "", &mount);
  find_device(d, mount.major, mount.minor);
}
