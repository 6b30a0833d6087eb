/*
 * folder.c - the folder of a file test.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "machine/disk.h"
#include "machine/space.h"
#include "os/os.h"

#define MIB (1024.0 * 1024)

void doctor_space(struct findings *to, const char *folder, uint64_t bytes,
                  const char *advice)
{
  const struct space space = space_look_at("", folder);
  const uint64_t left = space_free(&space);

  if (left == SPACE_UNKNOWN)
    return;
  if (left < bytes)
    findings_add(to, FINDING_FAIL, "space", advice,
                 "prepare needs %.0f MiB in '%.200s', %.0f MiB are free",
                 (double)bytes / MIB, folder, (double)left / MIB);
  else
    findings_add(to, FINDING_OK, "space", NULL,
                 "prepare needs %.0f MiB, %.0f MiB are free",
                 (double)bytes / MIB, (double)left / MIB);
}

/* If files are missing: room for them. */
static void look_at_files(struct findings *to, const struct folder_needs *needs)
{
  const uint64_t each = needs->files > 0 ? needs->bytes / needs->files : 0;
  uint64_t good = 0;

  for (uint64_t i = 0; i < needs->files; i++) {
    struct stat st;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/test_file.%" PRIu64, needs->folder,
                   i);
    good += stat(path, &st) == 0 && (uint64_t)st.st_size >= each;
  }
  if (good == needs->files) {
    findings_add(to, FINDING_OK, "files", NULL, "all %" PRIu64 " are there",
                 needs->files);
    return;
  }
  findings_add(to, FINDING_FAIL, "files",
               "run the prepare command with the same options",
               "%" PRIu64 " of %" PRIu64 " are missing or too small",
               needs->files - good, needs->files);
  doctor_space(to, needs->folder, (needs->files - good) * each,
               "make room, or choose another --file-dir or a smaller "
               "--file-total-size");
}

/* Leaves nothing behind. */
static int open_probe(const char *folder, int flags)
{
#ifdef O_TMPFILE
  return os_open(AT_FDCWD, folder, O_TMPFILE | O_RDWR | O_CLOEXEC | flags,
                 0600);
#else
  char name[PATH_MAX];
  int fd, code;

  (void)snprintf(name, sizeof(name), "%s/bench-XXXXXX", folder);
  fd = mkostemp(name, O_CLOEXEC);
  if (fd < 0)
    return -1;
  (void)close(fd);
  fd = os_open(AT_FDCWD, name, O_RDWR | O_CLOEXEC | flags, 0);
  code = errno;
  (void)unlink(name);
  errno = code;
  return fd;
#endif
}

static void look_at_direct(struct findings *to, const char *folder, bool wanted)
{
  const int fd = open_probe(folder, O_DIRECT);

  if (fd >= 0) {
    (void)close(fd);
    findings_add(to, FINDING_OK, "direct I/O", NULL,
                 "files can be opened with O_DIRECT");
  } else if (errno == EINVAL && wanted) {
    findings_add(to, FINDING_FAIL, "direct I/O",
                 "choose another --file-dir, or leave direct out of "
                 "--file-extra-flags",
                 "the file system does not support O_DIRECT");
  } else if (errno == EINVAL) {
    findings_add(to, FINDING_WARN, "direct I/O", NULL,
                 "the file system does not support O_DIRECT, so reads may come "
                 "from memory");
  } else if (wanted) {
    findings_add(to, FINDING_WARN, "direct I/O", NULL, "not looked at: %s",
                 strerror(errno));
  }
}

void doctor_folder(struct findings *to, const struct folder_needs *needs)
{
  struct disk d = { 0 };

  if (access(needs->folder, W_OK | X_OK) < 0) {
    findings_add(to, FINDING_FAIL, "folder", "choose another --file-dir",
                 "'%.200s': %s", needs->folder, strerror(errno));
    return;
  }
  disk_find(&d, needs->folder);
  findings_add(to, FINDING_OK, "folder", NULL, "'%.100s' is on %s%s%s%s",
               needs->folder, *d.fs_type ? d.fs_type : "an unknown file system",
               *d.device ? ", device " : "", d.device,
               d.rotational_known && d.rotational ? ", a rotating disk" : "");
  look_at_files(to, needs);
  look_at_direct(to, needs->folder, needs->direct);
}
