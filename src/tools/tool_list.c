#include <stddef.h>

#include "tools/tool.h"
#include "verify/verify.h"

static const struct opt no_opts[] = { OPT_END };

const struct tool tool_doctor = {
  .name = "doctor",
  .summary = "check the machine, the server and the tables before a run",
  .usage = "[TEST] [OPTION]...",
  .opts = no_opts,
  .cfg_size = 1,
  .takes_any_option = true,
};

const struct tool tool_verify = {
  .name = "verify",
  .summary = "compare the log of a run with the database",
  .usage = "FILE... [OPTION]...",
  .opts = verify_opts,
  .cfg_size = sizeof(struct verify_cfg),
  .uses_database = true,
};

const struct tool *const tool_list[] = {
  &tool_compare, &tool_report,  &tool_merge,      &tool_rerun,
  &tool_doctor,  &tool_machine, &tool_database,   &tool_try,
  &tool_verify,  &tool_mark,    &tool_ack_listen, NULL
};
