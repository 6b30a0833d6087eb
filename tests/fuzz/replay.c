/*
 * replay.c - runs a fuzz target over its corpus without a fuzzer: every file,
 * and each of its beginnings.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum {
  INPUT_MAX = 1 << 20,
  CUT_MAX = 4096, /* the beginnings of larger files take too long */
};

static uint8_t input[INPUT_MAX];

/* Of exactly this size, so that reading beyond it is found. */
static void try(size_t size)
{
  uint8_t *copy = malloc(size ? size : 1);

  MUST(copy);
  memcpy(copy, input, size);
  (void)LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static bool replay(const char *path)
{
  FILE *f = fopen(path, "rb");
  size_t size;

  if (!f)
    return false;
  size = fread(input, 1, sizeof(input), f);
  (void)fclose(f);
  if (size == 0)
    return false;
  try(size);
  for (size_t cut = 0; cut < size && size <= CUT_MAX; cut++)
    try(cut);
  return true;
}

/* Files are inputs, folders hold them; without arguments: the corpus. */
static unsigned replay_folder(const char *folder)
{
  DIR *dir = opendir(folder);
  const struct dirent *e;
  char path[4096];
  unsigned n = 0;

  while (dir && (e = readdir(dir)) != NULL) {
    if (e->d_name[0] == '.')
      continue;
    (void)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
    if (!replay(path)) {
      printf("# cannot read %s\n", path);
      n = 0;
      break;
    }
    n++;
  }
  if (dir)
    (void)closedir(dir);
  return n;
}

int main(int argc, char **argv)
{
  const char *src = getenv("BENCH_SRC");
  char folder[2048];
  unsigned n = 0;

  (void)alarm(600); /* an input that is read for ever */
  (void)snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/" CORPUS,
                 src ? src : ".");
  for (int i = 1; i < argc; i++)
    n += replay(argv[i]);
  if (argc <= 1)
    n = replay_folder(folder);
  printf("%s 1 - %u inputs\n1..1\n", n > 0 ? "ok" : "not ok", n);
  return n == 0;
}
