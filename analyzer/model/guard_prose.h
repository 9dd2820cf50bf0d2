// Parses reasons that are sentences: those of the C++ guards, and others written by torch.

#ifndef SHAPEWISE_MODEL_GUARD_PROSE_H_
#define SHAPEWISE_MODEL_GUARD_PROSE_H_

#include <string_view>

#include "shapewise/model/guard.h"

namespace shapewise {

/// Parses the message of a tensor check; also sets `out.guard` and `out.hint`, because the sentence
/// on parameters may follow. Returns false and leaves `out` unchanged if `text` is something else.
///
///   tensor 'L['x']' size mismatch at index 0. expected 4, actual 5
///   tensor 'self.w' dtype mismatch. expected Float, actual Half. Guard failed on a parameter, ...
///   expected type of 'x' to be a tensor type, ' but found <class 'NoneType'>
bool ParseTensorText(std::string_view text, GuardFailure& out);

/// Parses the other sentences; `out.guard` must not contain another guard after it. Returns false
/// as above.
///
///   GLOBAL_STATE changed: grad_mode        KeyError on L['cfg']['bias']
///   Cache line invalidated because L['self'] got deallocated
///   Duplicate tensors found: ["a", "b"]    BACKEND_MATCH failure: ...
bool ParseSentence(std::string_view text, GuardFailure& out);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_PROSE_H_
