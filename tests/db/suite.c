/*
 * suite.c - runs the suite on one driver: --driver=NAME and its options;
 * with --raw its sessions are those of clients that share a thread, which log
 * in without the client library.
 */
#include "suite.h"

#include <stdio.h>

int main(int argc, char **argv)
{
  struct rig_settings set = { .argc = argc, .argv = argv };

  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (int mode = PS_AUTO; mode <= PS_DISABLE; mode++) {
    set.ps_mode = mode;
    printf("# statements are %s\n", mode == PS_AUTO ? "prepared" : "emulated");
    suite_values(&set);
    suite_results(&set);
    suite_rows(&set);
    suite_errors(&set);
    suite_threads(&set);
    suite_pipeline(&set);
    suite_time(&set);
  }
  return tap_end();
}
