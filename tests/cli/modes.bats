#!/usr/bin/env bats
# Files that the program makes: who may read them, and that no link leads it
# elsewhere.
load helper

mode() {
  stat -c %a "$1"
}

@test "test files are the owner's, results follow the umask" {
  local mask files=(--file-num=2 --file-total-size=64K)
  for mask in 022 027 077; do
    rm -f ./*
    umask "$mask"
    bench fileio "${files[@]}" prepare
    must is "$(mode test_file.0) $(mode test_file.1)" "600 600"
    bench -0 fileio "${files[@]}" --file-test-mode=seqwr --events=8 run
    must is "$(mode test_file.0)" 600
    bench -0 cpu --cpu-max-prime=50 --events=10 --report-interval=0.1 --json=j --stream=s \
      --csv=c --hdr-log=h --event-log=e run
    for file in j s c h e; do
      must is "$mask $file $(mode $file)" "$mask $file $(printf %o $((0666 & ~mask)))"
    done
  done
}

@test "no link is followed by anything that writes test files" {
  local files=(--file-num=2 --file-total-size=64K) target="something of mine"
  echo "$target" >mine
  for command in prepare "--file-test-mode=seqwr --events=8 run" \
    "--file-test-mode=seqrewr --events=8 run" "--file-test-mode=rndwr --events=8 run" \
    "--file-test-mode=rndrw --file-io-mode=mmap --events=8 run" cleanup; do
    rm -f test_file.*
    head -c 32768 /dev/zero >test_file.1
    ln -s mine test_file.0
    # shellcheck disable=SC2086
    bench fileio "${files[@]}" $command
    must is "$command: $(cat mine)" "$command: $target"
    # What makes files anew, or removes them, does so with the link itself.
    case $command in
      cleanup | *seqwr*) must [ ! -L test_file.0 ] ;;
      *) must is "$status" 1
        must has "$stderr" "^FATAL: Cannot open file 'test_file.0': it is a symbolic link$" ;;
    esac
  done
}

@test "no link is followed in a folder for test files that is given" {
  mkdir elsewhere
  echo mine >elsewhere/mine
  ln -s mine elsewhere/test_file.0
  bench -1 fileio --file-num=1 --file-total-size=32K --file-dir=elsewhere prepare
  must is "$(cat elsewhere/mine)" mine
}
