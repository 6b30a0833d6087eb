/*
 * test_export.c - the forms for Elle's checker, byte by byte.
 */
#include "verify/history/export.h"

#include "tests/unit/history/history_rig.h"

static const char lists[] = "bench history 1 lists\n"
                            "1 20 30 ok r:7=1,2 a:7=3\n"
                            "0 10 20 ok a:7=1 r:8=\n"
                            "0 20 40 fail a:7=2 r:8\n"
                            "2 15 - unknown a:8=4 r:7=1\n"
                            "end 4\n";

static const char edn[] =
  "{:index 0, :type :invoke, :process 0, :time 10, :f :txn, :value "
  "[[:append 7 1] [:r 8 nil]]}\n"
  "{:index 1, :type :invoke, :process 2, :time 15, :f :txn, :value "
  "[[:append 8 4] [:r 7 nil]]}\n"
  "{:index 2, :type :ok, :process 0, :time 20, :f :txn, :value "
  "[[:append 7 1] [:r 8 []]]}\n"
  "{:index 3, :type :invoke, :process 1, :time 20, :f :txn, :value "
  "[[:r 7 nil] [:append 7 3]]}\n"
  "{:index 4, :type :invoke, :process 0, :time 20, :f :txn, :value "
  "[[:append 7 2] [:r 8 nil]]}\n"
  "{:index 5, :type :ok, :process 1, :time 30, :f :txn, :value "
  "[[:r 7 [1,2]] [:append 7 3]]}\n"
  "{:index 6, :type :fail, :process 0, :time 40, :f :txn, :value "
  "[[:append 7 2] [:r 8 nil]]}\n"
  "{:index 7, :type :info, :process 2, :time 40, :f :txn, :value "
  "[[:append 8 4] [:r 7 nil]]}\n";

static const char registers[] = "bench history 1 registers\n"
                                "0 1 2 ok w:1=5 r:1=5\n"
                                "0 3 4 ok r:2=\n"
                                "end 2\n";

static const char json[] =
  "[\n"
  "{\"index\": 0, \"type\": \"invoke\", \"process\": 0, \"time\": 1, \"f\": "
  "\"txn\", \"value\": [[\"w\", 1, 5], [\"r\", 1, null]]},\n"
  "{\"index\": 1, \"type\": \"ok\", \"process\": 0, \"time\": 2, \"f\": "
  "\"txn\", \"value\": [[\"w\", 1, 5], [\"r\", 1, 5]]},\n"
  "{\"index\": 2, \"type\": \"invoke\", \"process\": 0, \"time\": 3, \"f\": "
  "\"txn\", \"value\": [[\"r\", 2, null]]},\n"
  "{\"index\": 3, \"type\": \"ok\", \"process\": 0, \"time\": 4, \"f\": "
  "\"txn\", \"value\": [[\"r\", 2, null]]}\n"
  "]\n";

static void test_form(const char *text, enum export_form form, const char *want,
                      const char *what)
{
  struct history h;
  char *got = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&got, &len);

  MUST(f);
  rig_read(&h, text);
  OK(history_export(&h, form, f) == 0, what);
  MUST(fclose(f) == 0);
  OK_STR(got, want, what);
  free(got);
  history_done(&h);
}

static void test_full(void)
{
  struct history h;
  FILE *f = fopen("/dev/full", "w");

  MUST(f);
  rig_read(&h, lists);
  OK(history_export(&h, EXPORT_EDN, f) < 0, "a full disk is an error");
  (void)fclose(f);
  history_done(&h);
}

int main(void)
{
  test_form(lists, EXPORT_EDN, edn, "lists as EDN");
  test_form(registers, EXPORT_JSON, json, "registers as JSON");
  test_full();
  return TAP_EXIT();
}
