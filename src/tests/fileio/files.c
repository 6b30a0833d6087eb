#include "tests/fileio/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/machine/cgroup.h"
#include "base/machine/proc.h"
#include "base/machine/space.h"
#include "base/os/os.h"
#include "opt/optset.h"
#include "tests/fileio/layout.h"
#include "tests/fileio/options.h"
#include "tests/fileio/validate.h"

/* ---- alignment of direct I/O ---- */

enum {
  SMALLEST = 512,
  LARGEST = 65536,
};

/* The kernel's struct statx for STATX_DIOALIGN, which older C libraries lack,
 * in words. */
enum {
  STATX_WORDS = 64,
  WORD_MASK = 0,
  WORD_MEMORY_ALIGN = 38,
  WORD_OFFSET_ALIGN = 39,
  MASK_DIOALIGN = 0x2000,
};

static uint64_t files_direct_ask_kernel(const struct folder *folder)
{
#ifdef SYS_statx
  uint32_t answer[STATX_WORDS] = { 0 };

  if (syscall(SYS_statx, folder->fd, "test_file.0", AT_SYMLINK_NOFOLLOW,
              MASK_DIOALIGN, answer) < 0 ||
      !(answer[WORD_MASK] & MASK_DIOALIGN))
    return 0;
  return answer[WORD_OFFSET_ALIGN];
#else
  (void)folder;
  return 0;
#endif
}

/* The smallest read that works; 0: none. */
static uint64_t files_direct_try_reads(const struct folder *folder)
{
  uint64_t found = 0;
  void *buf;
  int fd = os_open(folder->fd, "test_file.0",
                   O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                   0);

  if (fd < 0)
    return 0;
  buf = aligned_alloc(LARGEST, LARGEST);
  for (uint64_t size = SMALLEST; buf && !found && size <= LARGEST; size *= 2) {
    if (pread(fd, buf, size, 0) > 0)
      found = size;
  }
  free(buf);
  (void)close(fd);
  return found;
}

/* Also the disk of a partition. */
static uint64_t files_direct_ask_device(const struct folder *folder)
{
  static const char *const at[] = { "", "../" };
  uint64_t size = 0;
  struct stat st;
  dev_t dev;

  if (fstat(folder->fd, &st) < 0)
    return 0;
  dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]) && size == 0; i++)
    (void)proc_number(&size, "",
                      "/sys/dev/block/%u:%u/%squeue/logical_block_size",
                      major(dev), minor(dev), at[i]);
  return size;
}

uint64_t files_direct_alignment(const struct folder *folder)
{
  uint64_t align = files_direct_ask_kernel(folder);

  if (align == 0)
    align = files_direct_try_reads(folder);
  if (align == 0)
    align = files_direct_ask_device(folder);
  return align == 0 ? SMALLEST : align;
}

/* ---- block devices ---- */

static int files_device_refuse(const char *path, const char *expected,
                               struct err *err)
{
  return err_set(err, -EINVAL,
                 "Invalid value for --file-device: '%s' (expected %s)", path,
                 expected);
}

static int files_device_look(struct folder *f, const struct fileio_cfg *cfg,
                             struct err *err)
{
  const char *path = cfg->device;
  struct stat st;
  off_t end;

  if (stat(path, &st) < 0)
    return err_sys(err, "Cannot open device '%s'", path);
  if (!S_ISBLK(st.st_mode))
    return files_device_refuse(
      path, "a block device; files are found by --file-dir", err);
  if (!f->read_only && !cfg->yes_destroy)
    return err_set(err, -EPERM,
                   "Writing to %s destroys the data on it; use --yes-destroy "
                   "if that is what you want",
                   path);
  f->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (f->fd < 0)
    return err_sys(err, "Cannot open device '%s'", path);
  end = lseek(f->fd, 0, SEEK_END);
  if (end <= 0)
    return files_device_refuse(path, "a device that has a size", err);
  f->device_bytes = (uint64_t)end;
  if (cfg->device_size > f->device_bytes)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-device-size: '%" PRIu64
                   "' (expected at most %" PRIu64 ", the size of %s)",
                   cfg->device_size, f->device_bytes, path);
  if (cfg->device_size > 0)
    f->device_bytes = cfg->device_size;
  return 0;
}

int files_device_or_folder(struct folder *f, const struct fileio_cfg *cfg,
                           bool writes, struct err *err)
{
  f->fd = -1;
  f->device_bytes = 0;
  if (*cfg->device == '\0')
    return folder_open(f, cfg->dir, err);
  f->path = cfg->device;
  f->read_only = !writes;
  return files_device_look(f, cfg, err);
}

/* ---- options without effect ---- */

