/*
 * files.c - the test's files: their names, and opening them so that no other
 * file is ever touched.
 */
#include "tests/fileio/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "os/os.h"
#include "tests/fileio/layout.h"
#include "tests/fileio/owned.h"

enum {
  /* Descriptors for other purposes: streams, rings, results. */
  OTHER_DESCRIPTORS = 256,
  MIN_OTHERS = 16 /* the minimum, without any of these */
};

int folder_open(struct folder *f, const char *path, struct err *err)
{
  *f = (struct folder){ .path = path };
  /* Names are looked up in the folder, which need not be readable. */
  f->fd = open(path[0] == '\0' ? "." : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (f->fd < 0)
    return err_sys(err, "Cannot open folder '%s'",
                   path[0] == '\0' ? "." : path);
  return 0;
}

void folder_close(struct folder *f)
{
  if (f->fd >= 0)
    (void)close(f->fd);
  f->fd = -1;
}

/* Returns the name by which the system finds the file in the folder. */
static const char *entry(const struct folder *f, uint64_t file, char buf[32],
                         int *ret_dir)
{
  *ret_dir = AT_FDCWD;
  if (folder_is_device(f))
    return f->path;
  *ret_dir = f->fd;
  (void)snprintf(buf, 32, "test_file.%" PRIu64, file);
  return buf;
}

/* A device may be opened through a link, a file only by its own name. */
static int stat_flags(const struct folder *f)
{
  return folder_is_device(f) ? 0 : AT_SYMLINK_NOFOLLOW;
}

const char *folder_name(const struct folder *f, uint64_t file, char *buf,
                        size_t room)
{
  const size_t len = strlen(f->path);
  const char *slash = len > 0 && f->path[len - 1] != '/' ? "/" : "";

  if (folder_is_device(f))
    (void)snprintf(buf, room, "%s", f->path);
  else
    (void)snprintf(buf, room, "%s%stest_file.%" PRIu64, f->path, slash, file);
  return buf;
}

/* Checks for something else than a regular file with this name. */
static int check_type(const struct folder *f, uint64_t file, mode_t mode,
                      struct err *err)
{
  char name[FILES_NAME_MAX];
  const char *what = "something else";

  if (folder_is_device(f) ? S_ISBLK(mode) : S_ISREG(mode))
    return 0;
  if (S_ISDIR(mode))
    what = "a directory";
  else if (S_ISLNK(mode))
    what = "a symbolic link";
  else if (S_ISFIFO(mode))
    what = "a pipe";
  else if (S_ISSOCK(mode))
    what = "a socket";
  else if (S_ISCHR(mode) || S_ISBLK(mode))
    what = "a device";
  return err_set(err, -EINVAL, "Cannot open file '%s': it is %s",
                 folder_name(f, file, name, sizeof(name)), what);
}

bool folder_stat(const struct folder *f, uint64_t file, struct stat *ret)
{
  char base[32];
  int dir;
  const char *name = entry(f, file, base, &dir);

  return fstatat(dir, name, ret, stat_flags(f)) == 0;
}

static int open_entry(const struct folder *f, uint64_t file, int flags)
{
  char base[32];
  int dir;
  const char *name = entry(f, file, base, &dir);

  if (folder_is_device(f))
    return os_open(
      AT_FDCWD, name,
      (f->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | (flags & ~O_CREAT), 0);
  return os_open(dir, name,
                 (f->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW |
                   flags,
                 S_IRUSR | S_IWUSR);
}

int folder_open_file(const struct folder *f, uint64_t file, int flags,
                     bool create, int *ret_fd, uint64_t *ret_bytes,
                     struct err *err)
{
  char name[FILES_NAME_MAX];
  struct stat st;
  int fd, rc;

  /*
   * Opening a pipe would wait for its other end, so its type is checked first.
   */
  if (folder_stat(f, file, &st)) {
    rc = check_type(f, file, st.st_mode, err);
    if (rc < 0)
      return rc;
  }
  fd = open_entry(f, file, flags | (create ? O_CREAT : 0));
  if (fd < 0) {
    rc = errno;
    (void)folder_name(f, file, name, sizeof(name));
    errno = rc;
    if (rc == EINVAL && (flags & O_DIRECT))
      return err_sys(err,
                     "Cannot open file '%s' for direct I/O, which its file "
                     "system may not support",
                     name);
    if (rc == EBUSY && folder_is_device(f))
      return err_set(err, -EBUSY,
                     "Cannot open device '%s': it is in use (is it mounted, or "
                     "part of a RAID or a volume group?)",
                     name);
    return err_sys(err, "Cannot open file '%s'", name);
  }
  rc = fstat(fd, &st) < 0 ? err_sys(err, "Cannot look at file '%s'",
                                    folder_name(f, file, name, sizeof(name)))
                          : check_type(f, file, st.st_mode, err);
  if (rc < 0) {
    (void)close(fd);
    return rc;
  }
  if (ret_bytes)
    *ret_bytes = folder_is_device(f) ? f->device_bytes : (uint64_t)st.st_size;
  *ret_fd = fd;
  return 0;
}

static int cannot_open(const struct folder *f, uint64_t file, struct err *err)
{
  char name[FILES_NAME_MAX];
  const int why = errno;

  (void)folder_name(f, file, name, sizeof(name));
  errno = why;
  return err_sys(err, "Cannot open file '%s'", name);
}

static int refuse_foreign(const struct folder *f, uint64_t file,
                          const char *why, struct err *err)
{
  char name[FILES_NAME_MAX];

  return err_set(err, -EPERM,
                 "File '%s' %s: it stays as it is (choose another --file-dir, "
                 "move it away, or use --force)",
                 folder_name(f, file, name, sizeof(name)), why);
}

int folder_check_owned(const struct folder *f, uint64_t file, struct err *err)
{
  struct folder reader = *f;
  struct stat st;
  bool owned;
  int fd;

  if (folder_is_device(f) || f->force || !folder_stat(f, file, &st) ||
      !S_ISREG(st.st_mode))
    return 0;
  if (st.st_nlink > 1)
    return refuse_foreign(f, file, "has a second name, a hard link", err);
  reader.read_only = true;
  fd = open_entry(&reader, file, O_NONBLOCK);
  if (fd < 0)
    return cannot_open(f, file, err);
  owned = owned_by_fileio(fd, (uint64_t)st.st_size, f->block);
  (void)close(fd);
  return owned
           ? 0
           : refuse_foreign(f, file, "was not made by the fileio test", err);
}

int folder_remove(const struct folder *f, uint64_t file, struct err *err)
{
  char base[32], name[FILES_NAME_MAX];
  int why, dir;

  why = folder_check_owned(f, file, err);
  if (why < 0)
    return why;
  if (folder_is_device(f) ||
      unlinkat(f->fd, entry(f, file, base, &dir), 0) == 0 || errno == ENOENT)
    return 0;
  why = errno;
  (void)folder_name(f, file, name, sizeof(name));
  errno = why;
  return err_sys(err, "Cannot remove file '%s'", name);
}

static int raise_limit(uint64_t n, struct err *err)
{
  const uint64_t need = n + OTHER_DESCRIPTORS;
  struct rlimit limit, more;

  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return err_sys(err, "Cannot read the limit of open files");
  if ((uint64_t)limit.rlim_cur >= need)
    return 0;
  more.rlim_cur = need;
  more.rlim_max = (uint64_t)limit.rlim_max > need ? limit.rlim_max : need;
  if (setrlimit(RLIMIT_NOFILE, &more) == 0)
    return 0;
  /* Fewer spare descriptors may be enough; opening will report if not. */
  more.rlim_cur = more.rlim_max = limit.rlim_max;
  if ((uint64_t)limit.rlim_max >= n + MIN_OTHERS) {
    (void)setrlimit(RLIMIT_NOFILE, &more);
    return 0;
  }
  return err_set(err, -EMFILE,
                 "Cannot open %" PRIu64 " files: the limit of open files is "
                 "%" PRIu64 " (RLIMIT_NOFILE, see ulimit -n), and %" PRIu64
                 " are enough",
                 n, (uint64_t)limit.rlim_max, need);
}

/* Adds advice on a line of its own below the error, if warnings are wanted. */
static void add_warning(struct err *err, const char *text)
{
  const size_t len = strlen(err->text);

  if (log_get_level() < LOG_WARNING)
    return;
  (void)snprintf(err->text + len, sizeof(err->text) - len, "\nWARNING: %s",
                 text);
}

static int open_one(const struct files *fs, uint64_t file, uint64_t bytes,
                    int flags, bool fresh, int *ret_fd, struct err *err)
{
  char name[FILES_NAME_MAX], has[32], needs[32];
  uint64_t length = 0;
  int rc;

  log_msg(LOG_DEBUG, "Opening file: %s",
          folder_name(fs->folder, file, name, sizeof(name)));
  if (fresh && !folder_is_device(fs->folder)) {
    rc = folder_remove(fs->folder, file, err);
    if (rc < 0)
      return rc;
    return folder_open_file(fs->folder, file, flags | O_EXCL, true, ret_fd,
                            NULL, err);
  }
  /* A device is not written to while another program uses it. */
  if (folder_is_device(fs->folder) && !fs->folder->read_only)
    flags |= O_EXCL;
  rc = folder_open_file(fs->folder, file, flags, false, ret_fd, &length, err);
  if (rc < 0) {
    if (rc == -ENOENT)
      add_warning(err, "Did you forget to run the prepare step?");
    return rc;
  }
  if (length >= bytes)
    return 0;
  (void)close(*ret_fd);
  rc = err_set(err, -EINVAL,
               "Size of file '%s' is %sB, but at least %sB is expected.",
               folder_name(fs->folder, file, name, sizeof(name)),
               layout_size_text(length, has, sizeof(has)),
               layout_size_text(bytes, needs, sizeof(needs)));
  add_warning(err, "Did you run 'prepare' with different "
                   "--file-total-size or --file-num values, or end a run "
                   "with --file-test-mode=seqwr early?");
  return rc;
}

int files_open(struct files *fs, const struct folder *folder, uint64_t n,
               uint64_t bytes, int flags, bool fresh, struct err *err)
{
  int rc = raise_limit(n, err);

  if (rc < 0)
    return rc;
  fs->folder = folder;
  fs->n = 0;
  fs->fd = calloc(n, sizeof(*fs->fd));
  if (!fs->fd)
    return err_set(err, -ENOMEM, "cannot allocate %" PRIu64 " descriptors", n);
  for (; fs->n < n; fs->n++) {
    rc = open_one(fs, fs->n, bytes, flags, fresh, &fs->fd[fs->n], err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

void files_close(struct files *fs)
{
  for (uint64_t i = 0; i < fs->n; i++)
    (void)close(fs->fd[i]); /* fsync has reported errors of writing */
  free(fs->fd);
  fs->fd = NULL;
  fs->n = 0;
}

int files_check_names(const struct files *fs, struct err *err)
{
  for (uint64_t i = 0; i < fs->n; i++) {
    char name[FILES_NAME_MAX];
    struct stat open_file, named;

    if (fstat(fs->fd[i], &open_file) == 0 &&
        folder_stat(fs->folder, i, &named) &&
        open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino)
      continue;
    return err_set(err, -ESTALE,
                   "File '%s' was removed or replaced during the run",
                   folder_name(fs->folder, i, name, sizeof(name)));
  }
  return 0;
}

int files_drop_cache(const struct files *fs, struct err *err)
{
  for (uint64_t i = 0; i < fs->n; i++) {
    char name[FILES_NAME_MAX];
    int rc;

    (void)folder_name(fs->folder, i, name, sizeof(name));
    if (fdatasync(fs->fd[i]) < 0) /* or dirty pages would stay */
      return err_sys(err, "Failed to synchronise file '%s'", name);
    rc = posix_fadvise(fs->fd[i], 0, 0, POSIX_FADV_DONTNEED);
    if (rc != 0) {
      errno = rc;
      return err_sys(err, "Cannot drop file '%s' from the page cache", name);
    }
  }
  return 0;
}
