/*
 * torture.h - an action again and again, with the first allocation failing,
 * then the second, until none fails.
 *
 * A program that uses this is linked with $(TORTURE_FLAGS), which send its own
 * allocations and those of libbench.a through torture.c.  Under ASan, what is
 * lost on the way is found at the end.
 */
#ifndef TESTS_UNIT_TORTURE_H
#define TESTS_UNIT_TORTURE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * 0: all was done, and the action has checked the result.  -ENOMEM and a text:
 * it has found that memory ran out.  What else it returns is a failed test; a
 * result that is incomplete is -EIO.
 */
typedef int torture_action(void *ctx, struct err *err);

/*
 * Twice: once nothing more is given after the failure, once it is the only one.
 * Returns how many allocations the action makes; 0: it failed, and a TAP
 * comment says where.
 */
long torture(torture_action *action, void *ctx);

/* In an action: no failures here, because it only checks. */
void torture_pause(bool pause);

#endif