static void files_ignored_warn_if(bool given, const char *name, const char *why)
{
  if (given)
    log_msg(LOG_WARNING, "--%s has no effect %s", name, why);
}

static bool files_ignored_has_queue(const struct fileio_cfg *cfg)
{
  return cfg->io_mode == FILE_ENGINE_AIO || cfg->io_mode == FILE_ENGINE_URING;
}

static void files_ignored_warn_of_run(const struct fileio_cfg *cfg,
                                      const struct fileio_cfg *usual)
{
  static const char no_queue[] =
    "without --file-io-mode=async or io_uring: each thread has one request at "
    "a time";
  static const char own_sync[] =
    "in this --file-test-mode, which decides itself when to synchronise";

  if (!files_ignored_has_queue(cfg)) {
    files_ignored_warn_if(cfg->backlog != usual->backlog,
                          "file-async-backlog (--file-iodepth)", no_queue);
    files_ignored_warn_if(cfg->batch != usual->batch, "file-batch", no_queue);
  }
  if (file_mode_database(cfg->mode)) {
    files_ignored_warn_if(cfg->fsync_freq != usual->fsync_freq,
                          "file-fsync-freq", own_sync);
    files_ignored_warn_if(cfg->fsync_all, "file-fsync-all", own_sync);
  }
  files_ignored_warn_if(cfg->steady == 0 &&
                          cfg->steady_window_s != usual->steady_window_s,
                        "file-steady-window", "without --file-steady");
}

/* Only values other than these were given. */
static bool files_ignored_find_defaults(struct fileio_cfg *ret)
{
  struct optset set;
  struct err err;
  int rc;

  optset_init(&set, COMPAT_1_0);
  rc = optset_add(&set, OPT_SECTION_TEST, "fileio", fileio_opts, ret, &err);
  optset_done(&set);
  return rc == 0;
}

void files_warn_ignored(const struct fileio_cfg *cfg, bool run)
{
  static const char on_device[] =
    "with --file-device; --file-device-size limits what is used of it";

  struct fileio_cfg usual;

  if (!files_ignored_find_defaults(&usual))
    return;
  if (run)
    files_ignored_warn_of_run(cfg, &usual);
  if (*cfg->device == '\0') {
    files_ignored_warn_if(cfg->yes_destroy, "yes-destroy",
                          "without --file-device");
    return;
  }
  files_ignored_warn_if(cfg->num != usual.num, "file-num", on_device);
  files_ignored_warn_if(cfg->total_size != usual.total_size, "file-total-size",
                        on_device);
  files_ignored_warn_if(*cfg->dir != '\0', "file-dir", "with --file-device");
}

/* ---- misleading figures ---- */

/* f_type of statfs(): linux/magic.h. */
#define MAGIC_TMPFS 0x01021994
#define MAGIC_RAMFS 0x858458f6
#define MAGIC_OVERLAY 0x794c7630

static const char *files_advice_special_folder(const struct folder *folder)
{
  struct statfs fs;

  if (fstatfs(folder->fd, &fs) < 0)
    return NULL;
  switch ((unsigned long)fs.f_type & 0xffffffffUL) {
  case MAGIC_TMPFS:
    return "tmpfs, which is memory";
  case MAGIC_RAMFS:
    return "ramfs, which is memory";
  case MAGIC_OVERLAY:
    return "overlay, whose costs come on top of those of the disk";
  default:
    return NULL;
  }
}

/* Of the machine, or of a smaller control group. */
static uint64_t files_advice_memory_of_cache(bool *ret_group)
{
  const uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) *
                           (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t group = cgroup_read("").memory_bytes;

  *ret_group = group > 0 && group < machine;
  return *ret_group ? group : machine;
}

void files_print_advice(const struct folder *folder, uint64_t total_bytes,
                        bool to_disk)
{
  const char *special = folder_is_device(folder)
                          ? NULL
                          : files_advice_special_folder(folder);
  char files[32], ram[32];
  bool group;
  const uint64_t memory = files_advice_memory_of_cache(&group);

  if (special)
    log_advise("the files are on %s", special);
  if (!to_disk && total_bytes < memory)
    log_advise("the %s (%sB) fit%s into %s (%sB), so without direct in "
               "--file-extra-flags the page cache is measured, not the disk",
               folder_is_device(folder) ? "device" : "files",
               layout_size_text(total_bytes, files, sizeof(files)),
               folder_is_device(folder) ? "s" : "",
               group ? "the memory of the control group" : "memory",
               layout_size_text(memory, ram, sizeof(ram)));
}

/* ---- files ---- */

enum {
  /* Descriptors for streams, rings, results. */
  OTHER_DESCRIPTORS = 256,
  MIN_OTHERS = 16 /* enough without these */
};

