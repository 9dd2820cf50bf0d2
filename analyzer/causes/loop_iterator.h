// Loops that a graph break splits.

#ifndef SHAPEWISE_CAUSES_LOOP_ITERATOR_H_
#define SHAPEWISE_CAUSES_LOOP_ITERATOR_H_

#include "causes/cause.h"
#include "support/text_scan.h"

namespace shapewise {

/// Whether the length is that of the iterator of a loop, which a graph break in the loop's body
/// passes on: "___tuple_iterator_len(L['___stack0']) == 160".
inline bool IsLoopIterator(const Cause& cause) {
  return cause.culprit && cause.culprit->guard_class == GuardClass::kLength &&
         HasText(cause.message, "_iterator_len(");
}

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_LOOP_ITERATOR_H_
