/*
 * arrival.h - a session is opened without libpq: the socket, the question for
 * TLS, the login, each step with its time.
 *
 * Failures are in the words of the library.  What only the library can do is
 * VISIT_CANNOT, with the reason: logins with a service, a certificate, a
 * password from a file, and all that have to be encrypted.
 */
#ifndef BENCH_DRIVERS_PGSQL_ARRIVAL_H
#define BENCH_DRIVERS_PGSQL_ARRIVAL_H

#include "drivers/pgsql/greet.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/trip.h"

struct pgsql_arrival {
  struct trip trip;
  struct pgsql_session *p; /* borrowed */
  struct outcome *out;     /* borrowed */
  struct pgsql_params params;
  const char *port;
  char address[WIRE_ADDRESS_MAX]; /* numeric; "": none yet, or a socket */
  struct pgsql_greet_who who;
  struct pgsql_greet greet;
};

/*
 * Open a session until v->until_ns, and log in; afterwards the server is ready.
 * The caller ends the arrival in any case.  Both it and `v` stay where they
 * are.  WAITS.
 */
enum visit_rc pgsql_arrive(struct pgsql_arrival *a, struct session *s,
                           struct visit *v, struct outcome *out);
/* Send what is to be sent, and read until the server is ready.  WAITS. */
enum visit_rc pgsql_arrival_talk(struct pgsql_arrival *a);
/* Something else has failed: the memory. */
enum visit_rc pgsql_arrival_no_memory(struct pgsql_arrival *a);
/* Close the socket, if it is still here, and give back all that there is. */
void pgsql_arrival_done(struct pgsql_arrival *a);

#endif
