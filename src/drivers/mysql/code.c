/*
 * code.c - error numbers.
 */
#include "drivers/mysql/code.h"

#include "base/compiler.h"

static bool is_one_of(const int *codes, size_t n, int code)
{
  for (size_t i = 0; i < n; i++) {
    if (codes[i] == code)
      return true;
  }
  return false;
}

bool mysqld_code_is_lost(int code)
{
  static const int codes[] = { 1053,      1927,           CODE_GONE, 2011,
                               CODE_LOST, CODE_MALFORMED, 2055,      4031 };

  return is_one_of(codes, ARRAY_SIZE(codes), code);
}

bool mysqld_code_is_permanent(int code)
{
  static const int codes[] = { 1044, 1045, 1049,          1698,
                               3118, 3159, CODE_PROTOCOL, CODE_TLS };

  return is_one_of(codes, ARRAY_SIZE(codes), code);
}

bool mysqld_code_is_no_server(int code)
{
  return code == CODE_NO_SOCKET || code == CODE_NO_HOST ||
         code == CODE_UNKNOWN_HOST;
}
