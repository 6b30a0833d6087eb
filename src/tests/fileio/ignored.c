/*
 * ignored.c - warnings about options that have no effect beside others.
 */
#include "tests/fileio/ignored.h"

#include "base/err.h"
#include "base/log.h"
#include "opt/optset.h"
#include "tests/fileio/options.h"

static void warn_if(bool given, const char *name, const char *why)
{
  if (given)
    log_msg(LOG_WARNING, "--%s has no effect %s", name, why);
}

static bool has_queue(const struct fileio_cfg *cfg)
{
  return cfg->io_mode == FILE_ENGINE_AIO || cfg->io_mode == FILE_ENGINE_URING;
}

static void warn_of_run(const struct fileio_cfg *cfg,
                        const struct fileio_cfg *usual)
{
  static const char no_queue[] =
    "without --file-io-mode=async or io_uring: each thread has one request at "
    "a time";
  static const char own_sync[] =
    "in this --file-test-mode, which decides itself when to synchronise";

  if (!has_queue(cfg)) {
    warn_if(cfg->backlog != usual->backlog,
            "file-async-backlog (--file-iodepth)", no_queue);
    warn_if(cfg->batch != usual->batch, "file-batch", no_queue);
  }
  if (file_mode_database(cfg->mode)) {
    warn_if(cfg->fsync_freq != usual->fsync_freq, "file-fsync-freq", own_sync);
    warn_if(cfg->fsync_all, "file-fsync-all", own_sync);
  }
  warn_if(cfg->steady == 0 && cfg->steady_window_s != usual->steady_window_s,
          "file-steady-window", "without --file-steady");
}

/* An option counts as given if its value is not the default. */
static bool find_defaults(struct fileio_cfg *ret)
{
  struct optset set;
  struct err err;
  int rc;

  optset_init(&set, COMPAT_1_0);
  rc = optset_add(&set, OPT_SECTION_TEST, "fileio", fileio_opts, ret, &err);
  optset_done(&set);
  return rc == 0;
}

void ignored_warn(const struct fileio_cfg *cfg, bool run)
{
  static const char on_device[] =
    "with --file-device; --file-device-size limits what is used of it";

  struct fileio_cfg usual;

  if (!find_defaults(&usual))
    return;
  if (run)
    warn_of_run(cfg, &usual);
  if (*cfg->device == '\0') {
    warn_if(cfg->yes_destroy, "yes-destroy", "without --file-device");
    return;
  }
  warn_if(cfg->num != usual.num, "file-num", on_device);
  warn_if(cfg->total_size != usual.total_size, "file-total-size", on_device);
  warn_if(*cfg->dir != '\0', "file-dir", "with --file-device");
}
