#!/bin/sh
# Fills build/gpu (below 20 MB) with what a machine that has torch, CMake and a compiler, and no network, lacks for
# tests/gpu/run.sh: headers, captured graphs as programs, and the core.
#
#   tests/gpu/prepare.sh [PYTHON [CORE]]     PYTHON has torch; default: build/torch/bin/python3, else python3;
#                                            CORE is the program shapewise; default: that of the release preset
set -eu
cd "$(dirname "$0")/../.."
python="${1:-build/torch/bin/python3}"
[ -x "$python" ] || python=python3
core="${2:-build/release/shapewise}"
if [ ! -x "$core" ]; then
  cmake --preset release >/dev/null
  cmake --build --preset release --target shapewise
fi

rm -rf build/gpu
mkdir -p build/gpu/headers build/gpu/bin
for header in nlohmann/json.hpp CLI/CLI.hpp; do
  for root in "${SHAPEWISE_HEADERS:-/usr/include}" /usr/include /usr/local/include; do
    [ -e "$root/$header" ] || continue
    cp -RL "$root/${header%/*}" build/gpu/headers/
    break
  done
  [ -e "build/gpu/headers/$header" ] || { echo "prepare: no $header; SHAPEWISE_HEADERS names its folder" >&2; exit 1; }
done

for scale in small full; do
  "$python" tests/gpu/dumps.py "$core" "build/gpu/dumps/$scale" --scale "$scale"
done

# The core with what it links to besides the system's own libraries, for another release of Debian or Ubuntu that is no
# older than this one. LD_LIBRARY_PATH is the core's alone: the torch beside it must not see these.
strip -o build/gpu/bin/shapewise.program "$core"
ldd "$core" | while read -r name _ path _; do
  case "$name" in
    libsimdjson.so* | libzstd.so* | libz.so* | libtinfo.so*) cp -L "$path" build/gpu/bin/ ;;
  esac
done
cat >build/gpu/bin/shapewise <<'END'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/shapewise.program" "$@"
END
chmod +x build/gpu/bin/*
build/gpu/bin/shapewise --version
du -sh build/gpu
