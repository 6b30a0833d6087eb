/*
 * torture.h - repeats an action, with the first allocation failing, then the
 * second, until none fails.
 *
 * A program that uses this is linked with $(TORTURE_FLAGS), which send its own
 * allocations and those of libbench.a through torture.c.  Under ASan, leaks are
 * found at the end.
 */
#ifndef TESTS_UNIT_TORTURE_H
#define TESTS_UNIT_TORTURE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Returns 0 if all was done and the action has checked the result, or -ENOMEM
 * and a text if it noticed that memory ran out.  Anything else is a failed
 * test; -EIO means that a result is incomplete.
 */
typedef int torture_action(void *ctx, struct err *err);

/*
 * Do everything twice: once all allocations after the failure fail, too, and
 * once it is the only one.  Returns how many allocations the action makes; 0:
 * it failed, and a TAP comment says where.
 */
long torture(torture_action *action, void *ctx);

/* Call this in an action: no failures from here on, because it only checks. */
void torture_pause(bool pause);

#endif
