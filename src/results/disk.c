/*
 * disk.c - on which disk and file system a folder is.
 */
#include "results/disk.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/sysmacros.h>
#endif

/* The last part of where a link points to. */
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

/* "ID PARENT MAJ:MIN ROOT MOUNT OPTIONS ... - TYPE SOURCE SUPER"; the last one
 * of this device counts: it is on top. */
static void look_at_mounts(struct disk *d, unsigned major_no, unsigned minor_no)
{
  char line[4096];
  FILE *f = fopen("/proc/self/mountinfo", "re");

  while (f && fgets(line, sizeof(line), f)) {
    const char *dash = strstr(line, " - ");
    unsigned major_of, minor_of;

    if (sscanf(line, "%*u %*u %u:%u %*s %*s %255s", &major_of, &minor_of,
               d->options) != 3 ||
        major_of != major_no || minor_of != minor_no || !dash)
      continue;
    (void)sscanf(dash, " - %63s %255s", d->fs_type, d->source);
    break;
  }
  if (f)
    (void)fclose(f);
  if (d->fs_type[0] == '\0')
    d->options[0] = '\0';
}

static void look_at_queue(struct disk *d)
{
  /* A partition has the queue of its disk, one folder up. */
  static const char *const paths[] = {
    "/sys/class/block/%s/queue/rotational",
    "/sys/class/block/%s/../queue/rotational",
  };
  char path[PATH_MAX];

  for (unsigned i = 0; i < 2 && !d->rotational_known; i++) {
    FILE *f;
    int c;

    (void)snprintf(path, sizeof(path), paths[i], d->device);
    f = fopen(path, "re");
    if (!f)
      continue;
    c = fgetc(f);
    d->rotational_known = c == '0' || c == '1';
    d->rotational = c == '1';
    (void)fclose(f);
  }
}

/* File systems on several devices have a number of their own: then the source
 * of the mount tells one of them. */
static void find_device(struct disk *d, unsigned major_no, unsigned minor_no)
{
  char path[PATH_MAX];
  struct stat st;

  (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major_no,
                 minor_no);
#if defined(__linux__)
  if (access(path, F_OK) < 0 && d->source[0] == '/' &&
      stat(d->source, &st) == 0 && S_ISBLK(st.st_mode))
    (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u",
                   major(st.st_rdev), minor(st.st_rdev));
#else
  (void)st;
#endif
  if (link_end(path, d->device, sizeof(d->device)))
    look_at_queue(d);
}

void disk_find(struct disk *d, const char *folder)
{
  struct statvfs fs;
  struct stat st;

  memset(d, 0, sizeof(*d));
  (void)snprintf(d->folder, sizeof(d->folder), "%s", folder);
  if (statvfs(folder, &fs) == 0) {
    d->size_bytes = (unsigned long long)fs.f_blocks * fs.f_frsize;
    d->free_bytes = (unsigned long long)fs.f_bavail * fs.f_frsize;
  }
#if defined(__linux__)
  if (stat(folder, &st) < 0)
    return;
  look_at_mounts(d, major(st.st_dev), minor(st.st_dev));
  find_device(d, major(st.st_dev), minor(st.st_dev));
#else
  (void)st;
  (void)look_at_mounts;
  (void)find_device;
#endif
}
