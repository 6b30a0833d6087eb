/*
 * room.h - is there room for the files, and what becomes of them when there
 * proves to be none.
 */
#ifndef BENCH_TESTS_FILEIO_ROOM_H
#define BENCH_TESTS_FILEIO_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct folder;
struct layout;

/* Does a folder have room for all files of the layout?  What is there already
 * counts.  -ENOSPC: it does not. */
int room_check(const struct folder *folder, const struct layout *layout,
               struct err *err);

/* The error of a write: there was no room. */
bool room_is_error(int code);

/* In words: "no space is left on the device". */
const char *room_error_words(int code);

/* The files that a command has opened, in the order in which it did: what they
 * were before.  {0} has none; one thread at a time. */
struct taken {
  uint64_t first, step; /* numbers of the files: first, first + step, ... */
  uint64_t n, room;
  uint64_t *length; /* owned; UINT64_MAX: the file did not exist */
};

/* The next file is about to be opened.  -ENOMEM. */
int taken_add(struct taken *t, const struct folder *folder, struct err *err);

/* Remove the files that did not exist, cut the others to what they were.
 * False: not all could be.  *ret_cut: there were others. */
bool taken_undo(const struct taken *t, const struct folder *folder,
                bool *ret_cut);

void taken_done(struct taken *t);

#endif
