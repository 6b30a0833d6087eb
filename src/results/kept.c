/*
 * kept.c - see kept.h.
 *
 * Several processes can add files and remove old ones at the same time.
 */
#include "results/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

bool kept_folder(char ret[PATH_MAX])
{
  const char *keep = getenv("BENCH_KEEP");
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int n;

  if (keep && strcmp(keep, "off") == 0)
    return false;
  if (state && state[0] == '/')
    n = snprintf(ret, PATH_MAX, "%s/bench", state);
  else if (home && home[0] == '/')
    n = snprintf(ret, PATH_MAX, "%s/.local/state/bench", home);
  else
    return false;
  return n > 0 && n < PATH_MAX;
}

static int kept_make_all(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    int rc;

    *slash = '\0';
    rc = mkdir(path, S_IRWXU);
    *slash = '/';
    if (rc < 0 && errno != EEXIST)
      return -errno;
  }
  return mkdir(path, S_IRWXU) < 0 && errno != EEXIST ? -errno : 0;
}

static int kept_look_above(const char *path)
{
  char above[PATH_MAX];
  struct stat st;
  char *slash;

  (void)snprintf(above, sizeof(above), "%s", path);
  while ((slash = strrchr(above, '/')) != NULL && slash != above) {
    *slash = '\0';
    if (stat(above, &st) == 0 && !S_ISDIR(st.st_mode))
      return -ENOTDIR;
    if (access(above, W_OK | X_OK) == 0)
      return 0;
    if (errno != ENOENT)
      return -errno;
  }
  return access("/", W_OK) < 0 ? -errno : 0;
}

int kept_ready(char ret[PATH_MAX], bool make)
{
  struct stat st;
  int rc;

  if (!kept_folder(ret))
    return -ENOENT;
  if (lstat(ret, &st) < 0) {
    if (!make)
      return kept_look_above(ret);
    rc = kept_make_all(ret);
    if (rc < 0)
      return rc;
    if (lstat(ret, &st) < 0)
      return -errno;
  }
  /* Root leaves nothing in a user's home. */
  if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
    return -EPERM;
  return access(ret, W_OK | X_OK) < 0 ? -errno : 0;
}

/* 20261128-223815-123-4567.json */
static bool kept_is_name(const char *name)
{
  static const char digits[] = "0123456789";
  static const size_t lengths[] = { 8, 6, 3 };

  for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
    if (strspn(name, digits) != lengths[i] || name[lengths[i]] != '-')
      return false;
    name += lengths[i] + 1;
  }
  if (strspn(name, digits) == 0)
    return false;
  name += strspn(name, digits);
  return strcmp(name, ".json") == 0 || strcmp(name, ".part") == 0;
}

static bool kept_is_whole(const char *name)
{
  return strcmp(strrchr(name, '.'), ".json") == 0;
}

static int kept_compare(const void *a, const void *b)
{
  return strcmp(((const struct kept_name *)b)->text,
                ((const struct kept_name *)a)->text);
}

/* `parts`: unfinished files, too. */
static size_t kept_read(const char *folder, bool parts, struct kept_name **ret)
{
  struct kept_name *names = NULL;
  DIR *dir = opendir(folder);
  size_t n = 0;
  const struct dirent *e;

  while (dir && (e = readdir(dir)) != NULL) {
    struct kept_name *more;
    struct stat st;

    if (strlen(e->d_name) >= KEPT_NAME || !kept_is_name(e->d_name) ||
        (!parts && !kept_is_whole(e->d_name)) ||
        fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISREG(st.st_mode))
      continue;
    more = realloc(names, (n + 1) * sizeof(*names));
    if (!more)
      break;
    names = more;
    memcpy(names[n++].text, e->d_name, strlen(e->d_name) + 1);
  }
  if (dir)
    (void)closedir(dir);
  if (n > 0)
    qsort(names, n, sizeof(*names), kept_compare);
  *ret = names;
  return n;
}

size_t kept_list(const char *folder, struct kept_name **ret)
{
  return kept_read(folder, false, ret);
}

