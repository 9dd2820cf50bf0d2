// Fuzzes the reader of what-ifs. The law: the pieces that it names lie in its text; what it prints
// is read as the same; nothing crashes or hangs.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dynamo/policy_text.h"
#include "model/call_history_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  shapewise::Expected<shapewise::PolicyChange> change = shapewise::ParsePolicy(text);
  if (!change) {
    llvm::consumeError(change.takeError());
    return 0;
  }
  size_t end = 0;
  for (const shapewise::TextPiece& piece : change->named) {
    if (piece.begin < end || piece.begin + piece.size > change->text.size()) std::abort();
    end = piece.begin;
  }
  shapewise::Expected<shapewise::PolicyChange> again = shapewise::ParsePolicy(change->text);
  if (!again) std::abort();
  const bool is_same = again->text == change->text && again->marks == change->marks &&
                       again->buckets == change->buckets && again->shapes == change->shapes &&
                       again->serving == change->serving && again->options == change->options;
  if (!is_same) std::abort();

  shapewise::CallHistory history;
  shapewise::CallHistoryBuilder builder(history);
  shapewise::TensorValue tensor;
  tensor.sizes = {8, 5};
  builder.SetTensor(builder.Source(shapewise::CallHistoryBuilder::kNoParent, "L['x']"), tensor);
  builder.EndCall({}, shapewise::StrId::kNone);
  builder.Finish();
  shapewise::ApplyPolicy(*change, {}, history);
  return 0;
}
