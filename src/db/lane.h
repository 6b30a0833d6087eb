/*
 * lane.h - a driver whose sessions are shares in a session of another driver:
 * --pipeline.
 *
 * To the layer above, a lane is a session of one client, and all that is true
 * of a session is true of it: errors, losses, statements, limits.  Below, the
 * clients of a line (line.h) have one session, and each has one statement in
 * flight in it, which is sent behind those of the others.  The rows of its
 * answer are copied, so that the next client can read its own.
 *
 * An event is one statement.  A second one, or a transaction, is a misuse whose
 * text says which statement it was.
 *
 * What needs an answer before anything else is sent has the line alone: opening
 * the session, preparing, and statements outside of events.
 */
#ifndef BENCH_DB_LANE_H
#define BENCH_DB_LANE_H

struct db_env;
struct driver;
struct outcome;
struct session;

/*
 * What shares sessions of `real`; owned by the caller, free() it.  NULL and
 * *ret_why (static): it cannot be done, or there is no memory.
 */
const struct driver *lane_driver_new(const struct driver *real,
                                     const char **ret_why);

/*
 * Who has the line alone is going to open its session: what is left of a broken
 * one goes.  To be called in the thread of the clients, whose loop knows the
 * socket.
 */
void lane_clear_line(struct db_env *env);

/*
 * The server of an open lane has refused its service with this failure, and is
 * left: all clients of the line meet the same failure, and the first one that
 * opens its lane again opens the session elsewhere.
 */
void lane_leave_server(struct session *s, const struct outcome *out);

/* Who has the line alone has opened its session, on a server that will not do:
 * the next one opens it anew.  `out` [opt] says why. */
void lane_reject_server(struct session *s, struct outcome *out);

/* The line could not be had, or its session not be opened.  -1; `format` has
 * one %s. */
int lane_refuse(struct session *s, struct outcome *out, const char *format,
                const char *what);

/* The session could not be opened; clients that have waited for it meanwhile
 * share the failure, so that they do not wait for one of their own. */
void lane_note_failure(struct session *s, const struct outcome *out);
void lane_share_failure(struct session *s, struct outcome *out);

#endif
