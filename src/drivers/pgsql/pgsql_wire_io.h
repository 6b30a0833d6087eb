/*
 * pgsql_wire_io.h - bytes to and from the socket, and numbers in them.
 */
#ifndef BENCH_DRIVERS_PGSQL_PGSQL_WIRE_IO_H
#define BENCH_DRIVERS_PGSQL_PGSQL_WIRE_IO_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pgsql_wire;

enum {
  WIRE_HEAD = 5, /* type and length of a message */
  WIRE_MESSAGE_MAX = 0x7fffffff,
  WIRE_KEEP = 1024 * 1024, /* a larger buffer is given back */
};

static inline uint8_t *put_u8(uint8_t *to, uint8_t v)
{
  *to = v;
  return to + 1;
}
static inline uint8_t *put_u16(uint8_t *to, unsigned v)
{
  const uint16_t be = htobe16((uint16_t)v);

  memcpy(to, &be, sizeof(be));
  return to + sizeof(be);
}
static inline uint8_t *put_u32(uint8_t *to, uint32_t v)
{
  const uint32_t be = htobe32(v);

  memcpy(to, &be, sizeof(be));
  return to + sizeof(be);
}
static inline unsigned get_u16(const uint8_t *from)
{
  uint16_t be;

  memcpy(&be, from, sizeof(be));
  return be16toh(be);
}
static inline uint32_t get_u32(const uint8_t *from)
{
  uint32_t be;

  memcpy(&be, from, sizeof(be));
  return be32toh(be);
}

/* Room for what is to be sent; false: no memory. */
bool wire_out_room(struct pgsql_wire *w, size_t size);

/* A new exchange: send, and forget the answer before.  When it cannot be sent,
 * reading will tell why. */
void pgwire_send(struct pgsql_wire *w, int fd, const uint8_t *bytes,
                 size_t len);

/*
 * Wait for more of the answer.  What lies before w->pos is dropped unless
 * `keep`.  False: there will be no more, see wire_why_broken().
 */
bool wire_receive(struct pgsql_wire *w, int fd, bool keep);

/* In the library's words, so that scripts see the same text either way. */
const char *wire_why_broken(const struct pgsql_wire *w);

#endif
