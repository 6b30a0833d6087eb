/*
 * relay.h - --rtt: a thread passes bytes between sessions and a local server,
 * half of the round trip later.  It keeps order, ends and resets.  A new
 * connection takes three trips to the server, as with TCP.
 */
#ifndef BENCH_DB_RELAY_H
#define BENCH_DB_RELAY_H

#include <stdint.h>

struct err;
struct relay;

enum {
  RELAY_PATH = 108
};

/* Valid until relay_free(). */
struct relay_place {
  char port[8]; /* at the same address */
  char folder[RELAY_PATH];
  char path[RELAY_PATH]; /* in `folder`, with the server's name */
};

int relay_new(struct relay **ret, uint64_t rtt_ns, struct err *err);
/* WAITS for bytes under way.  `r` can be NULL, here and below. */
void relay_stop(struct relay *r);
void relay_free(struct relay *r);

/* Mean of all connections; 0: unknown. */
uint64_t relay_round_trip_ns(const struct relay *r);

/* Where to connect instead; *ret is NULL if `r` is.  WAITS for a new server.
 * -EADDRNOTAVAIL: not on this machine; else as connect(). */
int relay_to_host(struct relay *r, const char *host, const char *port,
                  uint64_t until_ns, const struct relay_place **ret,
                  struct err *err);
/* '@': abstract. */
int relay_to_path(struct relay *r, const char *path, uint64_t until_ns,
                  const struct relay_place **ret, struct err *err);

#endif
