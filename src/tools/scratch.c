/*
 * scratch.c - a temporary folder for the files of other processes.
 */
#include "tools/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* A folder in memory, where the system has one. */
#define IN_MEMORY "/dev/shm"

int scratch_make_in(const char *below, const char *name, char **ret,
                    struct err *err)
{
  struct strbuf b = { 0 };
  char *folder, *whole;
  int rc = 0;

  strbuf_addf(&b, "%s/%s-XXXXXX", below, name);
  folder = b.failed ? NULL : mem_strdup(strbuf_str(&b));
  strbuf_done(&b);
  if (!folder)
    return err_set(err, -ENOMEM, "not enough memory");
  if (!mkdtemp(folder)) {
    rc = err_set(err, -errno, "cannot make a folder in '%.400s': %s", below,
                 strerror(errno));
    free(folder);
    return rc;
  }
  /* Processes that use it may work in another folder. */
  whole = realpath(folder, NULL);
  if (!whole) {
    *ret = folder;
    return 0;
  }
  free(folder);
  *ret = whole;
  return 0;
}

/* The folder of a file that is a plain one, or is not there yet. */
static bool folder_of(const char *file, char ret[PATH_MAX])
{
  const char *slash = strrchr(file, '/');
  struct stat st;

  if (!*file || strcmp(file, "-") == 0 ||
      (stat(file, &st) == 0 && !S_ISREG(st.st_mode)))
    return false;
  if (!slash)
    return snprintf(ret, PATH_MAX, ".") == 1;
  return snprintf(ret, PATH_MAX, "%.*s/", (int)(slash - file), file) < PATH_MAX;
}

int scratch_make(const char *beside, char **ret, struct err *err)
{
  const char *tmp = getenv("TMPDIR");
  char folder[PATH_MAX];
  int rc;

  if (tmp && *tmp && scratch_make_in(tmp, "bench-sweep", ret, err) == 0)
    return 0;
  rc = scratch_make_in("/tmp", "bench-sweep", ret, err);
  if (rc < 0 && folder_of(beside, folder))
    rc = scratch_make_in(folder, "bench-sweep", ret, err);
  if (rc == 0)
    return 0;
  if (scratch_make_in(IN_MEMORY, "bench-sweep", ret, err) == 0) {
    log_msg(LOG_WARNING,
            "no folder takes temporary files (TMPDIR, /tmp, the folder of "
            "--json), so the results of steps are kept in memory (" IN_MEMORY
            ")");
    return 0;
  }
  return err_set(err, rc,
                 "no folder takes temporary files (TMPDIR, /tmp, the folder of "
                 "--json, " IN_MEMORY
                 "): %s; set TMPDIR to one that can be written to",
                 strerror(-rc));
}

FILE *scratch_file(void)
{
  const int fd = memfd_create("bench", 0);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

  if (f)
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  else if (fd >= 0)
    (void)close(fd);
  return f;
}

void scratch_remove(char *folder)
{
  DIR *dir = folder ? opendir(folder) : NULL;
  const struct dirent *e;

  while (dir && (e = readdir(dir)) != NULL)
    (void)unlinkat(dirfd(dir), e->d_name, 0); /* `.` and `..` are no files */
  if (dir)
    (void)closedir(dir);
  if (folder)
    (void)rmdir(folder);
  free(folder);
}
