/*
 * scratch.c - a temporary folder for the files of other processes.
 */
#include "tools/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

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

int scratch_make(char **ret, struct err *err)
{
  const char *tmp = getenv("TMPDIR");

  return scratch_make_in(tmp && *tmp ? tmp : "/tmp", "bench-sweep", ret, err);
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
