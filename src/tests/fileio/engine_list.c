/*
 * engine_list.c - the I/O modes of this build.
 */
#include "tests/fileio/engine.h"

#include <stddef.h>

static const struct engine_ops *const engines[FILE_ENGINES] = {
  [FILE_ENGINE_SYNC] = &engine_sync,
  [FILE_ENGINE_MMAP] = &engine_mmap,
#ifdef HAVE_LIBAIO
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
