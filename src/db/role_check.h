/*
 * role_check.h - whether a server has the role that --target asks for (for
 * src/db only).
 */
#ifndef BENCH_DB_ROLE_CHECK_H
#define BENCH_DB_ROLE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct conn;

/* Has the server of this connection to have a role?  One that is named by the
 * parameters of the connection has not, and in a dry run there is none. */
bool role_matters(const struct conn *c);

/*
 * Ask the server of the open session, and WAIT for the answer until that moment
 * (clock_now_ns()).  0: it has the role; -1 and c->out: it has another one
 * (`other_role`), or does not say.
 */
int role_check(struct conn *c, uint64_t until_ns);

/* The same without --target: does the server take writes?  Also true if it
 * answers, and does not say; false if the session breaks, or if it refuses its
 * service (error_policy.h). */
bool role_takes_writes(struct conn *c, uint64_t until_ns);

/* One that does not (`other_role`): may it be behind another one?  False only
 * if it says that it follows none: it is read-only for other reasons, such as
 * the defaults of a user.  WAITS for the answer; c->out stays, with `lost`. */
bool role_may_be_behind(struct conn *c, uint64_t until_ns);

#endif
