/*
 * wear.c - how much the device below the files has written.
 */
#include "tests/fileio/wear.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/facts.h"
#include "base/log.h"

#define SECTOR 512   /* the unit of the counts, whatever the device has */
#define NESTED_MAX 8 /* devices upon devices */
#define MIB 1048576.0

/* Returns false if the name does not fit. */
static bool copy_name(char to[WEAR_NAME_MAX], const char *name)
{
  const size_t len = strlen(name);

  if (len >= WEAR_NAME_MAX)
    return false;
  memcpy(to, name, len + 1);
  return true;
}

static bool has(const struct wear *w, const char *name)
{
  for (unsigned i = 0; i < w->n; i++) {
    if (strcmp(w->below[i], name) == 0)
      return true;
  }
  return false;
}

/* Adds the devices below `name`, or itself if it lies on no other. */
static bool add(struct wear *w, const char *name, unsigned depth)
{
  char path[PATH_MAX];
  const struct dirent *entry;
  bool upon = false, ok = depth < NESTED_MAX;
  DIR *dir;

  (void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/slaves", w->root,
                 name);
  dir = opendir(path);
  while (dir && ok && (entry = readdir(dir)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    upon = true;
    ok = add(w, entry->d_name, depth + 1);
  }
  if (dir)
    (void)closedir(dir);
  if (upon || !ok || has(w, name))
    return ok;
  return w->n < WEAR_DEVICES_MAX && copy_name(w->below[w->n++], name);
}

/* The name of a device is the last part of the link that its number has. */
static bool find_name(struct wear *w, dev_t number)
{
  char path[PATH_MAX], target[PATH_MAX];
  const char *end;
  ssize_t n;

  (void)snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", w->root,
                 major(number), minor(number));
  n = readlink(path, target, sizeof(target) - 1);
  if (n < 0)
    return false;
  target[n] = '\0';
  end = strrchr(target, '/');
  return copy_name(w->name, end ? end + 1 : target);
}

void wear_find(struct wear *w, const char *root, dev_t number)
{
  *w = (struct wear){ .root = root };
  if (!find_name(w, number) || !add(w, w->name, 0)) {
    w->n = 0;
    w->unknown = "the system names no device for these files";
  }
}

bool wear_read(const struct wear *w, uint64_t *ret_bytes)
{
  uint64_t sum = 0, sectors;
  char path[PATH_MAX];

  for (unsigned i = 0; i < w->n; i++) {
    bool ok;
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/stat", w->root,
                   w->below[i]);
    f = fopen(path, "re");
    ok = f && fscanf(f, "%*u %*u %*u %*u %*u %*u %" SCNu64, &sectors) == 1;
    if (f)
      (void)fclose(f);
    if (!ok)
      return false;
    sum += sectors * SECTOR;
  }
  *ret_bytes = sum;
  return w->n > 0;
}

void wear_start(struct wear *w, unsigned workers)
{
  atomic_store(&w->left, workers);
  if (!w->unknown && !wear_read(w, &w->before))
    w->unknown = "the system does not count what the device writes";
}

void wear_add(struct wear *w, uint64_t bytes)
{
  uint64_t now;

  (void)atomic_fetch_add(&w->test_bytes, bytes);
  if (atomic_fetch_sub(&w->left, 1) == 1 && !w->unknown && wear_read(w, &now))
    atomic_store(&w->device_bytes, now - w->before);
}

static const char *why_unknown(const struct wear *w)
{
  if (w->unknown)
    return w->unknown;
  if (atomic_load(&w->left) > 0)
    return "the run has not ended as it should";
  return atomic_load(&w->test_bytes) == 0 ? "the test has written nothing"
                                          : NULL;
}

static double factor(const struct wear *w)
{
  return (double)atomic_load(&w->device_bytes) /
         (double)atomic_load(&w->test_bytes);
}

void wear_tell(const struct wear *w)
{
  const char *unknown = why_unknown(w);

  if (unknown)
    log_msg(LOG_NOTICE, "\nWritten by the device: unknown, because %s\n",
            unknown);
  else
    log_msg(LOG_NOTICE,
            "\nWritten by device %s: %.2f MiB, %.2f times the %.2f MiB of the "
            "test\n",
            w->name, (double)atomic_load(&w->device_bytes) / MIB, factor(w),
            (double)atomic_load(&w->test_bytes) / MIB);
}

void wear_facts(const struct wear *w, struct facts *to)
{
  if (why_unknown(w)) {
    facts_text(to, "device_writes.unknown", why_unknown(w));
    return;
  }
  facts_text(to, "device_writes.device", w->name);
  facts_int(to, "device_writes.device_bytes",
            (int64_t)atomic_load(&w->device_bytes));
  facts_int(to, "device_writes.test_bytes",
            (int64_t)atomic_load(&w->test_bytes));
  facts_real(to, "device_writes.amplification", factor(w));
}
