/*
 * test_fileio_wear.c - which devices are counted, and the comparison.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/facts.h"
#include "tests/fileio/wear.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-wear-XXXXXX";

/* Makes a file with this text, or a link to it, and the folders above. */
static void put(const char *name, const char *text, bool is_link)
{
  char full[512];
  FILE *f;

  (void)snprintf(full, sizeof(full), "%s/%s", root, name);
  for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
    *at = '\0';
    (void)mkdir(full, 0700);
    *at = '/';
  }
  (void)unlink(full);
  if (is_link) {
    MUST(symlink(text, full) == 0);
    return;
  }
  f = fopen(full, "we");
  MUST(f);
  MUST(fputs(text, f) >= 0 && fclose(f) == 0);
}

/* A device has written so many sectors. */
static void sectors(const char *device, unsigned n)
{
  char name[128], text[128];

  (void)snprintf(name, sizeof(name), "sys/class/block/%s/stat", device);
  (void)snprintf(text, sizeof(text), " 1 2 3 4 5 6 %8u 8 9 10 11\n", n);
  put(name, text, false);
}

static void plain_disk(void)
{
  struct facts facts = { 0 };
  struct wear w;
  uint64_t bytes;

  put("sys/dev/block/8:1", "../../devices/pci/block/sda/sda1", true);
  sectors("sda1", 1000);
  wear_find(&w, root, makedev(8, 1));
  OK(strcmp(w.name, "sda1") == 0 && w.n == 1, "a partition is itself");
  OK(wear_read(&w, &bytes) && bytes == 512000, "sectors have 512 bytes");
  wear_start(&w, 2);
  sectors("sda1", 1048);
  wear_add(&w, 8192);
  wear_facts(&w, &facts);
  OK(facts_find(&facts, "device_writes.unknown") &&
       !facts_find(&facts, "device_writes.device_bytes"),
     "no figure before the last worker has ended");
  facts_done(&facts);
  sectors("sda1", 1064);
  wear_add(&w, 8192);
  facts = (struct facts){ 0 };
  wear_facts(&w, &facts);
  OK(facts_find(&facts, "device_writes.device_bytes")->integer == 64 * 512 &&
       facts_find(&facts, "device_writes.test_bytes")->integer == 16384 &&
       facts_find(&facts, "device_writes.amplification")->real == 2,
     "the device wrote twice as much");
  facts_done(&facts);
}

static void stacked_disks(void)
{
  struct wear w;
  uint64_t bytes;

  /* A logical volume on a mirror of two partitions, and on one of them again.
   */
  put("sys/dev/block/253:0", "../../devices/virtual/block/dm-0", true);
  sectors("dm-0", 5);
  put("sys/class/block/dm-0/slaves/md0", "", false);
  put("sys/class/block/dm-0/slaves/sdb1", "", false);
  sectors("md0", 7);
  put("sys/class/block/md0/slaves/sdb1", "", false);
  put("sys/class/block/md0/slaves/sdc1", "", false);
  sectors("sdb1", 20);
  sectors("sdc1", 30);
  wear_find(&w, root, makedev(253, 0));
  OK(strcmp(w.name, "dm-0") == 0 && w.n == 2 && wear_read(&w, &bytes) &&
       bytes == 50 * 512,
     "the devices below count, each once");

  put("sys/dev/block/253:9", "../../devices/virtual/block/dm-9", true);
  put("sys/class/block/dm-9/slaves/dm-9", "", false);
  wear_find(&w, root, makedev(253, 9));
  OK(w.n == 0 && w.unknown, "a circle of devices is unknown");
}

static void unknown_disks(void)
{
  struct facts facts = { 0 };
  struct wear w;
  uint64_t bytes;

  wear_find(&w, root, makedev(0, 42));
  OK(w.n == 0 && w.unknown && !wear_read(&w, &bytes),
     "a file system without a device");
  wear_start(&w, 1);
  wear_add(&w, 100);
  wear_facts(&w, &facts);
  OK(facts.n == 1 && facts_find(&facts, "device_writes.unknown"),
     "there are no figures then");
  facts_done(&facts);

  put("sys/dev/block/8:17", "../../devices/pci/block/sdz/sdz1", true);
  wear_find(&w, root, makedev(8, 17));
  wear_start(&w, 1);
  OK(w.unknown, "a device without counts");
}

int main(void)
{
  char command[128];

  MUST(mkdtemp(root));
  plain_disk();
  stacked_disks();
  unknown_disks();
  (void)snprintf(command, sizeof(command), "rm -rf %s", root);
  MUST(system(command) == 0);
  return TAP_EXIT();
}
