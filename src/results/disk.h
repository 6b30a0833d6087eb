/*
 * disk.h - on which disk and file system a folder is.
 */
#ifndef BENCH_RESULTS_DISK_H
#define BENCH_RESULTS_DISK_H

#include <stdbool.h>

/* "" where it is not known. */
struct disk {
  char folder[512];  /* as given */
  char fs_type[64];  /* ext4 */
  char source[256];  /* what is mounted there: /dev/sda1 */
  char options[256]; /* of the mount */
  char device[64];   /* name in the list of block devices: sda1; "": none */
  bool rotational_known, rotational;
  unsigned long long size_bytes, free_bytes; /* of the file system */
};

void disk_find(struct disk *ret, const char *folder);

#endif
