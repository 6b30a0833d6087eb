/*
 * test_digests.c - hashes, keys and base64 of logins, with the examples of
 * their standards.
 */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/digest.h"
#include "base/wait.h"
#include "drivers/wire/base64.h"
#include "tests/unit/tap.h"

static bool is_hex(const uint8_t *bytes, size_t n, const char *hex)
{
  char text[2 * SHA256_BYTES + 1] = "";

  for (size_t i = 0; i < n; i++)
    (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return strcmp(text, hex) == 0;
}

/* FIPS 180-4, and its lengths around a block. */
static void test_sha256(void)
{
  static const struct {
    const char *text, *hash;
  } cases[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb924"
          "27ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223"
             "b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
      "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
  };
  uint8_t hash[SHA256_BYTES], block[1000];
  struct sha256 h;

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    sha256(cases[i].text, strlen(cases[i].text), hash);
    OK(is_hex(hash, sizeof(hash), cases[i].hash), "SHA-256");
  }
  memset(block, 'a', sizeof(block));
  sha256_begin(&h);
  for (int i = 0; i < 1000; i++)
    sha256_add(&h, block, sizeof(block));
  sha256_end(&h, hash);
  OK(is_hex(hash, sizeof(hash),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
     "SHA-256 of a million letters, in pieces");
}

/* FIPS 180-4, in one and in two parts. */
static void test_sha1(void)
{
  static const char long_text[] =
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  uint8_t hash[SHA1_BYTES], block[64];

  digest_sha1("", 0, NULL, 0, hash);
  OK(is_hex(hash, sizeof(hash), "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
     "SHA-1 of nothing");
  digest_sha1("abc", 3, NULL, 0, hash);
  OK(is_hex(hash, sizeof(hash), "a9993e364706816aba3e25717850c26c9cd0d89d"),
     "SHA-1");
  for (size_t i = 0; i < sizeof(long_text); i++) {
    digest_sha1(long_text, i, long_text + i, sizeof(long_text) - 1 - i, hash);
    MUST(
      is_hex(hash, sizeof(hash), "84983e441c3bd26ebaae4aa1f95129e5e54670f1"));
  }
  OK(true, "SHA-1 of two parts, of any lengths");
  memset(block, 'a', sizeof(block));
  digest_sha1(block, sizeof(block), NULL, 0, hash);
  OK(is_hex(hash, sizeof(hash), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
     "SHA-1 of a whole block");
}

/* RFC 4231, cases 1, 2, 3 and 6. */
static void test_hmac(void)
{
  uint8_t key[131], text[50], mac[SHA256_BYTES];
  static const char long_text[] =
    "Test Using Larger Than Block-Size Key - Hash Key First";
  struct hmac_sha256 k;

  memset(key, 0x0b, 20);
  hmac_sha256_key(&k, key, 20);
  hmac_sha256(&k, "Hi There", 8, mac);
  OK(is_hex(mac, sizeof(mac),
            "b0344c61d8db38535ca8afceaf0bf12b"
            "881dc200c9833da726e9376c2e32cff7"),
     "HMAC");
  hmac_sha256_key(&k, "Jefe", 4);
  hmac_sha256(&k, "what do ya want for nothing?", 28, mac);
  OK(is_hex(mac, sizeof(mac),
            "5bdcc146bf60754e6a042426089575c7"
            "5a003f089d2739839dec58b964ec3843"),
     "HMAC with a short key");
  memset(key, 0xaa, sizeof(key));
  memset(text, 0xdd, sizeof(text));
  hmac_sha256_key(&k, key, 20);
  hmac_sha256(&k, text, sizeof(text), mac);
  OK(is_hex(mac, sizeof(mac),
            "773ea91e36800e46854db8ebd09181a7"
            "2959098b3ef8c122d9635514ced565fe"),
     "HMAC of bytes");
  hmac_sha256_key(&k, key, sizeof(key));
  hmac_sha256(&k, long_text, sizeof(long_text) - 1, mac);
  OK(is_hex(mac, sizeof(mac),
            "60e431591ee0b67f0d8a26aacbf5b77f"
            "8e0bc6213728c5140546040f0ee37f54"),
     "HMAC with a long key");
}

/* RFC 7914, section 11: the first half of each key. */
static void test_pbkdf2(void)
{
  uint8_t key[SHA256_BYTES];

  OK(sha256_pbkdf2("passwd", 6, "salt", 4, 1, WAIT_FOREVER, key) &&
       is_hex(key, sizeof(key),
              "55ac046e56e3089fec1691c22544b605"
              "f94185216dde0465e68b9d57c20dacbc"),
     "PBKDF2");
  OK(sha256_pbkdf2("Password", 8, "NaCl", 4, 80000, WAIT_FOREVER, key) &&
       is_hex(key, sizeof(key),
              "4ddcd8f60b98be21830cee5ef22701f9"
              "641a4418d04c0414aeff08876b34ab56"),
     "PBKDF2 with many iterations");
  OK(!sha256_pbkdf2("Password", 8, "NaCl", 4, UINT32_MAX, 1, key),
     "PBKDF2 ends at its time limit");
}

/* RFC 1321, section A.5. */
static void test_md5(void)
{
  static const struct {
    const char *text, *hash;
  } cases[] = {
    { "", "d41d8cd98f00b204e9800998ecf8427e" },
    { "a", "0cc175b9c0f1b6a831c399e269772661" },
    { "abc", "900150983cd24fb0d6963f7d28e17f72" },
    { "message digest", "f96b697d7cb7938d525a2f31aaf161d0" },
    { "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b" },
    { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f" },
    { "1234567890123456789012345678901234567890"
      "1234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a" },
  };
  char text[MD5_DIGITS];

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    const size_t len = strlen(cases[i].text), half = len / 2;

    digest_md5_digits(cases[i].text, half, cases[i].text + half, len - half,
                      text);
    OK(memcmp(text, cases[i].hash, sizeof(text)) == 0, "MD5 of two parts");
  }
}

/* RFC 4648, section 10. */
static void test_base64(void)
{
  static const char *const cases[][2] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
  };
  static const char *const bad[] = { "Zg=",  "Zg",   "Z===", "====", "Zh==",
                                     "Zm9=", "Zm 8", "Z=9v", "Zm8\n" };
  char to[16];

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    const char *const text = cases[i][0], *const code = cases[i][1];
    const size_t len = strlen(text);

    memset(to, '#', sizeof(to));
    base64_encode(text, len, to);
    OK(memcmp(to, code, strlen(code)) == 0 && to[strlen(code)] == '#',
       "base64 of a text");
    memset(to, '#', sizeof(to));
    OK(base64_decode(code, strlen(code), to, len) == (ssize_t)len &&
         memcmp(to, text, len) == 0 && to[len] == '#',
       "and back");
    OK(len == 0 || base64_decode(code, strlen(code), to, len - 1) == -1,
       "no more than there is room for");
  }
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
    OK(base64_decode(bad[i], strlen(bad[i]), to, sizeof(to)) == -1,
       "what is no base64");
}

int main(void)
{
  test_sha1();
  test_sha256();
  test_hmac();
  test_pbkdf2();
  test_md5();
  test_base64();
  return TAP_EXIT();
}
