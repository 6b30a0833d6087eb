/*
 * guard.h - what a server sends during a login of libpq, looked at before libpq
 * reads it.
 *
 * libpq sends the password in plain text to whoever asks for it, takes the end
 * of a login for granted that has left out the server's proof, and computes as
 * many hashes as a server wants.  Until the login is over, or TLS has begun,
 * libpq therefore has one end of a pair of sockets in place of its connection,
 * and whole requests for passwords are passed on only after a look at them.
 * Nothing is read from the connection that is not passed on, so it is given
 * back as libpq would have left it.
 */
#ifndef BENCH_DRIVERS_PGSQL_GUARD_H
#define BENCH_DRIVERS_PGSQL_GUARD_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pgsql_guard_state {
  GUARD_OFF,     /* libpq has the connection */
  GUARD_REQUEST, /* the first bytes of libpq */
  GUARD_LETTER,  /* the answer to a request for encryption */
  GUARD_LOGIN,   /* messages of the server */
  GUARD_OVER,    /* libpq still has to read the last one */
};

enum {
  GUARD_MESSAGE = 2048 /* libpq refuses longer requests */
};

struct pgsql_guard {
  bool cleartext; /* the password may be sent as it is: the caller sets it */

  enum pgsql_guard_state state;
  int real;           /* owned: the connection */
  int ours;           /* owned: the other end of what libpq has */
  size_t have, pass;  /* bytes of a message that are kept, or come unseen */
  bool scram, proven; /* the login is one of SCRAM; the server knows the key */
  char type;          /* of the message */
  uint8_t message[GUARD_MESSAGE];
  char why[256]; /* a line: why the login was refused */
};

/*
 * Call this before the library goes on.  True: it may.  False: the server asks
 * for something that it must not get, or the system lacks sockets; g->why says
 * so.
 */
bool pgsql_guard_look(struct pgsql_guard *g, PGconn *conn);

/* Call this after it has gone on: what it has sent goes to the server, until
 * that moment at the latest; then the connection breaks. */
void pgsql_guard_pass_on(struct pgsql_guard *g, PGconn *conn,
                         uint64_t until_ns);

/* The connection from which bytes are awaited. */
int pgsql_guard_fd(const struct pgsql_guard *g, PGconn *conn);

/* The login is over: libpq gets its connection back, if it is open. */
void pgsql_guard_end(struct pgsql_guard *g, PGconn *conn);

#endif
