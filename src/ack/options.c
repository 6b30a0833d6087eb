#include "ack/options.h"

#include "ack/link.h"

const struct opt ack_opts[] = {
  {
    OPT_STRING(struct ack_cfg, log),
    .name = "ack-log",
    .group = "Checks",
    .def = "",
    .flags = OPT_OWN | OPT_PATH,
    .check = ack_link_is_place,
    .expected = "the name of a file, or tcp:HOST:PORT of bench ack-listen",
    .show_as = "=FILE|tcp:HOST:PORT[,token-file=FILE]",
    .help = "log each commit that the server acknowledges, for bench verify",
    .man =
      "Before a COMMIT is sent, the number that the script gives to "
      "sysbench.ack() is stored as an intent, and after the answer its "
      "outcome: acknowledged, aborted, or unknown, if the connection was "
      "lost in between. The file is mapped into memory, so its contents "
      "survive when bench is killed. Keep it on a machine that the test does "
      "not crash. With tcp:HOST:PORT the log goes to bench "
      "ack-listen on another machine, every 10 ms, by a separate thread. "
      "The records there survive a crash of this machine. "
      "Clients never wait for the listener. Its token, if it has one, is "
      "the first line of the token-file, which only its owner must be "
      "able to read.",
  },
  OPT_END,
};
