/*
 * cmdline_opts.c - the options about the command line itself.
 */
#include "opt/cmdline.h"

static const char *const compat_words[] = { "1.0", "1.1", NULL };

const struct opt cmdline_opts[] = {
  {
    OPT_BOOL(struct cmdline_cfg, help),
    .name = "help",
    .def = "off",
    .expected = "on, off or all",
    .help = "print the help and exit",
    .more = "; --help=all: every option",
    .man = "The help fits on one screen; --help=all prints all options. After "
           "the name of a test, only its options are printed.",
  },
  {
    OPT_BOOL(struct cmdline_cfg, version),
    .name = "version",
    .def = "off",
    .help = "print the version and exit",
    .man = "The version is one line. With --debug, or --verbosity=5, a list of "
           "what is built in follows: "
           "Lua, database drivers, I/O modes of the fileio test, the plug-in "
           "for several machines.",
  },
  {
    OPT_FILE(struct cmdline_cfg, config_file),
    .name = "config-file",
    .flags = OPT_COMMON,
    .help = "read options from a file",
    .man = "Each line is NAME = VALUE, or the name of a switch. A value that "
           "has blanks or commas, or begins with #, is put in quotes; # at "
           "the beginning of a line or after a blank begins a comment (see "
           "FILES). Options of other tests are skipped. Options before this "
           "one are overridden by the file, "
           "options after it override the file.",
  },
  OPT_END,
};

const struct opt cmdline_test_opts[] = {
  {
    OPT_WORD(struct cmdline_cfg, compat),
    .name = "compat",
    .flags = OPT_OWN,
    .def = "1.0",
    .words = compat_words,
    .help = "report layout and default random distribution {1.0,1.1}",
    .man = "The option selects the layout and wording of the reports and the "
           "default of --rand-type, nothing else. The environment variable "
           "BENCH_COMPAT "
           "sets the same value; the option wins over it.",
  },
  {
    OPT_STRING(struct cmdline_cfg, test),
    .name = "test",
    .flags = OPT_HIDDEN | OPT_NOT_EMPTY,
    .expected = "the name or the path of a test",
    .help = "deprecated form of the test name",
  },
  OPT_END,
};
