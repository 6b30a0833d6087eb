/*
 * kernel_aes.c - aes: encryption as used for networks and disks.
 *
 * The portable path looks up four bytes in a table for each column of a round.
 * It is fast, but its time depends on the data: it must not be used for
 * secrets.
 */
#include "tests/cpu/kernel_aes.h"

#include <string.h>

#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_data.h"

static unsigned char twice(unsigned char x)
{
  return (unsigned char)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static unsigned char rotate_byte(unsigned char x, unsigned by)
{
  return (unsigned char)(x << by | x >> (8 - by));
}

/*
 * Fills in, for each byte, its inverse in the field combined with its
 * rotations.  `p` goes through all powers of 3, `q` through their inverses.
 */
static void make_box(unsigned char box[256])
{
  unsigned char p = 1, q = 1;

  do {
    p = (unsigned char)(p ^ twice(p));
    q = (unsigned char)(q ^ q << 1);
    q = (unsigned char)(q ^ q << 2);
    q = (unsigned char)(q ^ q << 4);
    q = (unsigned char)(q ^ (q & 0x80 ? 0x09 : 0));
    box[p] = (unsigned char)(q ^ rotate_byte(q, 1) ^ rotate_byte(q, 2) ^
                             rotate_byte(q, 3) ^ rotate_byte(q, 4) ^ 0x63);
  } while (p != 1);
  box[0] = 0x63;
}

static void expand_key(struct aes_data *d)
{
  unsigned char *key = d->key[0], step = 1;

  for (unsigned i = AES_BLOCK; i < sizeof(d->key); i += 4) {
    unsigned char last[4];

    memcpy(last, key + i - 4, 4);
    if (i % AES_BLOCK == 0) {
      const unsigned char first = last[0];

      last[0] = (unsigned char)(d->box[last[1]] ^ step);
      last[1] = d->box[last[2]];
      last[2] = d->box[last[3]];
      last[3] = d->box[first];
      step = twice(step);
    }
    for (unsigned j = 0; j < 4; j++)
      key[i + j] = key[i + j - AES_BLOCK] ^ last[j];
  }
}

static int prepare(void *mem, struct err *err)
{
  struct aes_data *d = mem;
  uint64_t state = 37;

  (void)err;
  for (unsigned i = 0; i < AES_BYTES; i += 8)
    cpu_store_le64(d->bytes + i, cpu_noise(&state));
  for (unsigned i = 0; i < AES_BLOCK; i += 8) {
    cpu_store_le64(d->key[0] + i, cpu_noise(&state));
    cpu_store_le64(d->nonce + i, cpu_noise(&state));
  }
  make_box(d->box);
  for (unsigned i = 0; i < 256; i++) {
    const unsigned char x = d->box[i], x2 = twice(x);

    d->table[i] = (uint32_t)x2 << 24 | (uint32_t)x << 16 | (uint32_t)x << 8 |
                  (unsigned char)(x2 ^ x);
  }
  expand_key(d);
  return 0;
}

static uint32_t rotate(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

/* Returns a column of the next round. */
static uint32_t mix(const struct aes_data *d, uint32_t a, uint32_t b,
                    uint32_t c, uint32_t e)
{
  return d->table[a >> 24] ^ rotate(d->table[b >> 16 & 0xff], 8) ^
         rotate(d->table[c >> 8 & 0xff], 16) ^ rotate(d->table[e & 0xff], 24);
}

/* Returns a column of the last round. */
static uint32_t mix_last(const struct aes_data *d, uint32_t a, uint32_t b,
                         uint32_t c, uint32_t e)
{
  return (uint32_t)d->box[a >> 24] << 24 |
         (uint32_t)d->box[b >> 16 & 0xff] << 16 |
         (uint32_t)d->box[c >> 8 & 0xff] << 8 | d->box[e & 0xff];
}

static void encrypt_block(const struct aes_data *d, uint32_t s[4])
{
  uint32_t key[AES_ROUNDS + 1][4], t[4];

  for (unsigned r = 0; r <= AES_ROUNDS; r++) {
    for (unsigned i = 0; i < 4; i++)
      key[r][i] = cpu_load_be32(d->key[r] + (size_t)i * 4);
  }
  for (unsigned i = 0; i < 4; i++)
    s[i] ^= key[0][i];
  for (unsigned r = 1; r < AES_ROUNDS; r++) {
    for (unsigned i = 0; i < 4; i++)
      t[i] = mix(d, s[i], s[(i + 1) % 4], s[(i + 2) % 4], s[(i + 3) % 4]) ^
             key[r][i];
    memcpy(s, t, sizeof(t));
  }
  for (unsigned i = 0; i < 4; i++)
    t[i] = mix_last(d, s[i], s[(i + 1) % 4], s[(i + 2) % 4], s[(i + 3) % 4]) ^
           key[AES_ROUNDS][i];
  memcpy(s, t, sizeof(t));
}

static void encrypt_plain(struct aes_data *d, uint32_t counter)
{
  for (unsigned at = 0; at < AES_BYTES; at += AES_BLOCK, counter++) {
    uint32_t s[4];

    for (unsigned i = 0; i < 3; i++)
      s[i] = cpu_load_be32(d->nonce + (size_t)i * 4);
    s[3] = counter;
    encrypt_block(d, s);
    for (unsigned i = 0; i < 4; i++) {
      unsigned char *out = d->out + at + (size_t)i * 4;

      cpu_store_be32(out, cpu_load_be32(out) ^ s[i]);
    }
  }
}

uint64_t cpu_aes_round(struct aes_data *d,
                       void (*encrypt_all)(struct aes_data *d,
                                           uint32_t counter))
{
  uint32_t counter = cpu_load_be32(d->nonce + 12);

  memcpy(d->out, d->bytes, sizeof(d->out));
  for (unsigned i = 0; i < AES_TIMES; i++, counter += AES_BYTES / AES_BLOCK)
    encrypt_all(d, counter);
  return cpu_sum_bytes(0, d->out, sizeof(d->out));
}

static uint64_t run(void *mem)
{
  return cpu_aes_round(mem, encrypt_plain);
}

const struct cpu_kernel cpu_kernel_aes = {
  .name = "aes",
  .unit = "byte",
  .operations = (uint64_t)AES_BYTES * AES_TIMES,
  .result = UINT64_C(0xd49a2d338e1b0226),
  .bytes = sizeof(struct aes_data),
  .prepare = prepare,
  .portable = { .name = "portable", .run = run },
  .fast = &cpu_aes_fast,
};
