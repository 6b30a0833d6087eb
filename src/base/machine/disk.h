/*
 * disk.h - finds the disk and the file system of a folder.
 */
#ifndef BENCH_MACHINE_DISK_H
#define BENCH_MACHINE_DISK_H

#include <stdbool.h>

/* "" if unknown. */
struct disk {
  char folder[512];  /* as given */
  char fs_type[64];  /* ext4 */
  char source[256];  /* /dev/sda1 */
  char options[256]; /* of the mount */
  char device[64];   /* sda1; "": none */
  bool rotational_known, rotational;
  unsigned long long size_bytes, free_bytes; /* of the file system */
};

void disk_find(struct disk *ret, const char *folder);

/* The mount with the ID; unknown or missing: the last mount of the device,
 * which is on top. */
struct disk_mount {
  bool has_id;
  unsigned long long id;
  unsigned major, minor;
};

/* Sets file system, source and options; without such a mount, *d is
 * unchanged. */
void disk_find_mount(struct disk *d, const char *root,
                     const struct disk_mount *which);

#endif
