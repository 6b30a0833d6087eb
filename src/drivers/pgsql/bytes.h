/*
 * bytes.h - numbers in messages of the protocol.
 */
#ifndef BENCH_DRIVERS_PGSQL_BYTES_H
#define BENCH_DRIVERS_PGSQL_BYTES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  WIRE_HEAD = 5, /* type and length of a message */
  WIRE_MESSAGE_MAX = 0x7fffffff,
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

static inline size_t message_size(const uint8_t *head)
{
  return 1 + (size_t)get_u32(head + 1);
}

#endif
