#!/bin/sh
# Makes .venv hold what a command needs, and does nothing when it already does.
#
#   sh tools/venv.sh demo|test|lint|bench|docs
#
# PYTHON=...  the Python to build with; otherwise the newest of the usual names.
# LOCK=1      install requirements.lock, which holds everything, instead of resolving ranges.
#
# A set is ready when .venv/ready-NAME holds the key: checksums of the files that decide what is
# installed, and the place where it was installed. .venv/busy marks a set-up that was cut short.
set -eu
cd "$(dirname "$0")/.."

want=$1
[ -z "${LOCK:-}" ] || want=lock
case $want in
    demo) names="core cli sklearn group:build" holders="demo test lint bench lock" ;;
    test) names="core cli group:build group:test" holders="test lint bench lock" ;;
    lint) names="core cli group:build group:test group:lint" holders="lint lock" ;;
    bench) names="core cli group:build group:test group:bench group:unlocked group:engines" holders="bench" ;;
    docs) names="core cli report sklearn group:build group:docs" holders="docs lock" ;;
    lock) names="" holders="lock" ;;
    *) echo "tools/venv.sh: unknown set '$want'" >&2; exit 2 ;;
esac

say() { printf '%s\n' "$*" >&2; }
fail() { say "clearbar: $*"; exit 1; }

version_of='import sys; print(*sys.version_info[:3], sys.base_prefix)'
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

key="$(pwd) $(cksum pyproject.toml src/clearbar/_version.py tools/venv.sh tools/requirements.py)"
[ "$want" != lock ] || key="$key $(cksum requirements.lock)"

is_sound() { # .venv is whole, is ours, and is built with the Python that was asked for
    [ -x .venv/bin/python ] && [ ! -e .venv/busy ] && [ -f .venv/place ] &&
        [ "$(cat .venv/place)" = "$(pwd)" ] || return 1
    [ -n "${PYTHON:-}" ] || return 0
    [ "$("$PYTHON" -c "$version_of" 2>&1)" = "$(cat .venv/python-version)" ]
}

key_for() { # a lock-built set is ready only for the same lock file
    if [ "$1" = lock ] && [ "$want" != lock ]; then
        printf '%s %s' "$key" "$(cksum requirements.lock)"
    else
        printf '%s' "$key"
    fi
}

if is_sound; then
    for holder in $holders; do
        if [ -f ".venv/ready-$holder" ] &&
            [ "$(cat ".venv/ready-$holder")" = "$(key_for "$holder")" ]; then
            exit 0
        fi
    done
fi

find_python() {
    problem="needs Python 3.11 or newer, and none was found: install it, or name one with PYTHON=/path/to/python."
    for python in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3 python; do
        if ! "$python" -c '' >/dev/null 2>&1; then
            found="cannot be run"
        elif ! "$python" -c "$new_enough" >/dev/null 2>&1; then
            found="is older than 3.11"
        elif ! "$python" -c 'import venv' >/dev/null 2>&1; then
            found="has no venv module (on Debian and Ubuntu: install python3-venv)"
        elif ! "$python" -c 'import ensurepip' >/dev/null 2>&1; then
            found="cannot install pip, having no ensurepip (on Debian and Ubuntu: install python3-venv)"
        else
            return 0
        fi
        if [ -n "${PYTHON:-}" ]; then
            fail "needs Python 3.11 or newer with venv and pip, but PYTHON=$PYTHON $found."
        fi
        case $found in *has\ no*|*having\ no*)
            problem="needs Python 3.11 or newer with venv and pip, but $python $found." ;;
        esac
    done
    fail "$problem"
}

# Nothing of the user's decides what lands here, but where to get packages from.
unset PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_ROOT PIP_REQUIRE_VIRTUALENV || true
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONNOUSERSITE=1
trap 'exit 130' HUP INT TERM # leaves .venv/busy, so that the next run starts afresh

if ! is_sound; then
    find_python
    say "Building .venv with $("$python" -c 'import sys; print("Python %d.%d.%d" % sys.version_info[:3])') ..."
    rm -rf .venv
    mkdir .venv
    : > .venv/busy
    "$python" -m venv .venv || fail "could not build .venv with $python (the lines above say why)."
    .venv/bin/python -m pip --version >/dev/null 2>&1 ||
        fail "needs pip, and $python puts none into a virtual environment: install its pip, or name another with PYTHON=."
    "$python" -c "$version_of" > .venv/python-version
    pwd > .venv/place
fi

install() {
    .venv/bin/python -m pip install -q "$@" || {
        # What pip refuses, it refuses before it changes anything: what was ready stays so.
        rm -f .venv/busy
        fail "pip could not install what '$want' needs (the lines above say why); is the network there?"
    }
}

say "Installing what '$want' needs into .venv (once; a minute or two) ..."
: > .venv/busy
if [ "$want" = lock ]; then
    install --no-deps -r requirements.lock
else
    # shellcheck disable=SC2086 # names are words
    .venv/bin/python tools/requirements.py $names > .venv/requirements.txt
    install -r .venv/requirements.txt
fi
# The build backend is there by now, so this needs no network.
install --no-deps --no-build-isolation -e .
[ "$want" != lock ] || .venv/bin/python -m pip check >/dev/null ||
    fail "requirements.lock does not fit together; renew it with 'make lock'."
printf '%s' "$key" > ".venv/ready-$want"
rm -f .venv/busy