bool kept_path(const char *number, char ret[PATH_MAX])
{
  char folder[PATH_MAX];
  struct kept_name *names = NULL;
  size_t at, n;
  bool found = false;

  if (strspn(number, "0123456789") != strlen(number) || !kept_folder(folder))
    return false;
  at = strtoul(number, NULL, 10);
  n = kept_list(folder, &names);
  if (at >= 1 && at <= n) {
    const int len = snprintf(ret, PATH_MAX, "%s/%s", folder,
                             names[at - 1].text);

    found = len > 0 && len < PATH_MAX;
  }
  free(names);
  return found;
}

const char *kept_or_file(const char *name, char room[PATH_MAX])
{
  return access(name, F_OK) < 0 && errno == ENOENT && kept_path(name, room)
           ? room
           : name;
}

static int kept_name_file(const char *folder, const char *end,
                          char ret[PATH_MAX])
{
  const uint64_t ms = clock_read_ns(CLOCK_REALTIME) / NS_PER_MS;
  const time_t s = (time_t)(ms / 1000);
  char name[KEPT_NAME];
  struct tm tm;
  int n;

  if (!gmtime_r(&s, &tm) ||
      strftime(name, sizeof(name), "%Y%m%d-%H%M%S", &tm) == 0)
    return -EINVAL;
  n = snprintf(ret, PATH_MAX, "%s/%s-%03u-%ld.%s", folder, name,
               (unsigned)(ms % 1000), (long)getpid(), end);
  return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int kept_open(struct kept_file *f)
{
  char folder[PATH_MAX];
  int fd, rc = kept_ready(folder, true);

  memset(f, 0, sizeof(*f));
  if (rc == 0)
    rc = kept_name_file(folder, "part", f->path);
  if (rc < 0)
    return rc;
  fd = open(f->path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
            S_IRUSR | S_IWUSR);
  if (fd < 0)
    return -errno;
  (void)flock(fd, LOCK_EX | LOCK_NB);
  f->stream = fdopen(fd, "w");
  if (f->stream)
    return 0;
  (void)close(fd);
  (void)unlink(f->path);
  return -ENOMEM;
}

bool kept_orphan(struct kept_file *f, struct kept_name *last)
{
  char folder[PATH_MAX];
  struct kept_name *names = NULL;
  const size_t n = kept_folder(folder) ? kept_read(folder, true, &names) : 0;

  memset(f, 0, sizeof(*f));
  for (size_t i = 0; i < n && !f->stream; i++) {
    int fd;

    if (kept_is_whole(names[i].text) ||
        (last->text[0] && strcmp(names[i].text, last->text) >= 0) ||
        snprintf(f->path, PATH_MAX, "%s/%s", folder, names[i].text) >= PATH_MAX)
      continue;
    *last = names[i];
    fd = open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
      f->stream = fdopen(fd, "r+");
    if (fd >= 0 && !f->stream)
      (void)close(fd);
  }
  free(names);
  return f->stream != NULL;
}

/* Being written, or with names of tables: see kept_orphan(). */
static bool kept_is_needed(const char *path)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat st;
  const bool needed = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ||
                      fstat(fd, &st) < 0 || st.st_size > 0;

  if (fd >= 0)
    (void)close(fd);
  return needed;
}

static void kept_remove_oldest(void)
{
  char folder[PATH_MAX], path[PATH_MAX];
  struct kept_name *names = NULL;
  const size_t n = kept_folder(folder) ? kept_read(folder, true, &names) : 0;

  for (size_t i = KEPT_MAX; i < n; i++) {
    if (snprintf(path, sizeof(path), "%s/%s", folder, names[i].text) <
          (int)sizeof(path) &&
        (kept_is_whole(names[i].text) || !kept_is_needed(path)))
      (void)unlink(path);
  }
  free(names);
}

void kept_close(struct kept_file *f, bool whole)
{
  bool ok = fclose(f->stream) == 0 && whole;
  char folder[PATH_MAX], place[PATH_MAX];

  f->stream = NULL;
  ok = ok && kept_folder(folder);
  do /* another file can have the name for a millisecond */
    ok = ok && kept_name_file(folder, "json", place) == 0;
  while (ok && access(place, F_OK) == 0);
  if (ok && rename(f->path, place) == 0)
    kept_remove_oldest();
  else
    (void)unlink(f->path);
}
