/*
 * cleanup.c - the cleanup command: removes as many of the files as possible,
 * and reports the first that cannot be removed.
 */
#include "base/err.h"
#include "base/log.h"
#include "base/parse.h"
#include "run/peers.h"
#include "run/plan.h"
#include "tests/fileio/fileio.h"

int fileio_cleanup(const struct plan *plan, const void *arg, struct err *err)
{
  const struct fileio_cfg *cfg = arg;
  struct folder folder;
  unsigned part, parts;
  int rc;

  peers_divide_folder(plan, cfg->dir, &part, &parts);
  if (*cfg->device != '\0') {
    log_msg(LOG_NOTICE, "Nothing to remove: %s stays as it is.\n", cfg->device);
    return 0;
  }
  rc = folder_open(&folder, cfg->dir, err);
  if (rc < 0)
    return rc;
  (void)parse_size(cfg->block_size, &folder.block); /* 0: several sizes */
  folder.force = plan->cfg.force;
  log_msg(LOG_NOTICE, "Removing test files...\n");
  for (uint64_t i = part; i < cfg->num; i += parts) {
    struct err why;
    const int removed = folder_remove(&folder, i, &why);

    if (removed < 0 && rc == 0) {
      rc = removed;
      *err = why;
    }
  }
  folder_close(&folder);
  return rc;
}
