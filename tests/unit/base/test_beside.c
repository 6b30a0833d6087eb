/*
 * test_beside.c - files beside the program.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/beside.h"
#include "tests/unit/tap.h"

static bool same_file(const char *a, const char *b)
{
  struct stat of_a, of_b;

  return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

int main(void)
{
  char buf[PATH_MAX] = "", program[PATH_MAX] = "";
  char *below = malloc(PATH_MAX);
  const char *name;

  if (!below || !realpath("/proc/self/exe", program))
    return 1;
  name = strrchr(program, '/');
  OK(beside_program(buf, name) && same_file(buf, program),
     "the program is beside itself");
  OK(beside_program(buf, "") && strlen(buf) == (size_t)(name - program) &&
       strncmp(buf, program, strlen(buf)) == 0,
     "the folder has no slash at its end");
  OK(beside_program(buf, "/..") && buf[0] == '/', "a path from there");

  memset(below, 'x', PATH_MAX - 1);
  below[PATH_MAX - 1] = '\0';
  OK(!beside_program(buf, below) && buf[0] == '\0', "too long");
  below[PATH_MAX - 1 - strlen(program)] = '\0';
  OK(beside_program(buf, below), "long, and just short enough");
  free(below);
  return TAP_EXIT();
}
