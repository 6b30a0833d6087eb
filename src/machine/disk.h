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
  char source[256];  /* the mounted device: /dev/sda1 */
  char options[256]; /* of the mount */
  char device[64];   /* name in the list of block devices: sda1; "": none */
  bool rotational_known, rotational;
  unsigned long long size_bytes, free_bytes; /* of the file system */
};

void disk_find(struct disk *ret, const char *folder);

/* Identifies a mount: by its ID or, if that is unknown or not in the list, the
 * last one of the device, which is on top. */
struct disk_mount {
  bool has_id;
  unsigned long long id;
  unsigned major, minor;
};

/* Fill in what the list of mounts contains: file system, source and options.
 * Nothing is changed if there is no such mount.  `root` is that of the tree of
 * files. */
void disk_find_mount(struct disk *d, const char *root,
                     const struct disk_mount *which);

#endif
