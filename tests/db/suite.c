/*
 * suite.c - runs the suite on one driver: --driver=NAME and its options;
 * with --raw its sessions are those of clients that share a thread, which log
 * in without the client library.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>

static const struct {
  enum ps_mode mode;
  const char *name;
} modes[] = {
  { PS_PREPARED, "prepared" },
  { PS_UNNAMED, "unnamed" },
  { PS_SIMPLE, "emulated" },
};

int main(int argc, char **argv)
{
  struct rig_settings set = { .argc = argc, .argv = argv };

  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
    set.ps_mode = modes[i].mode;
    if (set.ps_mode == PS_UNNAMED && strcmp(argv[1], "--driver=pgsql") != 0)
      continue; /* others have no such statements */
    printf("# statements are %s\n", modes[i].name);
    suite_values(&set);
    suite_results(&set);
    suite_rows(&set);
    suite_errors(&set);
    suite_pipeline(&set);
    if (set.ps_mode == PS_UNNAMED)
      continue; /* the rest takes long, and does not depend on names */
    suite_threads(&set);
    suite_time(&set);
  }
  return tap_end();
}
