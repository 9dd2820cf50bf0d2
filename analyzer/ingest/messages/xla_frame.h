// Frames of Python as PyTorch/XLA prints them.

#ifndef SHAPEWISE_INGEST_MESSAGES_XLA_FRAME_H_
#define SHAPEWISE_INGEST_MESSAGES_XLA_FRAME_H_

#include <string_view>

#include "ingest/messages/parsers.h"

namespace shapewise {

/// Reads "  mark_step (/x/torch_xla/core/xla_model.py:1055)"; false if `text` is no such line.
bool ParseXlaFrame(std::string_view text, CodePlace& place);

/// Adds the next frame of a stack to `detail`. The first is the innermost: often one of
/// PyTorch/XLA's own, which calls for the user.
void AddXlaFrame(const CodePlace& place, ParseContext& context, EventDetail& detail);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_XLA_FRAME_H_
