// Reasons that are sentences: those of the C++ guards, and those that torch makes up.

#ifndef SHAPEWISE_MODEL_GUARD_PROSE_H_
#define SHAPEWISE_MODEL_GUARD_PROSE_H_

#include <string_view>

#include "shapewise/model/guard.h"

namespace shapewise {

/// Takes apart what a tensor check says, and sets `out.guard` and `out.hint`, too, for the sentence
/// on parameters may follow. False, and `out` untouched: `text` is no such thing.
///
///   tensor 'L['x']' size mismatch at index 0. expected 4, actual 5
///   tensor 'self.w' dtype mismatch. expected Float, actual Half. Guard failed on a parameter, ...
///   expected type of 'x' to be a tensor type, ' but found <class 'NoneType'>
bool ParseTensorText(std::string_view text, GuardFailure& out);

/// Takes apart the other sentences: `out.guard` has none behind it. False as above.
///
///   GLOBAL_STATE changed: grad_mode        KeyError on L['cfg']['bias']
///   Cache line invalidated because L['self'] got deallocated
///   Duplicate tensors found: ["a", "b"]    BACKEND_MATCH failure: ...
bool ParseSentence(std::string_view text, GuardFailure& out);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_PROSE_H_
