/*
 * line.h - the queue of the clients that share a session: --pipeline.
 *
 * A client either has the line alone, for all that needs an answer before
 * anything else is sent; or it joins it with one request, which is sent behind
 * those of the clients before it, and reads its answer when they have read
 * theirs.  Both wait in one queue, first come, first served.
 */
#ifndef BENCH_DB_LINE_H
#define BENCH_DB_LINE_H

#include <stdbool.h>

struct db_env;

/*
 * Have the line alone; WAITS until all before are done.  It may be taken again
 * while it is had.  False: this place cannot wait.  Nothing happens, and it is
 * true, where the env has no line.
 */
bool line_enter(struct db_env *env);
void line_leave(struct db_env *env);

/* The session is there, and of use; who asks has the line alone. */
bool line_is_open(const struct db_env *env);

/* How often it could not be opened. */
unsigned line_failures(const struct db_env *env);

/* Is it had alone?  Also for the helper thread that works for this env. */
bool line_is_mine(const struct db_env *env);

/*
 * Join the line; WAITS until a request may be added.  False: this place cannot
 * wait.  Then the request is added, and line_await() WAITS until its answer is
 * the next one.  line_quit() at the end, or when no request could be added.
 */
bool line_join(struct db_env *env);
void line_added(struct db_env *env);
void line_await(struct db_env *env);
void line_quit(struct db_env *env);

/*
 * May the caller have the line without a wait, and nobody else until
 * line_let_go()?
 */
bool line_grab(struct db_env *env);
void line_let_go(struct db_env *env);

#endif
