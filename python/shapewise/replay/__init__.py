"""Recorded calls, run again under one policy of torch.compile after the other.

`python -m shapewise.replay JOB.json`; the design is in analyzer/docs/replay.md. Modules that need
torch say so in their first line; the others can be imported without it.
"""
