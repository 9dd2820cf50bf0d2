"""Runs a program with the GPU as its default device: on_gpu.py PROGRAM [ARGUMENT ...]."""

import runpy
import sys

import torch

if torch.cuda.is_available():
    torch.set_default_device("cuda")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
