/*
 * room.c - checks the room for the files, and takes them back.
 */
#include "tests/fileio/room.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/space.h"
#include "tests/fileio/files.h"
#include "tests/fileio/layout.h"

enum {
  MISSING_IN_A_ROW = 1000, /* after these, no more files are looked for */
  FIRST_ROOM = 64
};

/*
 * Returns the bytes on the disk that the files of earlier commands have, each
 * up to `max`.  It stops looking when they are `enough`.
 */
static uint64_t bytes_there(const struct folder *folder, uint64_t files,
                            uint64_t max, uint64_t enough)
{
  uint64_t sum = 0;
  unsigned missing = 0;

  for (uint64_t i = 0; i < files && missing < MISSING_IN_A_ROW && sum < enough;
       i++) {
    struct stat st;

    if (!folder_stat(folder, i, &st)) {
      missing++;
      continue;
    }
    missing = 0;
    sum += (uint64_t)st.st_blocks * 512 < max ? (uint64_t)st.st_blocks * 512
                                              : max;
  }
  return sum;
}

int room_check(const struct folder *folder, const struct layout *layout,
               struct err *err)
{
  const struct space space = space_look("", folder->fd);
  const uint64_t room = space_free(&space);
  const uint64_t each = space_of_file(&space, layout->per_file * layout->block);
  const uint64_t all = each > UINT64_MAX / layout->files ? UINT64_MAX
                                                         : each * layout->files;
  char need[FMT_SIZE_SIZE], has[FMT_SIZE_SIZE];
  uint64_t there;

  if (all <= room)
    return 0;
  there = bytes_there(folder, layout->files, each, all - room);
  if (all - there <= room)
    return 0;
  return err_set(err, -ENOSPC,
                 "%s needed in '%s', %s %s; choose a smaller "
                 "--file-total-size or another --file-dir, or use --force to "
                 "go on anyway",
                 fmt_size(need, all - there),
                 folder->path[0] == '\0' ? "." : folder->path,
                 fmt_size(has, room), space_words(&space));
}

bool room_is_error(int code)
{
  return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

const char *room_error_words(int code)
{
  switch (code) {
  case EDQUOT:
    return "the disk quota is used up";
  case EFBIG:
    return "it would be larger than the system allows (see ulimit -f)";
  default:
    return "no space is left";
  }
}

int taken_add(struct taken *t, const struct folder *folder, struct err *err)
{
  struct stat st;

  if (t->n == t->room) {
    const uint64_t room = t->room > 0 ? 2 * t->room : FIRST_ROOM;
    uint64_t *more = reallocarray(t->length, room, sizeof(*more));

    if (!more)
      return err_set(err, -ENOMEM, "not enough memory for the list of files");
    t->length = more;
    t->room = room;
  }
  t->length[t->n] = folder_stat(folder, t->first + t->n * t->step, &st)
                      ? (uint64_t)st.st_size
                      : UINT64_MAX;
  t->n++;
  return 0;
}

static bool cut_file(const struct folder *folder, uint64_t file,
                     uint64_t length)
{
  struct err err;
  uint64_t now;
  bool ok;
  int fd;

  if (folder_open_file(folder, file, 0, false, &fd, &now, &err) < 0)
    return false;
  ok = now <= length || ftruncate(fd, (off_t)length) == 0;
  return close(fd) == 0 && ok;
}

bool taken_undo(const struct taken *t, const struct folder *folder,
                bool *ret_cut)
{
  bool all = true;

  *ret_cut = false;
  for (uint64_t i = 0; i < t->n; i++) {
    const uint64_t file = t->first + i * t->step;
    struct err err;
    bool ok;

    if (t->length[i] == UINT64_MAX) {
      ok = folder_remove(folder, file, &err) == 0;
    } else {
      ok = cut_file(folder, file, t->length[i]);
      *ret_cut = true;
    }
    all &= ok;
  }
  return all;
}

void taken_done(struct taken *t)
{
  free(t->length);
  t->length = NULL;
  t->n = t->room = 0;
}
