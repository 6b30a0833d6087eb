/*
 * engines.c - the I/O modes of this build.
 */
#include <errno.h>

#include "base/err.h"
#include "tests/fileio/engine.h"

static const struct engine_ops *const engines[FILE_ENGINES] = {
  [FILE_ENGINE_SYNC] = &engine_sync,
  [FILE_ENGINE_MMAP] = &engine_mmap,
#ifdef HAVE_LINUX_AIO
  [FILE_ENGINE_AIO] = &engine_aio,
#endif
#ifdef HAVE_LIBURING
  [FILE_ENGINE_URING] = &engine_uring,
#endif
};

const struct engine_ops *engine_find(enum file_engine which)
{
  return engines[which];
}

int engine_choose(const struct engine_ops **ret, const struct fileio_cfg *cfg,
                  struct err *err)
{
  const char *word = file_engine_words[cfg->io_mode];

  if (cfg->sqpoll && cfg->io_mode != FILE_ENGINE_URING)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-sqpoll: 'on' (expected off "
                   "without --file-io-mode=io_uring)");
  if (file_mode_database(cfg->mode) && cfg->io_mode != FILE_ENGINE_SYNC)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-io-mode: '%s' (expected sync with "
                   "--file-test-mode=%s)",
                   word, file_mode_words[cfg->mode]);
  if (cfg->trim > 0 && cfg->io_mode != FILE_ENGINE_SYNC &&
      cfg->io_mode != FILE_ENGINE_URING)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-io-mode: '%s' (expected sync or "
                   "io_uring with --file-trim)",
                   word);
  if (!engines[cfg->io_mode])
    return err_set(err, -ENOSYS,
                   "Invalid value for --file-io-mode: '%s' (this program was "
                   "built without it)",
                   word);
  *ret = cfg->mode == FILE_MODE_WAL ? &engine_wal : engines[cfg->io_mode];
  return 0;
}
