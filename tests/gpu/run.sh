#!/bin/sh
# Everything that needs a GPU, in one command of less than nine minutes: figures as JSON, and a log.
#
#   tests/gpu/prepare.sh          once, where the core can be built and registries be reached; fills build/gpu
#   tests/gpu/run.sh              where there is a GPU: torch >= 2.11, CMake, a compiler, and build/gpu
#   tests/gpu/run.sh --cpu --shapewise build/dev/shapewise --replay build/dev/shapewise-replay     without one, tiny
#
# --help lists options. SHAPEWISE_TORCH_PYTHON names the interpreter that has torch; default: python3.
set -eu
cd "$(dirname "$0")/../.."
chmod -f +x build/gpu/bin/* 2>/dev/null || true  # a copy may have lost it
exec "${SHAPEWISE_TORCH_PYTHON:-python3}" tests/gpu/measure.py "$@"
