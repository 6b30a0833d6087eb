/*
 * wear_run.c - in a run that writes: what the device wrote, beside what the
 * test wrote.
 */
#include "tests/fileio/wear_run.h"

#include <sys/stat.h>

#include "run/plan.h"
#include "run/worker.h"
#include "stats/recorder.h"
#include "tests/fileio/fileio.h"

/* One of several processes does not know what the others write. */
static bool is_wanted(const struct fileio *fio)
{
  return file_mode_writes(fio->cfg->mode) && fio->plan->parts <= 1;
}

/* Does everything reach the device before the run is over? */
static bool is_durable(const struct fileio *fio)
{
  return fio->cfg->fsync_end || fio->cfg->fsync_all || fio->flags != 0 ||
         file_mode_database(fio->cfg->mode);
}

void wear_run_begin(struct fileio *fio)
{
  struct stat st;
  dev_t number = 0;

  if (!is_wanted(fio))
    return;
  if (fstat(fio->files.fd[0], &st) == 0)
    number = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  wear_find(&fio->wear, "", number);
  if (!is_durable(fio))
    fio->wear.unknown =
      "without --file-fsync-end a part of it is still in the page cache";
  wear_start(&fio->wear, fio->plan->threads);
}

void wear_run_worker_ended(struct fileio *fio, const struct worker *w)
{
  if (is_wanted(fio))
    wear_add(&fio->wear,
             atomic_load(&w->recorder->counter[COUNTER_BYTES_WRITTEN]));
}

void wear_run_tell(const struct fileio *fio)
{
  if (is_wanted(fio) && fio->plan->identity != IDENTITY_SYSBENCH)
    wear_tell(&fio->wear);
}

void wear_run_facts(const struct fileio *fio, struct facts *to)
{
  if (is_wanted(fio))
    wear_facts(&fio->wear, to);
}
