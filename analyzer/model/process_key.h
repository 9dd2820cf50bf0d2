// Which process of a job a record is of.

#ifndef SHAPEWISE_MODEL_PROCESS_KEY_H_
#define SHAPEWISE_MODEL_PROCESS_KEY_H_

#include <compare>
#include <cstdint>

#include "model/event.h"

namespace shapewise {

/// A process as logs show it: one rank in one input.
struct ProcessKey {
  int32_t rank = kNoRank;
  uint32_t input = 0;

  friend auto operator<=>(const ProcessKey&, const ProcessKey&) = default;
};

/// The process of an event, compilation, span or what else has `rank` and `input`.
template <typename Record>
ProcessKey ProcessOf(const Record& record) {
  return {record.rank, record.input};
}

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_PROCESS_KEY_H_
