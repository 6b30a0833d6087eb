#include "ack/token.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"

_Static_assert((int)ACK_WIRE_PROOF == (int)SHA256_BYTES, "a proof is an HMAC");

static int token_check(int fd, const char *path, struct err *err)
{
  struct stat st;

  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
    return err_set(err, -EINVAL,
                   "the token file '%.400s' is not a regular file", path);
  if (st.st_mode & (S_IRWXG | S_IRWXO))
    return err_set(err, -EACCES,
                   "the token file '%.400s' is open to other users (chmod 600 "
                   "helps)",
                   path);
  return 0;
}

int ack_token_read(struct ack_token *ret, const char *path, struct err *err)
{
  const int fd = *path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  int rc;

  memset(ret, 0, sizeof(*ret));
  if (*path == '\0')
    return 0;
  if (fd < 0)
    return err_sys(err, "cannot open the token file '%.400s',", path);
  rc = token_check(fd, path, err);
  if (rc == 0 && read(fd, ret->text, sizeof(ret->text)) < 0)
    rc = err_sys(err, "cannot read the token file '%.400s',", path);
  (void)close(fd);
  if (rc < 0)
    return rc;
  while (ret->len < sizeof(ret->text) && ret->text[ret->len] != '\0' &&
         ret->text[ret->len] != '\r' && ret->text[ret->len] != '\n')
    ret->len++;
  if (ret->len >= ACK_TOKEN_LEAST && ret->len <= ACK_TOKEN_MOST)
    return 0;
  explicit_bzero(ret, sizeof(*ret));
  return err_set(err, -EINVAL,
                 "the first line of the token file '%.400s' is not a token "
                 "(expected %d to %d characters)",
                 path, ACK_TOKEN_LEAST, ACK_TOKEN_MOST);
}

void ack_token_prove(const struct ack_token *t, const struct ack_hello *hello,
                     const uint8_t nonce[ACK_WIRE_NONCE], struct ack_proof *ret)
{
  uint8_t message[ACK_WIRE_NONCE + sizeof(*hello)];
  struct hmac_sha256 key;

  hmac_sha256_key(&key, t->text, t->len);
  memcpy(message, nonce, ACK_WIRE_NONCE);
  memcpy(message + ACK_WIRE_NONCE, hello, sizeof(*hello));
  hmac_sha256(&key, message, sizeof(message), ret->mac);
}

bool ack_token_accepts(const struct ack_token *t, const struct ack_hello *hello,
                       const uint8_t nonce[ACK_WIRE_NONCE],
                       const struct ack_proof *proof)
{
  struct ack_proof right;
  volatile uint8_t differences = 0; /* no early end */

  ack_token_prove(t, hello, nonce, &right);
  for (size_t i = 0; i < sizeof(right.mac); i++)
    differences = (uint8_t)(differences | (right.mac[i] ^ proof->mac[i]));
  return differences == 0;
}
