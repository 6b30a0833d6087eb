/*
 * device.c - block devices instead of files.
 */
#include "tests/fileio/device.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "tests/fileio/options.h"

static int refuse(const char *path, const char *expected, struct err *err)
{
  return err_set(err, -EINVAL,
                 "Invalid value for --file-device: '%s' (expected %s)", path,
                 expected);
}

static int look(struct folder *f, const struct fileio_cfg *cfg, struct err *err)
{
  const char *path = cfg->device;
  struct stat st;
  off_t end;

  if (stat(path, &st) < 0)
    return err_sys(err, "Cannot open device '%s'", path);
  if (!S_ISBLK(st.st_mode))
    return refuse(path, "a block device; files are found by --file-dir", err);
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
    return refuse(path, "a device that has a size", err);
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

int device_or_folder(struct folder *f, const struct fileio_cfg *cfg,
                     bool writes, struct err *err)
{
  f->fd = -1;
  f->device_bytes = 0;
  if (*cfg->device == '\0')
    return folder_open(f, cfg->dir, err);
  f->path = cfg->device;
  f->read_only = !writes;
  return look(f, cfg, err);
}
