#!/bin/sh
# The browser tests drive the system's Chromium. Installs it where apt-get may; otherwise says what to do and goes on
# (those tests then skip with the same message, except under CI, where they fail).
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null 2>&1; then
    echo "installing Chromium for the browser tests ..."
    if $as_root apt-get update -q >/dev/null 2>&1 &&
       DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q chromium fonts-thai-tlwg fonts-noto-core >/dev/null 2>&1
    then exit 0; fi
fi
echo "no Chromium here: browser tests will be skipped. Install the package 'chromium' to run them."
[ -z "$CI" ]
