#include "ingest/call_record_reader.h"

#include <utility>

#include "ingest/json_line_totals.h"
#include "ingest/size_reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "redact/redact.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Base of unknown sizes: larger than any length, and distinct for every dim.
constexpr int64_t kUnknownLength = int64_t{1} << 40;

std::optional<int64_t> SizeOf(llvm::StringRef text) {
  int64_t size = 0;
  const bool is_size = !text.trim().getAsInteger(10, size) && size >= 0;
  return is_size ? std::optional(size) : std::nullopt;
}

Error BadShape(std::string_view text) {
  return MakeError("'" + std::string(text) +
                   "' names no dim: expected SRC:DIM as in x:1, or SRC[SIZES] as in x[8,*,64]");
}

}  // namespace

Expected<LengthShape> ParseLengthShape(std::string_view all) {
  LengthShape shape;
  llvm::StringRef text = llvm::StringRef(all).trim();
  const bool has_sizes = std::string_view(text).ends_with("]") && text.contains('*');
  const size_t cut = has_sizes ? text.rfind('[') : text.rfind(':');
  if (cut == llvm::StringRef::npos || cut == 0) return BadShape(all);
  shape.source = DynamoSource(Trim(text.take_front(cut)));
  text = text.drop_front(cut + 1);
  if (!has_sizes) {
    const std::optional<int64_t> dim = SizeOf(text);
    if (!dim || *dim >= static_cast<int64_t>(TensorValue::kMaxDims)) return BadShape(all);
    shape.dim = static_cast<size_t>(*dim);
    shape.sizes.resize(shape.dim + 1);
    return shape;
  }
  for (const llvm::StringRef size : llvm::split(text.drop_back(), ',')) {
    shape.sizes.push_back(SizeOf(size));
    const bool is_star = size.trim() == "*";
    if (!is_star && !shape.sizes.back()) return BadShape(all);
    if (is_star) shape.dim = shape.sizes.size() - 1;
  }
  const bool has_one_star = llvm::count(shape.sizes, std::nullopt) == 1;
  if (!has_one_star || shape.sizes.size() > TensorValue::kMaxDims) return BadShape(all);
  return shape;
}

Expected<JsonLineTotals> ReadLengths(const std::string& path, const LengthShape& shape,
                                     FileSource& files, RecordedFunction& function,
                                     Redactor* redactor) {
  CallHistoryBuilder builder(function.history);
  const uint32_t source = builder.Source(CallHistoryBuilder::kNoParent, shape.source);
  TensorValue tensor;
  for (size_t dim = 0; dim < shape.sizes.size(); ++dim) {
    tensor.sizes.push_back(shape.sizes[dim].value_or(kUnknownLength + static_cast<int64_t>(dim)));
  }
  const auto add = [&](const Sizes& sizes, uint64_t calls) -> std::string_view {
    if (calls == 0) return {};
    tensor.sizes[shape.dim] = sizes[0];
    tensor.strides = ContiguousStrides(tensor.sizes);
    builder.SetTensor(source, tensor);
    const bool has_room = builder.EndCall(RecordedCall(), StrId::kNone, calls);
    return has_room ? "" : "there are more calls than can be held";
  };
  Expected<SizeTotals> totals = ReadSizes(path, SizeQuery(), files, add);
  builder.Finish();
  if (!totals) return RedactedError(totals.takeError(), redactor);
  if (redactor != nullptr) {
    RedactHistory(*redactor, function.history);
    RedactTotals(*redactor, totals->lines);
  }
  return std::move(totals->lines);
}

}  // namespace shapewise
