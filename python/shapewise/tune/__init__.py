"""Injects one candidate of `shapewise tune` into a process, and counts. Waits for torch.

The start-up hook of `shapewise run` imports it when SHAPEWISE_TUNE names a job
(analyzer/docs/tune.md). It imports only its own modules, `record` and `replay`.
"""
