/*
 * options.c - the options that name the members of a mix.
 */
#include "mix/options.h"

static const char *const orders[] = { "random", "deck", NULL };

const struct opt mix_opts[] = {
  {
    OPT_LIST(struct mix_cfg, members),
    .name = "mix",
    .flags = OPT_OWN | OPT_NOT_EMPTY | OPT_NO_GAPS | OPT_PATH,
    .show_as = "=SCRIPT[@WEIGHT],...",
    .expected = "a comma-separated list of scripts, as in "
                "oltp_read_only@70,./own.lua@30",
    .help = "run several scripts or files of SQL as one test",
    .man = "Each client chooses a script for each event, with the weights "
           "after @ (1 if there is none). SCRIPT:CLIENTS in all places gives "
           "each script clients of its own, and SCRIPT:CLIENTS:rate=N also a "
           "rate of its own. An option of one script is written "
           "--SCRIPT.NAME=VALUE; without the name it applies to all that have "
           "it. NAME= before a script gives it another name.",
  },
  {
    OPT_WORD(struct mix_cfg, order),
    .name = "mix-choice",
    .flags = OPT_OWN,
    .def = "random",
    .words = orders,
    .help = "how clients choose the scripts of a mix",
    .man = "With \"random\", each event is drawn by itself. With \"deck\", "
           "each client shuffles a deck of cards, one for each unit of weight, "
           "and draws them all before it shuffles again: then the shares are "
           "exact.",
  },
  OPT_END,
};
