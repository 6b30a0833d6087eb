# shellcheck shell=bash
# help.bash - for scripts that are commands: --help prints what stands at their
# start, and nothing else is done.
case ${1-} in
-h | --help)
  sed -n '2,${/^#/!q; /^# shellcheck/d; s/^# \{0,1\}//p}' "$0"
  exit 0
  ;;
esac
