/*
 * light.h - sessions that keep their socket, and nothing of the client library.
 *
 * The library has objects of 20 KiB for each connection, which serve the login.
 * Where the wire backend executes all statements, a session can do without
 * them: it is "light" then, and `mysql` is NULL while it is open.
 */
#ifndef BENCH_DRIVERS_MYSQL_LIGHT_H
#define BENCH_DRIVERS_MYSQL_LIGHT_H

struct mysql_session;

/*
 * Take the socket over, and free what the library has.  The server does not
 * notice.  Nothing changes where the library is still needed, or if a system
 * call fails.
 */
void mysqld_light_make(struct mysql_session *s);

/* End a light session, without a wait. */
void mysqld_light_close(struct mysql_session *s);

#endif