int folder_open(struct folder *f, const char *path, struct err *err)
{
  *f = (struct folder){ .path = path };
  /* The folder need not be readable. */
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

static const char *files_entry(const struct folder *f, uint64_t file,
                               char buf[32], int *ret_dir)
{
  *ret_dir = AT_FDCWD;
  if (folder_is_device(f))
    return f->path;
  *ret_dir = f->fd;
  (void)snprintf(buf, 32, "test_file.%" PRIu64, file);
  return buf;
}

/* A device may be a link, a file may not. */
static int files_stat_flags(const struct folder *f)
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

static int files_check_type(const struct folder *f, uint64_t file, mode_t mode,
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

/* False: missing, or refused by the system. */
static bool files_folder_stat(const struct folder *f, uint64_t file,
                              struct stat *ret)
{
  char base[32];
  int dir;
  const char *name = files_entry(f, file, base, &dir);

  return fstatat(dir, name, ret, files_stat_flags(f)) == 0;
}

static int files_open_entry(const struct folder *f, uint64_t file, int flags)
{
  char base[32];
  int dir;
  const char *name = files_entry(f, file, base, &dir);

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

  /* Opening a pipe would wait for its other end. */
  if (files_folder_stat(f, file, &st)) {
    rc = files_check_type(f, file, st.st_mode, err);
    if (rc < 0)
      return rc;
  }
  fd = files_open_entry(f, file, flags | (create ? O_CREAT : 0));
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
                          : files_check_type(f, file, st.st_mode, err);
  if (rc < 0) {
    (void)close(fd);
    return rc;
  }
  if (ret_bytes)
    *ret_bytes = folder_is_device(f) ? f->device_bytes : (uint64_t)st.st_size;
  *ret_fd = fd;
  return 0;
}

static int files_cannot_open(const struct folder *f, uint64_t file,
                             struct err *err)
{
  char name[FILES_NAME_MAX];
  const int why = errno;

  (void)folder_name(f, file, name, sizeof(name));
  errno = why;
  return err_sys(err, "Cannot open file '%s'", name);
}

static int files_refuse_foreign(const struct folder *f, uint64_t file,
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

  if (folder_is_device(f) || f->force || !files_folder_stat(f, file, &st) ||
      !S_ISREG(st.st_mode))
    return 0;
  if (st.st_nlink > 1)
    return files_refuse_foreign(f, file, "has a second name, a hard link", err);
  reader.read_only = true;
  fd = files_open_entry(&reader, file, O_NONBLOCK);
  if (fd < 0)
    return files_cannot_open(f, file, err);
  owned = owned_by_fileio(fd, (uint64_t)st.st_size, f->block);
  (void)close(fd);
  return owned ? 0
               : files_refuse_foreign(f, file,
                                      "was not made by the fileio test", err);
}

int folder_remove(const struct folder *f, uint64_t file, struct err *err)
{
  char base[32], name[FILES_NAME_MAX];
  int why, dir;

  why = folder_check_owned(f, file, err);
  if (why < 0)
    return why;
  if (folder_is_device(f) ||
      unlinkat(f->fd, files_entry(f, file, base, &dir), 0) == 0 ||
      errno == ENOENT)
    return 0;
  why = errno;
  (void)folder_name(f, file, name, sizeof(name));
  errno = why;
  return err_sys(err, "Cannot remove file '%s'", name);
}

static int files_raise_limit(uint64_t n, struct err *err)
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
  /* Fewer spare descriptors may do. */
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

/* A second line, if warnings are wanted. */
static void files_add_warning(struct err *err, const char *text)
{
  const size_t len = strlen(err->text);

  if (log_get_level() < LOG_WARNING)
    return;
  (void)snprintf(err->text + len, sizeof(err->text) - len, "\nWARNING: %s",
                 text);
}

static int files_open_one(const struct files *fs, uint64_t file, uint64_t bytes,
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
  /* Not while another program uses the device. */
  if (folder_is_device(fs->folder) && !fs->folder->read_only)
    flags |= O_EXCL;
  rc = folder_open_file(fs->folder, file, flags, false, ret_fd, &length, err);
  if (rc < 0) {
    if (rc == -ENOENT)
      files_add_warning(err, "Did you forget to run the prepare step?");
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
  files_add_warning(err, "Did you run 'prepare' with different "
                         "--file-total-size or --file-num values, or end a run "
                         "with --file-test-mode=seqwr early?");
  return rc;
}

int files_open(struct files *fs, const struct folder *folder, uint64_t n,
               uint64_t bytes, int flags, bool fresh, struct err *err)
{
  int rc = files_raise_limit(n, err);

  if (rc < 0)
    return rc;
  fs->folder = folder;
  fs->n = 0;
  fs->fd = calloc(n, sizeof(*fs->fd));
  if (!fs->fd)
    return err_set(err, -ENOMEM, "cannot allocate %" PRIu64 " descriptors", n);
  for (; fs->n < n; fs->n++) {
    rc = files_open_one(fs, fs->n, bytes, flags, fresh, &fs->fd[fs->n], err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

void files_close(struct files *fs)
{
  for (uint64_t i = 0; i < fs->n; i++)
    (void)close(fs->fd[i]);
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
        files_folder_stat(fs->folder, i, &named) &&
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
    if (fdatasync(fs->fd[i]) < 0) /* dirty pages would stay */
      return err_sys(err, "Failed to synchronise file '%s'", name);
    rc = posix_fadvise(fs->fd[i], 0, 0, POSIX_FADV_DONTNEED);
    if (rc != 0) {
      errno = rc;
      return err_sys(err, "Cannot drop file '%s' from the page cache", name);
    }
  }
  return 0;
}

/* ---- room for files ---- */

enum {
  MISSING_IN_A_ROW = 1000,
  FIRST_ROOM = 64
};

/* Bytes on the disk of existing files, each up to `max`, until there are
 * `enough`. */
static uint64_t files_room_bytes_there(const struct folder *folder,
                                       uint64_t files, uint64_t max,
                                       uint64_t enough)
{
  uint64_t sum = 0;
  unsigned missing = 0;

  for (uint64_t i = 0; i < files && missing < MISSING_IN_A_ROW && sum < enough;
       i++) {
    struct stat st;

    if (!files_folder_stat(folder, i, &st)) {
      missing++;
      continue;
    }
    missing = 0;
    sum += (uint64_t)st.st_blocks * 512 < max ? (uint64_t)st.st_blocks * 512
                                              : max;
  }
  return sum;
}

int files_check_room(const struct folder *folder, const struct layout *layout,
                     struct err *err)
{
  const struct space space = space_look("", folder->fd);
  const uint64_t room = space_free(&space);
  const uint64_t each = space_of_file(&space, layout->per_file * layout->block);
  const uint64_t all = each > UINT64_MAX / layout->files ? UINT64_MAX
                                                         : each * layout->files;
  char need[FMT_SIZE_SIZE], has[FMT_SIZE_SIZE];
  uint64_t there;

  if (all <= room)
    return 0;
  there = files_room_bytes_there(folder, layout->files, each, all - room);
  if (all - there <= room)
    return 0;
  return err_set(err, -ENOSPC,
                 "%s needed in '%s', %s %s; choose a smaller "
                 "--file-total-size or another --file-dir, or use --force to "
                 "go on anyway",
                 fmt_size(need, all - there),
                 folder->path[0] == '\0' ? "." : folder->path,
                 fmt_size(has, room), space_words(&space));
}

bool files_room_is_error(int code)
{
  return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

const char *files_room_error_words(int code)
{
  switch (code) {
  case EDQUOT:
    return "the disk quota is used up";
  case EFBIG:
    return "it would be larger than the system allows (see ulimit -f)";
  default:
    return "no space is left";
  }
}

int taken_add(struct taken *t, const struct folder *folder, struct err *err)
{
  struct stat st;

  if (t->n == t->room) {
    const uint64_t room = t->room > 0 ? 2 * t->room : FIRST_ROOM;
    uint64_t *more = reallocarray(t->length, room, sizeof(*more));

    if (!more)
      return err_set(err, -ENOMEM, "not enough memory for the list of files");
    t->length = more;
    t->room = room;
  }
  t->length[t->n] = files_folder_stat(folder, t->first + t->n * t->step, &st)
                      ? (uint64_t)st.st_size
                      : UINT64_MAX;
  t->n++;
  return 0;
}

static bool files_room_cut_file(const struct folder *folder, uint64_t file,
                                uint64_t length)
{
  struct err err;
  uint64_t now;
  bool ok;
  int fd;

  if (folder_open_file(folder, file, 0, false, &fd, &now, &err) < 0)
    return false;
  ok = now <= length || ftruncate(fd, (off_t)length) == 0;
  return close(fd) == 0 && ok;
}

bool taken_undo(const struct taken *t, const struct folder *folder,
                bool *ret_cut)
{
  bool all = true;

  *ret_cut = false;
  for (uint64_t i = 0; i < t->n; i++) {
    const uint64_t file = t->first + i * t->step;
    struct err err;
    bool ok;

    if (t->length[i] == UINT64_MAX) {
      ok = folder_remove(folder, file, &err) == 0;
    } else {
      ok = files_room_cut_file(folder, file, t->length[i]);
      *ret_cut = true;
    }
    all &= ok;
  }
  return all;
}

void taken_done(struct taken *t)
{
  free(t->length);
  t->length = NULL;
  t->n = t->room = 0;
}
