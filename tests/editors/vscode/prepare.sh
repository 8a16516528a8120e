#!/usr/bin/env bash
# Make code-server run without its native builds: what it cannot do without is replaced, the rest stays unbuilt.
set -euo pipefail
cd "$(dirname "$0")/node_modules"
# The password hash is the only native module that is imported at the start; with `--auth none` it is never called.
echo "module.exports = { hash: async () => { throw Error('no password hashing here'); }, verify: async () => false };" > argon2/argon2.js
cd code-server/lib/vscode
npm install --omit=dev --no-audit --no-fund --loglevel=error --ignore-scripts --no-package-lock >/dev/null
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
touch ../../../.prepared
