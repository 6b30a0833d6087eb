/*
 * tool_list.c - the tools of the program.
 */
#include <stddef.h>

#include "tools/tool.h"

const struct tool *const tool_list[] = { &tool_compare, &tool_report,
                                         &tool_rerun, NULL };
