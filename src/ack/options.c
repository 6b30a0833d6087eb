/*
 * options.c - see options.h.
 */
#include "ack/options.h"

#include <string.h>

/* An address is no file: who gives one means another machine. */
static bool is_file(const char *text)
{
  return strncmp(text, "tcp:", 4) != 0;
}

const struct opt ack_opts[] = {
  {
    OPT_STRING(struct ack_cfg, log),
    .name = "ack-log",
    .def = "",
    .flags = OPT_OWN | OPT_PATH,
    .check = is_file,
    .expected = "the name of a file of this machine",
    .show_as = "=FILE",
    .help = "write down what the server has acknowledged, for bench verify",
    .man = "Before a COMMIT is sent, the number that the script gives to "
           "sysbench.ack() is stored as an intent, and after the answer its "
           "outcome: acknowledged, aborted, or unknown, if the connection was "
           "lost in between. The file is mapped into memory: what is in it "
           "survives when bench is killed. It must not be on a machine that "
           "is going to fail.",
  },
  OPT_END,
};
