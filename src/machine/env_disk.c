/*
 * env_disk.c - the disk and file system of the test's folder, as facts.
 */
#include "base/facts.h"
#include "machine/disk.h"
#include "machine/env.h"

static void add(struct facts *f, const char *key, const char *text)
{
  if (text[0] != '\0')
    facts_text(f, key, text);
}

void env_disk(struct facts *f, const struct disk *d)
{
  add(f, "disk.folder", d->folder);
  add(f, "disk.device", d->device);
  add(f, "disk.file_system", d->fs_type);
  add(f, "disk.source", d->source);
  add(f, "disk.mount_options", d->options);
  if (d->rotational_known)
    facts_bool(f, "disk.rotational", d->rotational);
  facts_int(f, "disk.size_bytes", (int64_t)d->size_bytes);
  facts_int(f, "disk.free_bytes", (int64_t)d->free_bytes);
}
