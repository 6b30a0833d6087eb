#include "results/outname.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"

enum {
  LINKS_MAX = 40 /* in a row, as in the kernel */
};

static bool outname_is_one(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool outname_is_one_file(const char *a, const char *b)
{
  struct stat at, bt;

  return stat(a, &at) == 0 && stat(b, &bt) == 0 && outname_is_one(&at, &bt);
}

bool outname_is_null(const char *name)
{
  return outname_is_one_file(name, "/dev/null");
}

/* If stdout is /dev/null, it gets no results. */
bool outname_is_stdout(const char *name)
{
  struct stat at, out;

  if (strcmp(name, "-") == 0)
    return true;
  return !outname_is_null(name) && stat(name, &at) == 0 &&
         fstat(STDOUT_FILENO, &out) == 0 && outname_is_one(&at, &out);
}

/* By name alone: it can be an open regular file. */
bool outname_is_descriptor(const char *name)
{
  return strcmp(name, "/dev/stdout") == 0 || strcmp(name, "/dev/stderr") == 0 ||
         strncmp(name, "/dev/fd/", 8) == 0 ||
         strncmp(name, "/proc/self/fd/", 14) == 0;
}

bool outname_is_special(const char *name)
{
  struct stat at;

  return outname_is_stdout(name) || outname_is_descriptor(name) ||
         (stat(name, &at) == 0 && !S_ISREG(at.st_mode));
}

/* Relative to the working folder; owned.  NULL with errno; EINVAL, ENOENT:
 * not a link. */
static char *outname_link_target(const char *link)
{
  const char *slash = strrchr(link, '/');
  struct strbuf b = { 0 };
  char to[PATH_MAX];
  const ssize_t n = readlink(link, to, sizeof(to));

  if (n < 0)
    return NULL;
  if (n > 0 && to[0] != '/' && slash)
    strbuf_add(&b, link, (size_t)(slash + 1 - link));
  strbuf_add(&b, to, (size_t)n);
  if (b.failed) {
    strbuf_done(&b);
    errno = ENOMEM;
  }
  return b.text;
}

/* realpath() would need access to all folders above. */
char *outname_real(const char *name)
{
  char *at = mem_strdup(name), *next;

  if (!at) {
    errno = ENOMEM;
    return NULL;
  }
  for (unsigned i = 0; i < LINKS_MAX; i++) {
    next = outname_link_target(at);
    if (!next && (errno == EINVAL || errno == ENOENT))
      return at; /* not a link, or absent */
    free(at);
    at = next;
    if (!at)
      return NULL;
  }
  free(at);
  errno = ELOOP;
  return NULL;
}

/* Both new names. */
static bool outname_is_one_place(const char *a, const char *b)
{
  const char *a_end = strrchr(a, '/'), *b_end = strrchr(b, '/');
  char *a_folder = mem_strndup(a, a_end ? (size_t)(a_end + 1 - a) : 0);
  char *b_folder = mem_strndup(b, b_end ? (size_t)(b_end + 1 - b) : 0);
  const bool same = a_folder && b_folder &&
                    strcmp(a_end ? a_end + 1 : a, b_end ? b_end + 1 : b) == 0 &&
                    (strcmp(a, b) == 0 ||
                     outname_is_one_file(*a_folder ? a_folder : ".",
                                         *b_folder ? b_folder : "."));

  free(a_folder);
  free(b_folder);
  return same;
}

static bool outname_is_there(const char *name)
{
  struct stat at;

  return stat(name, &at) == 0;
}

bool outname_same(const char *a, const char *b)
{
  char *a_real, *b_real;
  bool same;

  if (outname_is_stdout(a) || outname_is_stdout(b))
    return outname_is_stdout(a) && outname_is_stdout(b);
  if (outname_is_there(a) || outname_is_there(b))
    return outname_is_one_file(a, b) && !outname_is_null(a);
  a_real = outname_real(a);
  b_real = outname_real(b);
  same = a_real && b_real && outname_is_one_place(a_real, b_real);
  free(a_real);
  free(b_real);
  return same;
}
