/*
 * room.h - checks whether there is room for the files, and takes them back if
 * there proves to be none.
 */
#ifndef BENCH_TESTS_FILEIO_ROOM_H
#define BENCH_TESTS_FILEIO_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct folder;
struct layout;

/*
 * Is there room in a folder for all files of the layout?  Existing files
 * already count.  -ENOSPC: there is not.
 */
int room_check(const struct folder *folder, const struct layout *layout,
               struct err *err);

/* Does the error of a write mean that there was no room? */
bool room_is_error(int code);

/* The error in words: "no space is left on the device". */
const char *room_error_words(int code);

/*
 * The earlier state of the files that a command has opened, in that order. {0}
 * has none; one thread at a time.
 */
struct taken {
  uint64_t first, step; /* numbers of the files: first, first + step, ... */
  uint64_t n, room;
  uint64_t *length; /* owned; UINT64_MAX: the file did not exist */
};

/* Call this before the next file is opened.  -ENOMEM. */
int taken_add(struct taken *t, const struct folder *folder, struct err *err);

/*
 * Remove the files that did not exist, and cut the others to their earlier
 * length.  False: it failed for some.  *ret_cut: there were others.
 */
bool taken_undo(const struct taken *t, const struct folder *folder,
                bool *ret_cut);

void taken_done(struct taken *t);

#endif
