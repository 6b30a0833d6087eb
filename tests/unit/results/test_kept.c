/*
 * test_kept.c - the last results in the user's folder of state.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/kept.h"
#include "tests/unit/tap.h"

static char state[] = "/tmp/bench-kept-XXXXXX";
static char folder[PATH_MAX];

static const char *at(const char *name)
{
  static char path[PATH_MAX];

  (void)snprintf(path, sizeof(path), "%s/bench/%s", state, name);
  return path;
}

static void put(const char *name)
{
  FILE *f = fopen(at(name), "w");

  MUST(f && fputs("{ broken", f) >= 0 && fclose(f) == 0);
}

static bool is_there(const char *name)
{
  return access(at(name), F_OK) == 0;
}

static unsigned mode_of(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static size_t count(void)
{
  struct kept_name *names = NULL;
  const size_t n = kept_list(folder, &names);

  free(names);
  return n;
}

static void test_orphan(void)
{
  struct kept_file own, found;
  struct kept_name last = { "" };
  pid_t child;

  MUST(kept_open(&own) == 0);
  OK(!kept_orphan(&found, &last), "the file of a process that lives is left");
  (void)fflush(NULL); /* a sanitizer's _exit() writes buffers */
  child = fork();
  MUST(child >= 0);
  if (child == 0) {
    struct kept_file f, begun;

    MUST(kept_open(&f) == 0);
    while (kept_open(&begun) < 0) /* the same name for a millisecond */
      MUST(errno == EEXIST);
    _exit(fputs("{}", f.stream) < 0 || fflush(f.stream) != 0);
  }
  MUST(waitpid(child, NULL, 0) == child);
  last = (struct kept_name){ "" };
  OK(kept_orphan(&found, &last) && fgetc(found.stream) == EOF,
     "an empty file of a dead process is found");
  kept_close(&found, false);
  OK(kept_orphan(&found, &last) && fgetc(found.stream) == '{',
     "and so is an older one, after the removal of the first");
  kept_close(&found, true);
  OK(!kept_orphan(&found, &last) && count() == 1, "and kept");
  MUST(kept_path("1", found.path) && unlink(found.path) == 0);
  kept_close(&own, false);
}

static void test_folder(void)
{
  char path[PATH_MAX];

  (void)setenv("BENCH_KEEP", "off", 1);
  OK(!kept_folder(path), "BENCH_KEEP=off: no folder");
  (void)unsetenv("BENCH_KEEP");
  (void)setenv("XDG_STATE_HOME", "relative", 1);
  (void)setenv("HOME", state, 1);
  OK(kept_folder(path) && strstr(path, "/.local/state/bench"),
     "a relative XDG_STATE_HOME does not count");
  (void)unsetenv("HOME");
  OK(!kept_folder(path) && !kept_path("1", path), "no home, no folder");
  (void)setenv("XDG_STATE_HOME", state, 1);
  OK(kept_ready(folder, false) == 0 && access(folder, F_OK) < 0,
     "looking makes nothing");
  (void)umask(0);
  OK(kept_ready(folder, true) == 0 && mode_of(folder) == 0700,
     "the folder is the user's alone");
}

static void test_file(void)
{
  char path[PATH_MAX];
  struct kept_file f;

  OK(kept_open(&f) == 0 && mode_of(f.path) == 0600 && count() == 0,
     "a file without its name is not listed, and the user's alone");
  (void)fputs("whole", f.stream);
  kept_close(&f, true);
  OK(count() == 1 && kept_path("1", path) && mode_of(path) == 0600 &&
       access(f.path, F_OK) < 0,
     "a complete file is number 1");
  OK(!kept_path("2", path) && !kept_path("0", path) && !kept_path("1x", path),
     "no other number");
  (void)unlink(path);
  MUST(kept_open(&f) == 0);
  kept_close(&f, false);
  OK(count() == 0 && access(f.path, F_OK) < 0, "a part of one is removed");
}

static void test_full(void)
{
  struct rlimit limit, none;
  struct kept_file f;

  MUST(getrlimit(RLIMIT_FSIZE, &limit) == 0 && kept_open(&f) == 0);
  none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
  (void)signal(SIGXFSZ, SIG_IGN);
  MUST(setrlimit(RLIMIT_FSIZE, &none) == 0);
  (void)fputs("too much", f.stream);
  kept_close(&f, true);
  MUST(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  OK(count() == 0 && access(f.path, F_OK) < 0, "a full disk leaves nothing");
}

static void test_most(void)
{
  static const char *const others[] = { "20010101-000000-000-1.txt",
                                        "2001011-000000-000-1.json",
                                        "20010101-000000-000-.json",
                                        "notes.json" };
  char name[KEPT_NAME], path[PATH_MAX];
  struct kept_file f;
  bool all = true;
  int held;

  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
    put(others[i]);
  put("20010101-000000-000-1.part"); /* as of "bench database" */
  MUST(mknod(at("20010101-000000-000-2.part"), S_IFREG | 0600, 0) == 0);
  held = open(at("20010101-000000-000-3.part"), O_CREAT | O_RDWR, 0600);
  MUST(held >= 0 && flock(held, LOCK_EX | LOCK_NB) == 0);
  for (int i = 0; i < KEPT_MAX + 2; i++) {
    (void)snprintf(name, sizeof(name), "20020101-0000%02d-000-1.json", i);
    put(name);
  }
  OK(count() == KEPT_MAX + 2, "broken files have numbers, other names do not");
  OK(kept_path("1", path) && strcmp(path, at(name)) == 0, "the newest is 1");
  MUST(kept_open(&f) == 0);
  kept_close(&f, true);
  OK(count() == KEPT_MAX && kept_path("1", f.path) && access(f.path, F_OK) == 0,
     "50 stay");
  OK(!is_there("20020101-000002-000-1.json") &&
       is_there("20020101-000003-000-1.json") &&
       !is_there("20010101-000000-000-2.part"),
     "the oldest go, and what a dead process has begun");
  OK(is_there("20010101-000000-000-1.part") &&
       is_there("20010101-000000-000-3.part"),
     "what names tables stays, and the file of a run that goes on");
  MUST(close(held) == 0 && unlink(at("20010101-000000-000-1.part")) == 0 &&
       unlink(at("20010101-000000-000-3.part")) == 0);
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
    all = all && is_there(others[i]) && unlink(at(others[i])) == 0;
  OK(all, "files of other names stay");
}

static void test_not_ours(void)
{
  struct kept_name *names = NULL;
  struct kept_file f;
  char path[PATH_MAX];
  const size_t n = kept_list(folder, &names);

  for (size_t i = 0; i < n; i++)
    (void)unlink(at(names[i].text));
  free(names);
  MUST(rmdir(folder) == 0 && symlink("/tmp", folder) == 0);
  OK(kept_ready(path, true) == -EPERM && kept_open(&f) == -EPERM,
     "a link is not followed");
  MUST(unlink(folder) == 0 && rmdir(state) == 0);
  (void)fclose(fopen(state, "w"));
  OK(kept_ready(path, false) == -ENOTDIR && kept_open(&f) < 0,
     "a file in place of a folder");
  (void)unlink(state);
}

int main(void)
{
  MUST(mkdtemp(state));
  test_folder();
  test_file();
  test_orphan();
  test_full();
  test_most();
  test_not_ours();
  return TAP_EXIT();
}
