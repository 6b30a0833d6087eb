/*
 * scratch.c - a temporary folder for the files of other processes.
 */
#include "tools/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

int scratch_make(char **ret, struct err *err)
{
  const char *tmp = getenv("TMPDIR");
  struct strbuf b = { 0 };
  char *folder;
  int rc = 0;

  strbuf_addf(&b, "%s/bench-sweep-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  folder = b.failed ? NULL : mem_strdup(strbuf_str(&b));
  strbuf_done(&b);
  if (!folder)
    return err_set(err, -ENOMEM, "not enough memory");
  if (!mkdtemp(folder)) {
    rc = err_sys(err, "cannot make a folder for temporary files ('%s')",
                 folder);
    free(folder);
    return rc;
  }
  *ret = folder;
  return 0;
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
